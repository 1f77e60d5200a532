#include "engine/event_ring.h"

#include <algorithm>

namespace baton::engine {

namespace {

// Every type once, one behind the other, as far as neighbours are the same.
std::shared_ptr<const std::string> types_of(const std::vector<store::Happening>& happenings) {
  auto types = std::make_shared<std::string>();
  const char* latest = nullptr;
  for (const store::Happening& one : happenings) {
    if (one.type.data() != latest) *types += one.type;
    latest = one.type.data();
  }
  return types;
}

}  // namespace

// The texts of types are the store's only during the call.
void EventRing::happened(const std::vector<store::Happening>& happenings) {
  const std::shared_ptr<const std::string> types = types_of(happenings);
  std::string_view left = *types;
  std::string_view own;
  const char* latest = nullptr;
  const std::lock_guard lock(mutex_);
  for (const store::Happening& one : happenings) {
    if (one.type.data() != latest) {
      own = left.substr(0, one.type.size());
      left.remove_prefix(one.type.size());
    }
    latest = one.type.data();
    events_.push_back({++last_, one, types});
    events_.back().what.type = own;
  }
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
