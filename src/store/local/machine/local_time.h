// The time of a local store: the wall clock when it was opened, but never before the last time it
// stored, and from then on the steady clock. A wall clock that jumps moves nothing; one that is
// wrong when the store is opened would, so it is looked at first. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "baton/result.h"

namespace baton::store::local {

class LocalTime {
 public:
  LocalTime(const base::Clock& clock, Time last_stored)
      : clock_(clock),
        start_(std::max(clock.wall(), last_stored)),
        steady_start_(clock.monotonic()) {}

  Time now() const { return start_ + Duration{clock_.monotonic().ms - steady_start_.ms}; }

 private:
  const base::Clock& clock_;
  Time start_;
  Duration steady_start_;
};

struct ClockCheck {
  Time wall;
  Time last_stored;  // unset: nothing was ever stored
  std::int64_t live_jobs = 0;
  bool accepted = false;
};

// store_unavailable with the field "accept_clock": the wall clock is more than 30 days after the
// last stored time, jobs live whose times it would end, and nobody has accepted that.
Status check_clock(const ClockCheck& check);

// What is to be told when the wall clock is behind the last stored time; else empty.
std::string clock_notice(Time wall, Time last_stored);

}  // namespace baton::store::local
