#include "store/local/machine/slots.h"

#include "base/assert.h"

namespace baton::store::local {
namespace {

enum Flag : std::uint8_t {
  kCancelRequested = 1 << 0,
  kHasCallback = 1 << 1,
  kHasAccount = 1 << 2,
  kHasStaged = 1 << 3,
};
// The upper half is the class of the payload.
constexpr int kPayloadClassShift = 4;

std::uint8_t flags_of(const lifecycle::JobFacts& job) {
  return static_cast<std::uint8_t>(
      (job.cancel_requested ? kCancelRequested : 0) | (job.has_callback ? kHasCallback : 0) |
      (job.has_account ? kHasAccount : 0) | (job.has_staged ? kHasStaged : 0) |
      job.payload_class << kPayloadClassShift);
}

}  // namespace

Slots::Slots() : by_id_(0, Hash{&slots_}, Equal{&slots_}) {}

SlotIndex Slots::add(const JobId& id) {
  BATON_ASSERT(find(id) == kNoSlot);
  SlotIndex index;
  if (free_.empty()) {
    index = static_cast<SlotIndex>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  slots_[index].id = id;
  by_id_.insert(index);
  return index;
}

void Slots::remove(SlotIndex index) {
  by_id_.erase(index);
  slots_[index] = Slot{};
  free_.push_back(index);
}

SlotIndex Slots::find(const JobId& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? kNoSlot : *found;
}

Extras& Slots::extras(SlotIndex index) {
  auto& extras = slots_[index].extras;
  if (!extras) extras = std::make_unique<Extras>();
  return *extras;
}

std::uint8_t Slots::payload_class(SlotIndex index) const {
  return static_cast<std::uint8_t>(slots_[index].flags >> kPayloadClassShift);
}

lifecycle::JobFacts Slots::load(SlotIndex index) const {
  const Slot& slot = slots_[index];
  lifecycle::JobFacts job;
  job.terms = slot.terms;
  job.state = slot.state;
  job.priority = slot.priority;
  job.cancel_requested = (slot.flags & kCancelRequested) != 0;
  job.has_callback = (slot.flags & kHasCallback) != 0;
  job.has_account = (slot.flags & kHasAccount) != 0;
  job.has_staged = (slot.flags & kHasStaged) != 0;
  job.payload_class = payload_class(index);
  job.attempt = slot.attempt;
  job.retry_count = slot.retry_count;
  job.release_count = slot.release_count;
  job.progress = slot.progress;
  job.version = slot.version;
  job.history_count = slot.history_count;
  job.created_at = slot.created_at;
  job.updated_at = slot.updated_at;
  job.scheduled_at = slot.scheduled_at;
  if (is_terminal(slot.state)) job.completed_at = slot.updated_at;
  if (lifecycle::is_before_schedule(slot.state)) {
    job.not_before = Time{slot.ready_or_time};
  } else if (slot.state != JobState::kScheduled) {
    job.run_at = Time{slot.ready_or_time};
  }
  if (slot.failure_category >= 0) {
    job.failure_category = static_cast<FailureCategory>(slot.failure_category);
  }
  if (slot.error_type >= 0) job.error_type = static_cast<ErrorType>(slot.error_type);
  if (slot.extras) {
    job.held = slot.extras->held;
    job.delay = slot.extras->delay;
  }
  if (slot.attempt > 0) {
    job.execution = slot.extras->execution;
    job.started_at = job.execution.claimed_at;
  }
  return job;
}

void Slots::store(SlotIndex index, const lifecycle::JobFacts& job) {
  Slot& slot = slots_[index];
  slot.terms = job.terms;
  slot.state = job.state;
  slot.priority = job.priority;
  slot.flags = flags_of(job);
  slot.attempt = static_cast<std::uint8_t>(job.attempt);
  slot.retry_count = static_cast<std::uint8_t>(job.retry_count);
  slot.release_count = static_cast<std::uint8_t>(job.release_count);
  slot.progress = static_cast<std::int8_t>(job.progress);
  slot.version = static_cast<std::uint32_t>(job.version);
  slot.history_count = static_cast<std::uint32_t>(job.history_count);
  slot.created_at = job.created_at;
  slot.updated_at = job.updated_at;
  slot.scheduled_at = job.scheduled_at;
  if (job.state != JobState::kScheduled) {
    slot.ready_or_time =
        lifecycle::is_before_schedule(job.state) ? job.not_before.ms : job.run_at.ms;
  }
  slot.failure_category =
      job.failure_category ? static_cast<std::int8_t>(*job.failure_category) : std::int8_t{-1};
  slot.error_type = job.error_type ? static_cast<std::int8_t>(*job.error_type) : std::int8_t{-1};
  if (slot.extras || job.held != 0 || job.delay != Duration{}) {
    extras(index).held = job.held;
    extras(index).delay = job.delay;
  }
}

}  // namespace baton::store::local
