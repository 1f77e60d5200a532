#include "lifecycle/rate.h"

#include <algorithm>
#include <cmath>

namespace baton::lifecycle {
namespace {

constexpr std::int64_t kNanosInMilli = 1'000'000;

// The time that one start takes up, in nanoseconds: a million in a second are a thousand each.
std::int64_t interval_ns(const RateLimit& limit) {
  return std::max<std::int64_t>(1, std::llround(1'000'000'000.0 / limit.per_second));
}

std::int64_t nanos(Time time) { return time.ms * kNanosInMilli; }

}  // namespace

int rate_allows(const RateState& state, const RateLimit& limit, Time now, int wanted) {
  const std::int64_t interval = interval_ns(limit);
  const std::int64_t window_end = nanos(now) + limit.burst * interval;
  const std::int64_t used_up_to = std::max(state.busy_until_ns, nanos(now));
  const std::int64_t free = (window_end - used_up_to) / interval;
  return static_cast<int>(std::clamp<std::int64_t>(free, 0, wanted));
}

void rate_take(RateState& state, const RateLimit& limit, Time now, int count) {
  state.busy_until_ns = std::max(state.busy_until_ns, nanos(now)) + count * interval_ns(limit);
}

Time rate_next(const RateState& state, const RateLimit& limit, Time now) {
  const std::int64_t interval = interval_ns(limit);
  const std::int64_t at_ns = state.busy_until_ns - (limit.burst - 1) * interval;
  const std::int64_t at_ms = at_ns / kNanosInMilli + (at_ns % kNanosInMilli > 0 ? 1 : 0);
  return std::max(now, Time{at_ms});
}

}  // namespace baton::lifecycle
