// A moment on the monotonic clock until which something has to be done. A value; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/clock.h"
#include "baton/result.h"

namespace baton::client {

class Deadline {
 public:
  static Deadline in(Duration wait) { return Deadline(base::SystemClock().monotonic() + wait); }

  // For poll(): what is left, 0 when nothing is.
  int left_ms() const {
    const std::int64_t left = at_.ms - base::SystemClock().monotonic().ms;
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
  }

 private:
  explicit Deadline(Duration at) : at_(at) {}

  Duration at_;
};

}  // namespace baton::client
