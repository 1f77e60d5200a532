#include "lifecycle/graph.h"

#include <algorithm>
#include <queue>
#include <string>

#include "lifecycle/limits.h"

namespace baton::lifecycle {
namespace {

using base::Code;
using base::Error;

struct Edges {
  std::vector<std::vector<int>> dependents;  // by index: who waits for it
  std::vector<int> waits;                    // by index: how many it waits for
};

Edges edges_of(std::span<const GraphNode> nodes) {
  Edges edges;
  edges.dependents.resize(nodes.size());
  edges.waits.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const int dependency : nodes[i].inside) {
      edges.dependents[static_cast<std::size_t>(dependency)].push_back(static_cast<int>(i));
    }
    edges.waits[i] = static_cast<int>(nodes[i].inside.size());
  }
  return edges;
}

// Dependencies first; among those that could come next, the lowest index.
std::vector<int> topological_order(const Edges& edges) {
  std::vector<int> waits = edges.waits;
  std::priority_queue<int, std::vector<int>, std::greater<>> free;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i] == 0) free.push(static_cast<int>(i));
  }
  std::vector<int> order;
  while (!free.empty()) {
    const int next = free.top();
    free.pop();
    order.push_back(next);
    for (const int dependent : edges.dependents[static_cast<std::size_t>(next)]) {
      if (--waits[static_cast<std::size_t>(dependent)] == 0) free.push(dependent);
    }
  }
  return order;
}

// Of the jobs left over by the order, those on a cycle; the others only wait for one of them.
std::vector<bool> on_cycle(std::span<const GraphNode> nodes, const std::vector<int>& order) {
  std::vector<bool> left(nodes.size(), true);
  for (const int index : order)
    left[static_cast<std::size_t>(index)] = false;
  bool changed = true;
  while (changed) {
    std::vector<bool> needed(nodes.size(), false);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!left[i]) continue;
      for (const int dependency : nodes[i].inside) {
        needed[static_cast<std::size_t>(dependency)] = true;
      }
    }
    changed = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (left[i] && !needed[i]) {
        left[i] = false;
        changed = true;
      }
    }
  }
  return left;
}

Error refused(Code code, std::string message) {
  return {code, std::move(message), "depends_on", {}};
}

}  // namespace

GraphPlan plan_batch(std::span<const GraphNode> nodes) {
  const std::vector<int> order = topological_order(edges_of(nodes));
  const std::vector<bool> cyclic = on_cycle(nodes, order);
  GraphPlan plan;
  plan.depth.resize(nodes.size());
  plan.refused.resize(nodes.size());
  std::vector<bool> placed(nodes.size(), false);
  for (const int index : order) {
    const auto at = static_cast<std::size_t>(index);
    int deepest = nodes[at].outside_depth;
    bool broken = false;
    for (const int dependency : nodes[at].inside) {
      deepest = std::max(deepest, plan.depth[static_cast<std::size_t>(dependency)]);
      broken = broken || plan.refused[static_cast<std::size_t>(dependency)].has_value();
    }
    placed[at] = true;
    plan.depth[at] = deepest + 1;
    if (broken) {
      plan.refused[at] = refused(Code::kUnknownDependency, "depends on a job that was refused");
    } else if (plan.depth[at] > kMaxDepth) {
      plan.refused[at] =
          refused(Code::kDependencyTooDeep, "a chain of unfinished dependencies may have at most " +
                                                std::to_string(kMaxDepth) + " jobs");
    } else {
      plan.order.push_back(index);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (placed[i]) continue;
    plan.refused[i] = cyclic[i]
                          ? refused(Code::kDependencyCycle, "the job waits for itself")
                          : refused(Code::kUnknownDependency, "depends on a job that was refused");
  }
  return plan;
}

}  // namespace baton::lifecycle
