// One step of a run as the model and the checkers see it: what was asked, what was answered, what
// changed, and the rows as they are now. Borrowed; valid during the step only.
#pragma once

#include <vector>

#include "sim/world/node.h"

namespace baton::sim {

struct StepView {
  int number = 0;
  Time now;
  const std::vector<Command>& commands;
  const Turn& turn;
  const Node& node;
};

}  // namespace baton::sim
