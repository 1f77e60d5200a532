// The time of a local store: the wall clock when it was opened, but never before the last time it
// stored, and from then on the steady clock. A wall clock that jumps moves nothing. Any thread.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace baton::store::local {

class LocalTime {
 public:
  LocalTime(const base::Clock& clock, base::Time last_stored)
      : clock_(clock),
        start_(std::max(clock.wall(), last_stored)),
        steady_start_(clock.monotonic()) {}

  base::Time now() const {
    return start_ + base::Duration{clock_.monotonic().ms - steady_start_.ms};
  }

 private:
  const base::Clock& clock_;
  base::Time start_;
  base::Duration steady_start_;
};

}  // namespace baton::store::local
