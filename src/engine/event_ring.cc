#include "engine/event_ring.h"

#include <algorithm>

namespace baton::engine {

void EventRing::happened(const std::vector<store::Happening>& happenings) {
  const std::lock_guard lock(mutex_);
  for (const store::Happening& one : happenings)
    events_.push_back({++last_, one});
  while (events_.size() > capacity_)
    events_.pop_front();
}

std::uint64_t EventRing::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

EventRing::Reading EventRing::read(std::uint64_t after, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  Reading reading;
  const std::uint64_t forgotten = last_ - events_.size();
  reading.missed = after < forgotten || after > last_;
  const std::uint64_t begin = reading.missed ? forgotten : after;
  const auto from = events_.begin() + static_cast<std::ptrdiff_t>(begin - forgotten);
  const auto count =
      std::min<std::ptrdiff_t>(events_.end() - from, static_cast<std::ptrdiff_t>(limit));
  reading.events.assign(from, from + count);
  return reading;
}

}  // namespace baton::engine
