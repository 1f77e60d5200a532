// What happens by itself: timers that fall due, a bounded number in each turn, and when the next
// turn must come because of them.
#include "store/local/machine/core.h"

namespace baton::store::local {

void Core::fire_timers() {
  collect_due();
  // Those that are not collected yet may come before those that are.
  if (collected_ && !gives_way_) apply_due();
  // Dependents come after what is due, so that nothing that is due waits for its turn behind a job
  // that fell due later.
  settle_dependents();
}

void Core::collect_due() {
  fired_timers_.clear();
  collected_ = wheel.advance(now_, fired_timers_, tuning_.timers_moved_per_turn);
  for (const FiredTimer& fired : fired_timers_) {
    const SlotIndex index = fired.timer / 2;
    const Slot& slot = slots[index];
    due_.add({fired.due, slot.number, index}, slot.state == JobState::kRunning);
    // Only its lifetime ends a ready job. A claim must not find it, even while others are ended
    // first.
    if (slot.state == JobState::kScheduled && !lanes.is_withdrawn(index)) lanes.withdraw(index);
  }
}

SlotIndex Core::next_claimable(std::uint32_t queue, std::span<const std::uint32_t> wanted) {
  while (true) {
    const SlotIndex slot = lanes.front(queue, wanted);
    if (slot == kNoSlot || collected_ || !lifecycle::first_due(slots.load(slot), now_)) return slot;
    lanes.withdraw(slot);
  }
}

void Core::apply_due() {
  std::size_t count = 0;
  for (std::size_t taken = 0;
       taken < tuning_.timers_taken_per_turn && count < tuning_.timers_per_turn; ++taken) {
    const auto timer = due_.take(lease_horizon_);
    if (!timer) return;
    if (!is_current(*timer)) continue;
    const bool running = slots[timer->slot].state == JobState::kRunning;
    if (running && timer->at > lease_horizon_) {
      due_.add(*timer, true);
      continue;
    }
    settle(timer->slot);
    ++count;
  }
}

// A job that moved on has other timers, and they are on the wheel.
bool Core::is_current(const DueTimer& timer) const {
  const Slot& slot = slots[timer.slot];
  if (slot.number != timer.number || is_terminal(slot.state)) return false;
  const lifecycle::Timers timers = lifecycle::timers_of(slots.load(timer.slot));
  return timers.lifetime == timer.at || timers.next == timer.at;
}

void Core::settle(SlotIndex slot) {
  const lifecycle::JobFacts job = slots.load(slot);
  if (!lifecycle::first_due(job, now_)) return;
  const auto change = lifecycle::settle(job, now_, random());
  ++fired_;
  apply(slot, *change);
}

bool Core::fell_due_since(const JobId& id, Time arrived) const {
  const SlotIndex slot = slots.find(id);
  if (slot == kNoSlot) return false;
  const lifecycle::JobFacts job = slots.load(slot);
  return lifecycle::first_due(job, now_) && !lifecycle::first_due(job, arrived);
}

bool Core::may_be_due() const {
  if (!due_.empty()) return true;
  const Time next = wheel.next();
  return next.is_set() && next <= now_;
}

bool Core::has_work_left() const {
  return !unsettled_.empty() || due_.has_any(lease_horizon_) || !collected_ || is_reopening();
}

Time Core::next_due() const {
  // What gave way does not come by itself; timers that are not collected yet still do.
  return has_work_left() && !gives_way_ ? now_ : wheel.next();
}

Time Core::first_held() const {
  const Time first = due_.first_running();
  return first > lease_horizon_ ? first : Time{};
}

}  // namespace baton::store::local
