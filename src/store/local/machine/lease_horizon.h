// Up to when leases may end. A lease must not end while a call that could extend it waits
// somewhere, so each horizon is first announced: a time, and how many commands had come once
// everything that had arrived by that time was handed over. It holds from the turn on that takes
// the last of these. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace baton::store::local {

class LeaseHorizon {
 public:
  // Commands since the start.
  struct Commands {
    std::uint64_t posted = 0;
    std::uint64_t taken = 0;  // by turns, the one that begins included
  };

  explicit LeaseHorizon(Time start) : at_(start) {}

  // All that arrived by `time` is among the first `posted` commands. While an earlier announcement
  // does not hold yet, this one is left out.
  void announce(Time time, std::uint64_t posted) {
    if (!next_) next_ = {time, posted};
  }
  bool is_announced() const { return next_.has_value(); }

  // For the turn that begins now.
  Time at_turn(const Commands& commands) {
    if (next_ && commands.taken >= next_->posted) {
      at_ = std::max(at_, next_->time);
      next_.reset();
    }
    return at_;
  }

 private:
  struct Announced {
    Time time;
    std::uint64_t posted = 0;
  };

  Time at_;
  std::optional<Announced> next_;
};

}  // namespace baton::store::local
