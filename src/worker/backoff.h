// How long to wait before a store that is away is asked again: twice as long each time, up to a
// limit, and never the same for two workers that lost it at the same moment. One thread.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "baton/options.h"

namespace baton::worker {

class Backoff {
 public:
  Backoff(Patience patience, std::uint64_t seed) : patience_(patience), random_(seed) {}

  // The wait after one more failure, at most `most`: between half of what is planned and all of it.
  Duration next(Duration most);
  // The store answered.
  void reset() { planned_ = Duration(0); }

 private:
  Patience patience_;
  base::Random random_;
  Duration planned_{0};
};

}  // namespace baton::worker
