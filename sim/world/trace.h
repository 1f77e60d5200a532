// Steps of a run in words, for a person who looks for the cause of a violation.
#pragma once

#include <string>
#include <vector>

#include "sim/world/step_view.h"

namespace baton::sim {

// The step's time, commands, answers and changes, one line each.
std::vector<std::string> describe(const StepView& step);

}  // namespace baton::sim
