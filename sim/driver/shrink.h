// Looks for a shorter run with the same violation: fewer steps, then as few of them as possible.
#pragma once

#include "sim/world/run.h"

namespace baton::sim {

// A plan that still violates `invariant`, with steps cut off and left out. Tries at most
// `attempts` runs, each in a process of its own.
RunPlan shrink(const RunPlan& plan, const Violation& violation, int attempts);

}  // namespace baton::sim
