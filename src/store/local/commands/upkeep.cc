#include <algorithm>

#include "base/utf8.h"
#include "lifecycle/limits.h"
#include "lifecycle/validate.h"
#include "store/local/commands/handlers.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kMaxStats = 1000;

Error no_such_queue() { return {Code::kNotFound, "there is no such queue", "queue", {}}; }

}  // namespace

Answer handle(Core& core, const QueueUpdate& command) {
  const Status named = lifecycle::check_queue_name(command.name);
  if (!named) return named.error();
  static const ReadyQueue kNew;
  const std::uint32_t known = core.queues.find(command.name);
  if (known == kNoName && !command.make) return no_such_queue();
  auto settings =
      updated(known == kNoName ? kNew : core.queues[known], command, core.terms.functions());
  if (!settings) return settings.error();
  if (known == kNoName && core.queues.size() >= core.tuning().most_queues) {
    return too_many_queues(core.tuning().most_queues);
  }
  bool made = false;
  ReadyQueue& queue = core.queues[core.queues.make(command.name, &made)];
  // A new rate begins with a full burst: what was used under the old one says nothing about it.
  if (queue.settings().rate != settings->rate) queue.rate = {};
  queue.set(std::move(*settings));
  core.turn().changes.emplace_back(QueueChange{queue.name, queue.settings()});
  return view_of(queue);
}

Answer handle(Core& core, const RemoveQueue& command) {
  const std::uint32_t index = core.queues.find(command.name);
  if (index == kNoName) return no_such_queue();
  if (const std::int64_t records = core.queues[index].records(); records > 0) {
    return Error{Code::kConflict,
                 "the queue holds " + std::to_string(records) +
                     (records == 1 ? " job record" : " job records") +
                     "; only a queue without any, ended ones included, can be deleted",
                 "queue",
                 {}};
  }
  core.queues.remove(index);
  core.turn().changes.emplace_back(QueueGone{command.name});
  return Deleted{};
}

Answer handle(Core& core, const GrantCredits& command) {
  if (command.account.empty() || command.account.size() > lifecycle::kMaxAccountLength) {
    return Error{
        Code::kInvalidJob,
        "account must have from 1 to " + std::to_string(lifecycle::kMaxAccountLength) + " bytes",
        "account",
        {}};
  }
  const std::string& key = command.idempotency_key;
  if (base::character_count(key) > lifecycle::kMaxKeyLength) {
    return Error{Code::kInvalidJob,
                 "idempotency_key must have at most " + std::to_string(lifecycle::kMaxKeyLength) +
                     " characters",
                 "idempotency_key",
                 {}};
  }
  const auto known = core.account(command.account);
  if (!known) return known.error();
  if (*known != kNoName && !key.empty()) {
    const auto again = core.has_grant(command.account, key);
    if (!again) return again.error();
    if (*again) return record_of(core.accounts[*known]);
  }
  if (command.amount != 0) {
    const Balance balance = *known == kNoName ? Balance{} : core.accounts[*known].balance;
    const auto possible = lifecycle::post(balance, PostingKind::kGrant, command.amount);
    if (!possible) return possible.error();
  }
  const std::uint32_t index = core.accounts.make(command.account);
  KnownAccount& account = core.accounts[index];
  if (command.tier) account.tier = *command.tier;
  if (!key.empty()) core.note_grant(command.account, key);
  if (command.amount != 0) {
    core.post(index, PostingKind::kGrant, command.amount, {}, {key, {}});
  } else {
    core.turn().changes.emplace_back(change_of(account, {key, {}}));
  }
  return record_of(account);
}

Answer handle(Core& core, const RunTimers&) { return TimersAnswer{core.fired(), core.next_due()}; }

Answer handle(Core& core, const GetQueue& command) {
  const std::uint32_t index = core.queues.find(command.name);
  if (index == kNoName) return no_such_queue();
  return view_of(core.queues[index]);
}

Answer handle(Core& core, const GetAccount& command) {
  auto record = core.account_record(command.id);
  if (!record) return record.error();
  return std::move(*record);
}

Answer handle(Core& core, const GetStats& page) {
  if (page.limit > kMaxStats) {
    return Error{
        Code::kBadRequest, "limit must be at most " + std::to_string(kMaxStats), "limit", {}};
  }
  Stats stats;
  stats.live_jobs = core.live();
  stats.counts.assign(core.queues.totals().begin(), core.queues.totals().end());
  const auto end = core.queues.by_name().end();
  auto next = page.after.empty() ? core.queues.by_name().begin()
                                 : core.queues.by_name().upper_bound(page.after);
  for (; next != end && stats.queues.size() < page.limit; ++next)
    stats.queues.push_back(view_of(core.queues[*next]));
  stats.more = next != end;
  return stats;
}

}  // namespace baton::store::local
