// Where time comes from. Everything that needs the time is handed a Clock, so that tests turn a
// ManualClock instead of sleeping. `wall` is UTC and may jump; `monotonic` only ever rises and has
// no meaning beyond differences. Every Clock may be read from any thread.
#pragma once

#include <atomic>

#include "base/time.h"

namespace baton::base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time wall() const = 0;
  virtual Duration monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time wall() const override;
  Duration monotonic() const override;
};

// Stands still until it is told otherwise.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start) : wall_ms_(start.ms) {}

  Time wall() const override { return Time{wall_ms_.load()}; }
  Duration monotonic() const override { return Duration{monotonic_ms_.load()}; }

  // Moves both clocks forward.
  void advance(Duration by) {
    wall_ms_.fetch_add(by.ms);
    monotonic_ms_.fetch_add(by.ms);
  }
  // The wall clock jumps, in either direction; the monotonic one does not notice.
  void jump_wall(Time to) { wall_ms_.store(to.ms); }

 private:
  std::atomic<std::int64_t> wall_ms_;
  std::atomic<std::int64_t> monotonic_ms_{0};
};

}  // namespace baton::base
