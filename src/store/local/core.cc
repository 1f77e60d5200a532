#include "store/local/core.h"

#include <algorithm>

#include "base/assert.h"
#include "lifecycle/idempotency.h"
#include "store/local/rows.h"

namespace baton::store::local {
namespace {

using lifecycle::Change;
using lifecycle::Effect;
using lifecycle::JobState;

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

void Core::begin(Time now, base::Random& random, Turn& turn) {
  open_turn(now, random, turn);
  fire_timers();
}

void Core::open_turn(Time now, base::Random& random, Turn& turn) {
  BATON_ASSERT(now >= now_);
  now_ = now;
  random_ = &random;
  turn_ = &turn;
  fired_ = 0;
  for (const SlotIndex slot : ended_)
    slots.remove(slot);
  ended_.clear();
  gone_.clear();
  looked_up_.clear();
  changes_of_.clear();
  indexed_ = 0;
  keys.sweep(now);
}

void Core::fire_timers() {
  struct Due {
    Time at;
    std::int64_t number;
    SlotIndex slot;
  };
  std::vector<TimerIndex> fired;
  wheel.advance(now_, fired);
  std::vector<Due> due;
  for (const TimerIndex timer : fired) {
    const SlotIndex slot = timer / 2;
    const lifecycle::Timers timers = lifecycle::timers_of(slots.load(slot));
    const bool is_lifetime = timer == lifetime_timer(slot);
    due.push_back({is_lifetime ? timers.lifetime : timers.next, slots[slot].number, slot});
  }
  std::sort(due.begin(), due.end(), [](const Due& a, const Due& b) {
    return std::pair(a.at, a.number) < std::pair(b.at, b.number);
  });
  // Dependents come after all that is due, so that nothing that is due waits for its turn behind
  // a job that fell due later.
  for (const Due& one : due)
    settle(one.slot);
  settle_dependents();
}

void Core::settle(SlotIndex slot) {
  const lifecycle::Job job = slots.load(slot);
  if (!lifecycle::first_due(job, now_)) return;
  const auto change = lifecycle::settle(job, now_, random());
  ++fired_;
  apply(slot, *change);
}

int Core::depth_bound(const JobId& id) const {
  const SlotIndex slot = slots.find(id);
  if (slot == kNoSlot || lifecycle::is_terminal(slots[slot].state)) return 0;
  return slots[slot].extras ? slots[slot].extras->depth : 1;
}

int Core::exact_depth(const JobId& id) {
  std::unordered_map<JobId, int> known;
  const int depth = exact_depth(id, known);
  const SlotIndex slot = slots.find(id);
  if (slot != kNoSlot && slots[slot].extras) slots[slot].extras->depth = depth;
  return depth;
}

int Core::exact_depth(const JobId& id, std::unordered_map<JobId, int>& known) {
  const auto found = known.find(id);
  if (found != known.end()) return found->second;
  const SlotIndex slot = slots.find(id);
  int depth = 0;
  if (slot != kNoSlot && !lifecycle::is_terminal(slots[slot].state)) {
    if (slots[slot].extras) {
      for (const JobId& dependency : slots[slot].extras->dependencies) {
        depth = std::max(depth, exact_depth(dependency, known));
      }
    }
    ++depth;
  }
  known.emplace(id, depth);
  return depth;
}

SlotIndex Core::add(const JobId& id, std::uint32_t queue, std::string_view type) {
  const SlotIndex index = slots.add(id);
  Slot& slot = slots[index];
  slot.number = ++last_number_;
  slot.queue = queue;
  slot.type = types.number(type);
  ++live_;
  return index;
}

void Core::apply(SlotIndex slot, const Change& change, Brought brought) {
  if (!change.job_changed && !change.execution_changed) return;
  index_change(slot, change);
  write_row(slot, change, std::move(brought));
  apply_effects(slot, change);
  if (lifecycle::is_terminal(change.job.state)) end(slot);
}

void Core::count_state(const Slot& slot, JobState state, std::int64_t by) {
  if (state != JobState::kNone) queues[slot.queue].counts[static_cast<std::size_t>(state)] += by;
}

void Core::index_change(SlotIndex index, const Change& change) {
  Slot& slot = slots[index];
  const lifecycle::Job& after = change.job;
  const JobState before = slot.state;
  const bool was_ready = before == JobState::kScheduled;
  const bool is_ready = after.state == JobState::kScheduled;
  const bool moves = was_ready && is_ready && slot.priority != after.priority;
  if (was_ready && (!is_ready || moves)) lanes.remove(index);
  slots.store(index, after);
  if (is_ready && !was_ready) slot.ready_or_time = ++last_ready_;
  if (is_ready && (!was_ready || moves)) lanes.add(index);
  if (before != after.state) {
    count_state(slot, before, -1);
    count_state(slot, after.state, +1);
  }
  if (change.execution_changed) {
    Extras& extras = slots.extras(index);
    extras.execution = after.execution;
    if (after.execution.status != lifecycle::ExecutionStatus::kLeased &&
        after.execution.status != lifecycle::ExecutionStatus::kInProgress) {
      extras.staged.clear();
    }
  }
  set_timers(index, after);
}

void Core::set_timers(SlotIndex slot, const lifecycle::Job& job) {
  const lifecycle::Timers timers = lifecycle::timers_of(job);
  const auto put = [&](TimerIndex timer, Time due) {
    due.is_set() ? wheel.set(timer, due) : wheel.clear(timer);
  };
  put(lifetime_timer(slot), timers.lifetime);
  put(next_timer(slot), timers.next);
}

void Core::write_row(SlotIndex index, const Change& change, Brought brought) {
  const Slot& slot = slots[index];
  if (change.failure) brought.text().failure = own(*change.failure);
  if (change.execution_failure) brought.text().execution_failure = own(*change.execution_failure);
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
  for (const lifecycle::HistoryEntry& step : change.history) {
    Time since;
    if (step.to == JobState::kRunning) since = change.job.scheduled_at;
    if (step.from == JobState::kRunning) since = change.job.started_at;
    turn_->happenings.push_back({slot.id, queues[slot.queue].name, types.text(slot.type),
                                 change.job.terms->profile, step, since, change.job.version});
  }
}

void Core::apply_effects(SlotIndex index, const Change& change) {
  if (change.effects.empty()) return;
  Slot& slot = slots[index];
  const std::uint32_t account = slot.extras ? slot.extras->account : kNoName;
  if (change.effects.has(Effect::kCaptureCredits)) {
    post(account, lifecycle::PostingKind::kCapture, change.credits, slot.id);
  }
  if (change.effects.has(Effect::kReleaseCredits)) {
    post(account, lifecycle::PostingKind::kRelease, change.credits, slot.id);
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

void Core::end(SlotIndex index) {
  const Slot& slot = slots[index];
  if (slot.extras && slot.extras->has_key &&
      !lifecycle::keeps_key(*slot.terms->profile, slot.state)) {
    keys.release(slot.extras->key, slot.id);
  }
  --live_;
  ended_.push_back(index);
  unsettled_.push_back(index);
}

void Core::post(std::uint32_t account, lifecycle::PostingKind kind, Amount amount, const JobId& job,
                std::string grant_key) {
  Account& one = accounts[account];
  one.balance = lifecycle::post(one.balance, kind, amount).value();
  const LedgerEntry entry{++one.entry_count, kind, amount, job, now_, one.balance};
  turn_->changes.emplace_back(change_of(one, entry, std::move(grant_key)));
}

void Core::wait_for(const JobId& dependent, const Wait& wait) {
  waiters_[wait.job].push_back({dependent, wait.group, wait.named});
  if (!wait.named) slots.extras(slots.find(dependent)).awaited.push_back(wait.job);
}

void Core::settle_dependents() {
  // Endings cause endings: the list grows while it is walked.
  for (std::size_t i = 0; i < unsettled_.size(); ++i) {
    const JobId id = slots[unsettled_[i]].id;
    const JobState ending = slots[unsettled_[i]].state;
    const auto found = waiters_.find(id);
    if (found == waiters_.end()) continue;
    const std::vector<Waiter> waiting = std::move(found->second);
    waiters_.erase(found);
    for (const Waiter& waiter : waiting)
      notify(waiter, id, ending);
  }
  unsettled_.clear();
}

void Core::notify(const Waiter& waiter, const JobId& ended, JobState ending) {
  const SlotIndex index = slots.find(waiter.dependent);
  // Once it may run, it no longer matters how the others end.
  if (index == kNoSlot || !lifecycle::is_before_schedule(slots[index].state)) return;
  Extras& extras = *slots[index].extras;
  lifecycle::GroupCount& group = extras.groups[waiter.group];
  std::vector<JobId> children;
  if (waiter.named && group.type == lifecycle::DependencyType::kFanIn) {
    count_children(ended, group, [&](const JobId& child) {
      children.push_back(child);
      wait_for(waiter.dependent, {child, waiter.group, false});
    });
  }
  lifecycle::count_ending(group, ending);
  turn_->changes.emplace_back(
      WaitOver{waiter.dependent, waiter.group, ended, group, std::move(children)});
  if (slots[index].state != JobState::kPending) return;
  settle(index);
  const lifecycle::Verdict verdict = lifecycle::verdict_of(extras.groups);
  if (verdict.kind == lifecycle::Verdict::Kind::kWaiting) return;
  const auto change =
      lifecycle::decide(slots.load(index), lifecycle::DependenciesSettled{verdict}, now_, random());
  if (change) apply(index, *change);
}

void Core::forget(const FoundJob& job, const JobId& id) {
  std::uint32_t queue = kNoName;
  if (job.slot != kNoSlot) {
    const Slot& slot = slots[job.slot];
    queue = slot.queue;
    if (slot.extras && slot.extras->has_key) keys.release(slot.extras->key, id);
    ended_.erase(std::find(ended_.begin(), ended_.end(), job.slot));
    slots.remove(job.slot);
  } else {
    queue = queues.find(job.archived->queue);
    if (job.archived->key) keys.release(job.archived->key->key, id);
  }
  --queues[queue].counts[static_cast<std::size_t>(job.facts.state)];
  gone_.insert(id);
  turn_->changes.emplace_back(JobGone{id});
}

Time Core::next_due() const { return wheel.next(); }

}  // namespace baton::store::local
