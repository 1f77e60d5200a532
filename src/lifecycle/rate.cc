#include "lifecycle/rate.h"

#include <algorithm>
#include <cmath>

namespace baton::lifecycle {
namespace {

// The time that one start takes up, in microseconds.
std::int64_t interval_us(const RateLimit& limit) {
  return std::max<std::int64_t>(1, std::llround(1'000'000.0 / limit.per_second));
}

std::int64_t micros(Time time) { return time.ms * 1000; }

}  // namespace

int rate_allows(const RateState& state, const RateLimit& limit, Time now, int wanted) {
  const std::int64_t interval = interval_us(limit);
  const std::int64_t window_end = micros(now) + limit.burst * interval;
  const std::int64_t used_up_to = std::max(state.busy_until_us, micros(now));
  const std::int64_t free = (window_end - used_up_to) / interval;
  return static_cast<int>(std::clamp<std::int64_t>(free, 0, wanted));
}

void rate_take(RateState& state, const RateLimit& limit, Time now, int count) {
  state.busy_until_us = std::max(state.busy_until_us, micros(now)) + count * interval_us(limit);
}

Time rate_next(const RateState& state, const RateLimit& limit, Time now) {
  const std::int64_t interval = interval_us(limit);
  const std::int64_t at_us = state.busy_until_us - (limit.burst - 1) * interval;
  const std::int64_t at_ms = at_us / 1000 + (at_us % 1000 > 0 ? 1 : 0);
  return std::max(now, Time{at_ms});
}

}  // namespace baton::lifecycle
