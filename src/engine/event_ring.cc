#include "engine/event_ring.h"

#include <algorithm>

namespace baton::engine {

namespace {

using store::Happening;
using Text = std::string_view Happening::*;
constexpr Text kTexts[] = {&Happening::queue, &Happening::type};

// Neighbours mostly share their texts, which then lie in one place.
bool is_other(const std::vector<Happening>& happenings, std::size_t at, Text text) {
  return at == 0 || (happenings[at].*text).data() != (happenings[at - 1].*text).data();
}

// Every text once, one behind the other, as far as neighbours are the same.
std::shared_ptr<const std::string> texts_of(const std::vector<Happening>& happenings) {
  auto texts = std::make_shared<std::string>();
  for (const Text text : kTexts) {
    for (std::size_t i = 0; i < happenings.size(); ++i) {
      if (is_other(happenings, i, text)) *texts += happenings[i].*text;
    }
  }
  return texts;
}

}  // namespace

// The texts of queues and types are the store's only during the call.
void EventRing::happened(const std::vector<Happening>& happenings) {
  const std::shared_ptr<const std::string> texts = texts_of(happenings);
  std::string_view left = *texts;
  const std::lock_guard lock(mutex_);
  const std::size_t before = events_.size();
  for (const Happening& one : happenings)
    events_.push_back({++last_, one, texts});
  for (const Text text : kTexts) {
    std::string_view own;
    for (std::size_t i = 0; i < happenings.size(); ++i) {
      if (is_other(happenings, i, text)) {
        own = left.substr(0, (happenings[i].*text).size());
        left.remove_prefix(own.size());
      }
      events_[before + i].what.*text = own;
    }
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
