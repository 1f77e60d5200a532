// How many executions of a queue may start within a time: `per_second` on average, `burst` at
// once. The state is one point in time, after the generic cell rate algorithm. Pure.
#pragma once

#include <cstdint>

#include "baton/queue.h"

namespace baton::lifecycle {

struct RateState {
  std::int64_t busy_until_ns = 0;  // when all that was allowed so far is used up
};

// How many may start now, at most `wanted`.
int rate_allows(const RateState& state, const RateLimit& limit, Time now, int wanted);

// `count` started now; they were allowed.
void rate_take(RateState& state, const RateLimit& limit, Time now, int count);

// The first millisecond at which one may start.
Time rate_next(const RateState& state, const RateLimit& limit, Time now);

}  // namespace baton::lifecycle
