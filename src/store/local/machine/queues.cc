#include "store/local/machine/queues.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "lifecycle/validate.h"

namespace baton::store::local {
namespace {

template <class T>
void take(T& setting, const std::optional<T>& value) {
  if (value) setting = *value;
}

template <class T>
void take_optional(std::optional<T>& setting, const std::optional<T>& value) {
  if (value) setting = value;
}

void merge(Retry& into, const Retry& from) {
  take_optional(into.max_attempts, from.max_attempts);
  take_optional(into.strategy, from.strategy);
  take_optional(into.initial, from.initial);
  take_optional(into.multiplier, from.multiplier);
  take_optional(into.max, from.max);
  take_optional(into.jitter, from.jitter);
  if (!from.table.empty()) into.table = from.table;
  if (!from.function.empty()) into.function = from.function;
}

void merge(Timeouts& into, const Timeouts& from) {
  take_optional(into.execution, from.execution);
  take_optional(into.lease, from.lease);
  take_optional(into.lifetime, from.lifetime);
}

void take_limit(std::optional<std::int64_t>& setting, std::optional<std::int64_t> value) {
  if (!value) return;
  setting = *value < 0 ? std::nullopt : value;
}

}  // namespace

std::uint32_t Names::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(texts_.back(), number);
  return number;
}

std::uint32_t Names::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? kNoName : found->second;
}

const QueueSettings& ReadyQueue::settings() const {
  static const QueueSettings kDefaults;
  return own_ ? *own_ : kDefaults;
}

void ReadyQueue::set(QueueSettings settings) {
  own_.reset();
  if (settings != this->settings()) {
    own_ = std::make_unique<const QueueSettings>(std::move(settings));
  }
}

std::int64_t ReadyQueue::records() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int64_t ReadyQueue::waiting() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (lifecycle::is_waiting(static_cast<JobState>(i))) sum += counts[i];
  }
  return sum;
}

int ReadyQueue::allows(Time now, int wanted) const {
  const QueueSettings& set = settings();
  if (set.paused) return 0;
  std::int64_t allowed = wanted;
  if (set.max_running) {
    allowed = std::min(allowed, *set.max_running - count(JobState::kRunning));
  }
  const int bounded = static_cast<int>(std::max<std::int64_t>(allowed, 0));
  return set.rate ? lifecycle::rate_allows(rate, *set.rate, now, bounded) : bounded;
}

std::uint32_t Queues::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? kNoName : *found;
}

std::uint32_t Queues::make(std::string_view name, bool* made) {
  const std::uint32_t known = find(name);
  *made = known == kNoName;
  if (!*made) return known;
  auto index = static_cast<std::uint32_t>(queues_.size());
  if (free_.empty()) {
    queues_.emplace_back(name);
  } else {
    index = free_.back();
    free_.pop_back();
    queues_[index] = ReadyQueue(name);
  }
  numbers_.insert(index);
  by_name_.insert(index);
  return index;
}

void Queues::remove(std::uint32_t index) {
  BATON_ASSERT(queues_[index].records() == 0);
  numbers_.erase(numbers_.find(index));
  by_name_.erase(index);
  removed_.push_back(index);
}

void Queues::free_removed() {
  for (const std::uint32_t index : removed_) {
    queues_[index] = ReadyQueue();
    free_.push_back(index);
  }
  removed_.clear();
}

Error too_many_queues(std::size_t most) {
  return {Code::kConflict,
          "the queue is new, and the store has " + std::to_string(most) +
              " queues already, which is the limit",
          "queue",
          {}};
}

void Queues::count(std::uint32_t index, JobState state, std::int64_t by) {
  const auto place = static_cast<std::size_t>(state);
  queues_[index].counts[place] += by;
  totals_[place] += by;
}

Result<QueueSettings> updated(const ReadyQueue& queue, const QueueUpdate& update,
                              const BackoffFunctions& functions) {
  QueueSettings settings = queue.settings();
  if (update.profile && *update.profile != settings.profile) {
    if (lifecycle::find_profile(*update.profile) == nullptr) {
      return Error{
          Code::kInvalidJob, "there is no profile called " + *update.profile, "profile", {}};
    }
    if (queue.records() > 0) {
      return Error{
          Code::kConflict, "the profile of a queue that holds jobs cannot change", "profile", {}};
    }
    settings.profile = *update.profile;
  }
  if (update.retry) merge(settings.retry, *update.retry);
  if (update.timeouts) merge(settings.timeouts, *update.timeouts);
  take_optional(settings.timeout_is, update.timeout_is);
  take_optional(settings.system_is, update.system_is);
  take(settings.idempotency_window, update.idempotency_window);
  take(settings.max_payload_bytes, update.max_payload_bytes);
  take_limit(settings.max_pending, update.max_pending);
  take_limit(settings.max_running, update.max_running);
  take_optional(settings.rate, update.rate);
  if (update.rate && update.rate->per_second == 0) settings.rate.reset();
  take(settings.keep_completed, update.keep_completed);
  take(settings.keep_failed, update.keep_failed);
  take(settings.paused, update.paused);
  take(settings.draining, update.draining);
  const Status checked = lifecycle::check_queue(settings, functions);
  if (!checked) return checked.error();
  return settings;
}

Queue view_of(const ReadyQueue& queue) {
  return {queue.name, queue.settings(), {queue.counts.begin(), queue.counts.end()}};
}

}  // namespace baton::store::local
