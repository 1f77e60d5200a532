// Counts what happens in a run: commands by outcome, transitions by trigger. It shows whether the
// runs reach what they are meant to test.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/world/step_view.h"

namespace baton::sim {

class Tally {
 public:
  void add(const StepView& step);
  const std::map<std::string, std::int64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace baton::sim
