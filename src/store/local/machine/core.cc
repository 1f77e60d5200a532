#include "store/local/machine/core.h"

#include <algorithm>

#include "base/assert.h"
#include "lifecycle/idempotency.h"
#include "lifecycle/uniqueness.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

using lifecycle::Change;
using lifecycle::Effect;

// Each slot has two timers.
TimerIndex lifetime_timer(SlotIndex slot) { return slot * 2; }
TimerIndex next_timer(SlotIndex slot) { return slot * 2 + 1; }

}  // namespace

JobTexts& Brought::text() {
  if (!texts) texts = std::make_unique<JobTexts>();
  return *texts;
}

Birth& Brought::born() {
  if (!birth) birth = std::make_unique<Birth>();
  return *birth;
}

void Core::begin(Time now, base::Random& random, Turn& turn, Time lease_horizon,
                 Background background) {
  BATON_ASSERT(now >= now_ && lease_horizon <= now);
  now_ = now;
  lease_horizon_ = lease_horizon.is_set() ? lease_horizon : now;
  gives_way_ = background == Background::kGivesWay;
  random_ = &random;
  turn_ = &turn;
  fired_ = 0;
  told_ = 0;
  types.free_unused();
  queues.free_removed();
  for (const SlotIndex slot : ended_)
    free_slot(slot);
  ended_.clear();
  granted_.clear();
  if (accounts.size() > tuning_.accounts_kept) {
    accounts.shrink(tuning_.accounts_kept,
                    [this](const std::string& id) { return archive_.is_told(id); });
  }
  gone_.clear();
  redriven_.clear();
  looked_up_.clear();
  lookups_ = 0;
  changes_of_.clear();
  indexed_ = 0;
  keys.sweep(now, tuning_.keys_per_turn);
  terms.sweep(tuning_.terms_per_turn);
}

int Core::depth_bound(const JobId& id) const {
  const SlotIndex slot = slots.find(id);
  if (slot == kNoSlot || is_terminal(slots[slot].state)) return 0;
  return slots[slot].extras ? slots[slot].extras->depth : 1;
}

SlotIndex Core::add(const JobId& id, std::uint32_t queue, std::string_view type) {
  const SlotIndex index = slots.add(id);
  Slot& slot = slots[index];
  slot.number = ++last_number_;
  slot.queue = queue;
  slot.type = types.use(type);
  ++live_;
  return index;
}

void Core::apply(SlotIndex slot, const Change& change, Brought brought) {
  if (!change.job_changed && !change.execution_changed) return;
  index_change(slot, change);
  write_row(slot, change, std::move(brought));
  apply_effects(slot, change);
  give_unique_back(slot, change.job);
  if (is_terminal(change.job.state)) end(slot);
}

void Core::count_state(const Slot& slot, JobState state, std::int64_t by) {
  if (state != JobState::kNone) queues.count(slot.queue, state, by);
}

void Core::index_change(SlotIndex index, const Change& change) {
  Slot& slot = slots[index];
  const lifecycle::JobFacts& after = change.job;
  const JobState before = slot.state;
  const bool was_ready = before == JobState::kScheduled;
  const bool is_ready = after.state == JobState::kScheduled;
  const bool moves = was_ready && is_ready && slot.priority != after.priority;
  if (was_ready && (!is_ready || moves)) lanes.remove(index);
  slots.store(index, after);
  if (is_ready && !was_ready) slot.ready_or_time = ++last_ready_;
  if (is_ready && (!was_ready || moves)) {
    lanes.add(index);
    // Its time was over before this step was applied: nobody is to have it, and its timer ends it.
    if (lifecycle::first_due(after, now_)) lanes.withdraw(index);
  }
  if (before != after.state) {
    count_state(slot, before, -1);
    count_state(slot, after.state, +1);
  }
  if (change.execution_changed) {
    Extras& extras = slots.extras(index);
    extras.execution = after.execution;
    if (after.execution.status != ExecutionStatus::kLeased &&
        after.execution.status != ExecutionStatus::kInProgress) {
      extras.staged.clear();
    }
  }
  set_timers(index, after);
}

void Core::set_timers(SlotIndex slot, const lifecycle::JobFacts& job) {
  const lifecycle::Timers timers = lifecycle::timers_of(job);
  const auto put = [&](TimerIndex timer, Time due) {
    due.is_set() ? wheel.set(timer, due) : wheel.clear(timer);
  };
  put(lifetime_timer(slot), timers.lifetime);
  put(next_timer(slot), timers.next);
}

// The request's own reason, which the decision does not know.
void Core::give_reason(const Slot& slot, const Change& change, JobTexts& texts) {
  if (!slot.extras || slot.extras->cancel_reason.empty()) return;
  texts.failure->message = slot.extras->cancel_reason;
  if (change.execution_failure == change.failure) {
    texts.execution_failure->message = slot.extras->cancel_reason;
  }
}

void Core::write_row(SlotIndex index, const Change& change, Brought brought) {
  const Slot& slot = slots[index];
  if (change.failure) brought.text().failure = own(*change.failure);
  if (change.execution_failure) brought.text().execution_failure = own(*change.execution_failure);
  if (change.cancelled_as_requested) give_reason(slot, change, *brought.texts);
  JobChange row;
  row.id = slot.id;
  row.number = slot.number;
  row.facts = change.job;
  row.made = std::move(brought.made);
  row.parent = brought.parent;
  row.redriven_from = brought.redriven_from;
  row.birth = std::move(brought.birth);
  if (change.job.state == JobState::kScheduled) row.ready = slot.ready_or_time;
  row.worker = std::move(brought.worker);
  row.execution_changed = change.execution_changed;
  row.failure_cleared = change.failure_cleared;
  row.durable = change.durable;
  row.staged_cleared =
      change.effects.has(Effect::kMakeChildren) || change.effects.has(Effect::kDropChildren);
  row.history = change.history;
  row.texts = std::move(brought.texts);
  turn_->changes.emplace_back(std::move(row));
  for (const HistoryEntry& step : change.history) {
    Time since;
    if (step.to == JobState::kRunning) since = change.job.scheduled_at;
    if (step.from == JobState::kRunning) since = change.job.started_at;
    const ReadyQueue& queue = queues[slot.queue];
    const bool room = step.from == JobState::kRunning && queue.settings().max_running;
    turn_->happenings.push_back({slot.id, queue.name, types.text(slot.type),
                                 change.job.terms->profile, step, since, change.job.version, room});
  }
}

void Core::apply_effects(SlotIndex index, const Change& change) {
  if (change.effects.empty()) return;
  Slot& slot = slots[index];
  const std::uint32_t account = slot.extras ? slot.extras->account : kNoName;
  if (change.effects.has(Effect::kCaptureCredits)) {
    post(account, PostingKind::kCapture, change.credits, slot.id);
  }
  if (change.effects.has(Effect::kReleaseCredits)) {
    post(account, PostingKind::kRelease, change.credits, slot.id);
  }
  if (change.effects.has(Effect::kLeaveQuota)) {
    lifecycle::count_ended(accounts[account].use);
    turn_->changes.emplace_back(change_of(accounts[account]));
  }
  if (change.effects.has(Effect::kAuditSafeBlock)) {
    const std::string name = account == kNoName ? std::string() : accounts[account].id;
    turn_->changes.emplace_back(AuditRecord{"SAFE_BLOCK", slot.id, name, now_});
  }
}

void Core::hold_unique(SlotIndex index, const HeldUnique& unique) {
  slots.extras(index).unique = std::make_unique<HeldUnique>(unique);
  uniques.hold(unique.key, slots[index].id);
}

// In the step that ends the time for which the job holds its unique key.
void Core::give_unique_back(SlotIndex index, const lifecycle::JobFacts& job) {
  const Slot& slot = slots[index];
  if (!slot.extras || !slot.extras->unique) return;
  std::unique_ptr<HeldUnique>& held = slot.extras->unique;
  if (lifecycle::holds_unique(held->held_while, job)) return;
  uniques.release(held->key, slot.id);
  held.reset();
}

void Core::end(SlotIndex index) {
  const Slot& slot = slots[index];
  if (slot.extras && slot.extras->has_key &&
      !lifecycle::keeps_key(*slot.terms->profile, slot.state)) {
    keys.release(slot.extras->key, slot.id);
  }
  --live_;
  ended_.push_back(index);
  if (!waiters_.contains(slot.id)) return;
  add_unsettled(
      {slot.id, slot.state, 0, slot.extras ? slot.extras->children : std::vector<JobId>()});
}

// Happenings of this turn may still show the text of its type: that goes when the next one begins,
// and so do the names of queues.
void Core::free_slot(SlotIndex index) {
  const Slot& slot = slots[index];
  if (slot.extras && slot.extras->account != kNoName) accounts.release(slot.extras->account);
  types.drop(slot.type);
  slots.remove(index);
}

Result<std::uint32_t> Core::account(const std::string& id) {
  const std::uint32_t known = accounts.find(id);
  if (known != kNoName) {
    accounts.touch(known);
    return known;
  }
  const auto stored = archive_.account(id);
  if (!stored) return stored.error();
  return *stored ? accounts.load(**stored) : kNoName;
}

Result<Account> Core::account_record(const std::string& id) const {
  const std::uint32_t known = accounts.find(id);
  if (known != kNoName) return record_of(accounts[known]);
  auto stored = archive_.account(id);
  if (!stored) return stored.error();
  return *stored ? (*stored)->account : Account{id, {}, {}, 0};
}

Result<bool> Core::has_grant(const std::string& account, const std::string& key) const {
  if (granted_.contains({account, key})) return true;
  return archive_.has_grant(account, key);
}

void Core::note_grant(const std::string& account, const std::string& key) {
  granted_.emplace(account, key);
}

void Core::set_account(SlotIndex slot, std::uint32_t account) {
  slots.extras(slot).account = account;
  accounts.hold(account);
}

void Core::post(std::uint32_t account, PostingKind kind, Amount amount, const JobId& job,
                AccountNews news) {
  KnownAccount& one = accounts[account];
  one.balance = lifecycle::post(one.balance, kind, amount).value();
  const LedgerEntry entry{++one.entry_count, kind, amount, job, now_, one.balance};
  turn_->changes.emplace_back(change_of(one, std::move(news), entry));
}

void Core::wait_for(const JobId& dependent, const Wait& wait) {
  waiters_[wait.job].push_back({dependent, wait.group, wait.named});
}

void Core::add_unsettled(Unsettled ended) {
  untold_children_.insert(ended.children.begin(), ended.children.end());
  unsettled_.push_back(std::move(ended));
}

// The first one: everybody has been told.
void Core::drop_unsettled() {
  for (const JobId& child : unsettled_.front().children)
    untold_children_.erase(child);
  unsettled_.pop_front();
}

void Core::settle_dependents() {
  // Endings cause endings: the list grows while it is walked.
  while (!gives_way_ && !unsettled_.empty() && told_ < tuning_.dependents_per_turn) {
    Unsettled& first = unsettled_.front();
    const auto found = waiters_.find(first.id);
    if (first.ending == JobState::kNone && found != waiters_.end()) {
      const auto known = state_of(first.id);
      // Nobody knows how a damaged job ended: it counts as failed.
      first.ending = known ? *known : JobState::kFailed;
    }
    if (found == waiters_.end() || first.ending == JobState::kNone) {
      drop_unsettled();
      continue;
    }
    const JobId id = first.id;
    const JobState ending = first.ending;
    const Waiter waiter = found->second[first.next];
    const std::size_t cost = cost_of(waiter, first);
    // The first of a turn is told whatever it costs.
    if (told_ > 0 && told_ + cost > tuning_.dependents_per_turn) return;
    told_ += cost;
    if (++first.next == found->second.size()) {
      waiters_.erase(found);
      drop_unsettled();
    }
    notify(waiter, id, ending);
  }
}

// Who is told, and the children that are looked at for it.
std::size_t Core::cost_of(const Waiter& waiter, const Unsettled& ended) const {
  const SlotIndex index = slots.find(waiter.dependent);
  if (index == kNoSlot || !lifecycle::is_before_schedule(slots[index].state)) return 1;
  const lifecycle::GroupCount& group = slots[index].extras->groups[waiter.group];
  const bool fans_in = waiter.named && group.type == DependencyType::kFanIn;
  return fans_in ? 1 + ended.children.size() : 1;
}

bool Core::may_be_fanned_in(const JobId& parent, std::size_t most) const {
  const auto found = waiters_.find(parent);
  if (found == waiters_.end()) return false;
  if (found->second.size() > most) return true;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Waiter& waiter) {
    const SlotIndex slot = slots.find(waiter.dependent);
    if (slot == kNoSlot || !lifecycle::is_before_schedule(slots[slot].state)) return false;
    const lifecycle::GroupCount& group = slots[slot].extras->groups[waiter.group];
    return waiter.named && group.type == DependencyType::kFanIn;
  });
}

void Core::notify(const Waiter& waiter, const JobId& ended, JobState ending) {
  const SlotIndex index = slots.find(waiter.dependent);
  // Once it may run, it no longer matters how the others end.
  if (index == kNoSlot || !lifecycle::is_before_schedule(slots[index].state)) return;
  Extras& extras = *slots[index].extras;
  lifecycle::GroupCount& group = extras.groups[waiter.group];
  std::vector<JobId> children;
  const std::size_t followed = copies_followed_;
  if (waiter.named && group.type == DependencyType::kFanIn) {
    count_children(ended, group, [&](const JobId& child) {
      children.push_back(child);
      extras.dependencies.push_back({child, waiter.group, false});
      wait_for(waiter.dependent, extras.dependencies.back());
    });
  }
  told_ += copies_followed_ - followed;
  lifecycle::count_ending(group, ending, ended);
  turn_->changes.emplace_back(
      WaitOver{waiter.dependent, waiter.group, ended, group, std::move(children)});
  if (slots[index].state != JobState::kPending) return;
  settle(index);
  lifecycle::Verdict verdict = lifecycle::verdict_of(extras.groups);
  if (verdict.kind == lifecycle::Verdict::Kind::kWaiting) return;
  if (slots[index].state != JobState::kPending) return;
  std::string because;
  if (verdict.kind == lifecycle::Verdict::Kind::kBad) {
    because = lifecycle::bad_ending_text(verdict);
    verdict.because = because;
  }
  const auto change =
      lifecycle::decide(slots.load(index), lifecycle::DependenciesSettled{verdict}, now_, random());
  if (change) apply(index, *change);
}

void Core::note_redrive(const FoundJob& job, const JobId& id, const JobId& to) {
  const std::int64_t number = job.slot != kNoSlot ? slots[job.slot].number : job.archived->number;
  const JobRedriven change{id, number, to, job.facts.version + 1};
  redriven_[id] = change;
  const auto known = looked_up_.find(id);
  if (known != looked_up_.end()) local::apply(known->second->job, change);
  turn_->changes.emplace_back(change);
}

void Core::forget(const FoundJob& job, const JobId& id) {
  std::uint32_t queue = kNoName;
  if (job.slot != kNoSlot) {
    const Slot& slot = slots[job.slot];
    queue = slot.queue;
    if (slot.extras && slot.extras->has_key) keys.release(slot.extras->key, id);
    ended_.erase(std::find(ended_.begin(), ended_.end(), job.slot));
    free_slot(job.slot);
  } else {
    queue = queues.find(job.archived->queue);
    if (job.archived->key) keys.release(job.archived->key->key, id);
  }
  queues.count(queue, job.facts.state, -1);
  gone_.insert(id);
  turn_->changes.emplace_back(JobGone{id});
}

}  // namespace baton::store::local
