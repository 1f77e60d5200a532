// Dependencies inside one batch: an order in which the jobs can be made, and which of them cannot
// be made. Pure. Jobs outside the batch exist already, so that cycles are possible only within it.
// How deep a job stands is for the store to find out, because a duplicate stands where the existing
// job does; here is only how deep it may.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "baton/result.h"

namespace baton::lifecycle {

struct GraphNode {
  std::vector<int> inside;  // jobs of the same batch that it waits for, by their index
};

struct GraphPlan {
  std::vector<int> order;  // every job that can be made, dependencies first, else as submitted
  std::vector<std::optional<Error>> refused;  // by index: dependency_cycle, or
                                              // unknown_dependency behind a cycle
};

GraphPlan plan_batch(std::span<const GraphNode> nodes);

// `depth` is the number of jobs on the longest chain of unfinished dependencies, the new one
// included. Refused with dependency_too_deep.
Status check_depth(int depth);

}  // namespace baton::lifecycle
