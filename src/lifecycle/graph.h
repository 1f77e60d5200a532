// Dependencies inside one batch: an order in which the jobs can be made, how deep each stands, and
// which of them cannot be made. Pure. Jobs outside the batch exist already, so that cycles are
// possible only within it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/error.h"

namespace baton::lifecycle {

struct GraphNode {
  std::vector<int> inside;  // jobs of the same batch that it waits for, by their index
  int outside_depth = 0;    // the deepest unfinished dependency outside the batch; 0 for none
};

struct GraphPlan {
  std::vector<int> order;  // every job that can be made, dependencies first, else as submitted
  std::vector<int> depth;  // by index: jobs on the longest unfinished chain, itself included
  std::vector<std::optional<base::Error>> refused;  // by index: dependency_cycle,
                                                    // dependency_too_deep, unknown_dependency
};

GraphPlan plan_batch(std::span<const GraphNode> nodes);

}  // namespace baton::lifecycle
