// One seed, one run: the actors take turns on a virtual clock, the model and the checkers look at
// every step, and at the end the faults stop and everything must drain. The same plan gives the
// same run, to the last bit. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/findings.h"
#include "sim/world/mix.h"

namespace baton::sim {

struct RunPlan {
  std::uint64_t seed = 1;
  int steps = 1000;
  const Mix* mix = nullptr;
  std::set<int> skipped;  // steps in which nobody does anything
  // Called with every step in words; empty: steps are not put into words.
  std::function<void(const std::vector<std::string>&)> trace;
  int* progress = nullptr;  // the number of the step, for somebody who watches
  bool count = false;       // fill `counts`
  std::string sought;       // what is reported if a step violates several (findings.h)
};

struct RunReport {
  std::optional<Violation> violation;
  int step = 0;  // where it was found, or the last one
  std::uint64_t digest = 0;
  std::int64_t jobs = 0;
  std::map<std::string, std::int64_t> counts;  // what happened how often
};

RunReport run(const RunPlan& plan);

}  // namespace baton::sim
