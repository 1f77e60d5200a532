#include "lifecycle/graph.h"

#include <algorithm>
#include <queue>
#include <string>

#include "lifecycle/limits.h"

namespace baton::lifecycle {
namespace {

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

// Finds the jobs that wait for themselves, after Tarjan: the members of every strongly connected
// component of several jobs, and of those of one job that names itself.
class CycleFinder {
 public:
  explicit CycleFinder(std::span<const GraphNode> nodes)
      : nodes_(nodes), met_(nodes.size()), low_(nodes.size()), open_(nodes.size()) {}

  std::vector<bool> find() {
    std::vector<bool> cyclic(nodes_.size(), false);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (met_[i] == 0) visit(i, cyclic);
    }
    return cyclic;
  }

 private:
  // A batch is small enough for the recursion: one level for each job at the most.
  void visit(std::size_t at, std::vector<bool>& cyclic) {
    met_[at] = low_[at] = ++count_;
    open_[at] = true;
    const auto place = static_cast<std::ptrdiff_t>(path_.size());
    path_.push_back(at);
    bool names_itself = false;
    for (const int dependency : nodes_[at].inside) {
      const auto next = static_cast<std::size_t>(dependency);
      names_itself = names_itself || next == at;
      if (met_[next] == 0) visit(next, cyclic);
      if (open_[next]) low_[at] = std::min(low_[at], low_[next]);
    }
    if (low_[at] != met_[at]) return;
    const auto first = path_.begin() + place;
    const bool alone = std::next(first) == path_.end();
    for (auto member = first; member != path_.end(); ++member) {
      open_[*member] = false;
      cyclic[*member] = !alone || names_itself;
    }
    path_.erase(first, path_.end());
  }

  std::span<const GraphNode> nodes_;
  std::vector<int> met_;           // by index: the order of the first visit; 0 for none yet
  std::vector<int> low_;           // by index: the earliest job of the path that it leads back to
  std::vector<bool> open_;         // by index: on the path
  std::vector<std::size_t> path_;  // visited, and not yet told apart
  int count_ = 0;
};

Error refused(Code code, std::string message) {
  return {code, std::move(message), "depends_on", {}};
}

}  // namespace

GraphPlan plan_batch(std::span<const GraphNode> nodes) {
  const std::vector<bool> cyclic = CycleFinder(nodes).find();
  GraphPlan plan;
  plan.order = topological_order(edges_of(nodes));
  for (const bool one : cyclic) {
    plan.refused.emplace_back(
        one ? refused(Code::kDependencyCycle, "the job waits for itself")
            : refused(Code::kUnknownDependency, "depends on a job that was refused"));
  }
  for (const int index : plan.order)
    plan.refused[static_cast<std::size_t>(index)].reset();
  return plan;
}

Status check_depth(int depth) {
  if (depth <= kMaxDepth) return Ok{};
  return refused(Code::kDependencyTooDeep, "a chain of unfinished dependencies may have at most " +
                                               std::to_string(kMaxDepth) + " jobs");
}

}  // namespace baton::lifecycle
