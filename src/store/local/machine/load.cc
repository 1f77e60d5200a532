// Taking up what a store kept, before the first turn.
#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "store/local/machine/core.h"

namespace baton::store::local {

void Core::begin_loading(Time now, std::int64_t last_number) {
  BATON_ASSERT(live_ == 0 && last_number_ == 0);
  now_ = now;
  last_number_ = last_number;
  std::vector<FiredTimer> none;
  wheel.advance(now, none);
}

void Core::load(const StoredQueue& stored) {
  bool made = false;
  const std::uint32_t index = queues.make(stored.name, &made);
  ReadyQueue& queue = queues[index];
  BATON_ASSERT(made && stored.counts.size() == queue.counts.size());
  queue.set(stored.settings);
  for (std::size_t i = 0; i < stored.counts.size(); ++i)
    queues.count(index, static_cast<JobState>(i), stored.counts[i]);
}

void Core::load(const LiveJob& job) {
  const SlotIndex index = slots.add(job.id);
  Slot& slot = slots[index];
  slot.number = job.number;
  slot.queue = queues.find(job.queue);
  BATON_ASSERT(slot.queue != kNoName && job.number <= last_number_);
  slot.type = types.use(job.type);
  ++live_;
  slots.store(index, job.facts);
  load_extras(index, job);
  if (job.facts.state == JobState::kScheduled) {
    slot.ready_or_time = job.ready;
    last_ready_ = std::max(last_ready_, job.ready);
    ready_at_load_.push_back(index);
  }
  set_timers(index, job.facts);
}

// Only a job that has something to put there gets extras.
void Core::load_extras(SlotIndex index, const LiveJob& job) {
  if (job.facts.attempt > 0) {
    slots.extras(index).execution = job.facts.execution;
    slots.extras(index).checkpoint_bytes = static_cast<std::uint32_t>(job.checkpoint_bytes);
  }
  if (needs_account(job.facts)) {
    const std::uint32_t account = accounts.find(job.account);
    BATON_ASSERT(account != kNoName);
    set_account(index, account);
  }
  if (job.key) {
    slots.extras(index).key = job.key->key;
    slots.extras(index).has_key = true;
  }
  if (job.unique != nullptr) hold_unique(index, *job.unique);
  if (!job.cancel_reason.empty()) slots.extras(index).cancel_reason = job.cancel_reason;
  if (job.staged != nullptr) slots.extras(index).staged = *job.staged;
  if (job.children != nullptr) slots.extras(index).children = *job.children;
  if (job.waits == nullptr) return;
  Extras& extras = slots.extras(index);
  extras.depth = job.waits->depth;
  extras.groups = job.waits->groups;
  for (const Wait& wait : job.waits->open) {
    if (!waiters_.contains(wait.job)) awaited_at_load_.push_back(wait.job);
    wait_for(job.id, wait);
    extras.dependencies.push_back(wait);
  }
}

// Jobs come in the order of their creation, lanes take them in the order of their readiness.
void Core::finish_loading() {
  std::vector<SlotIndex> ready = std::move(ready_at_load_);
  const auto earlier = [this](SlotIndex a, SlotIndex b) {
    return slots[a].ready_or_time < slots[b].ready_or_time;
  };
  if (!std::is_sorted(ready.begin(), ready.end(), earlier)) {
    std::sort(ready.begin(), ready.end(), earlier);
  }
  for (const SlotIndex index : ready)
    lanes.add(index);
  // Somebody waits for a job that is not live: it ended, and a crash came before everybody was
  // told.
  for (const JobId& id : std::exchange(awaited_at_load_, {})) {
    if (slots.find(id) != kNoSlot) continue;
    // Children of a damaged job are not known: whoever counts them counts a failure.
    const auto children = archive_.children(id);
    add_unsettled({id, JobState::kNone, 0, children ? *children : std::vector<JobId>()});
  }
  slots.for_each([&](SlotIndex index, const Slot& slot) {
    if (slot.state == JobState::kRunning) unrenewed_.push_back(index);
  });
  std::sort(unrenewed_.begin(), unrenewed_.end(),
            [this](SlotIndex a, SlotIndex b) { return slots[a].number > slots[b].number; });
}

void Core::load(const StoredKey& key) {
  keys.hold(key.key, {key.job, key.created_at, key.expires_at, key.payload});
}

void Core::reopen(Time now, base::Random& random, Turn& turn) {
  begin(now, random, turn);
  for (std::size_t i = 0; i < tuning_.leases_per_turn && !unrenewed_.empty(); ++i) {
    const SlotIndex index = unrenewed_.back();
    unrenewed_.pop_back();
    const auto change =
        lifecycle::decide(slots.load(index), lifecycle::Restart{}, now_, this->random());
    apply(index, change.value());
  }
  if (is_reopening()) return;
  unrenewed_ = {};
  fire_timers();
}

}  // namespace baton::store::local
