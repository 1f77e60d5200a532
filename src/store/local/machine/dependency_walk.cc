#include "store/local/machine/dependency_walk.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace baton::store::local {

bool DependencyWalk::is_unfinished(SlotIndex slot) const {
  return slot != kNoSlot && !is_terminal(core_.slots[slot].state);
}

// With a stack of its own: a job is done when all that it waits for are.
std::optional<int> DependencyWalk::depth_of(const JobId& id) {
  struct Open {
    JobId id;
    std::size_t next = 0;  // among its dependencies
    int deepest = 0;
  };
  std::vector<Open> open = {{id}};
  int result = 0;
  while (!open.empty()) {
    Open& top = open.back();
    const SlotIndex slot = core_.slots.find(top.id);
    const auto known = depths_.find(top.id);
    int depth = known != depths_.end() ? known->second : 0;
    if (known == depths_.end() && is_unfinished(slot)) {
      // Once it may run, it waits for nobody: a job that left PENDING stands at the end of a chain,
      // whatever else it named. What a store keeps of it says no more.
      const bool waits = lifecycle::is_before_schedule(core_.slots[slot].state);
      const Extras* extras = waits ? core_.slots[slot].extras.get() : nullptr;
      // Children of what is waited for are not counted: nobody named them.
      while (extras && top.next < extras->dependencies.size() &&
             !extras->dependencies[top.next].named)
        ++top.next;
      if (extras && top.next < extras->dependencies.size()) {
        open.push_back({extras->dependencies[top.next].job});
        continue;
      }
      if (++visited_ > kMostVisited) return std::nullopt;
      depth = top.deepest + 1;
      depths_.emplace(top.id, depth);
      if (core_.slots[slot].extras) core_.slots[slot].extras->depth = depth;
    }
    open.pop_back();
    result = depth;
    if (!open.empty()) {
      ++open.back().next;
      open.back().deepest = std::max(open.back().deepest, depth);
    }
  }
  return result;
}

std::optional<bool> DependencyWalk::meets_fan_in(const JobId& start, bool children,
                                                 const JobId& parent) {
  // Mostly nobody does, and then there is nothing to look for.
  if (!anybody_fans_in_) anybody_fans_in_ = core_.may_be_fanned_in(parent, kMostVisited);
  if (!*anybody_fans_in_) return false;
  std::vector<JobId> open = {start};
  const auto add_children = [&](const JobId& id) {
    const auto known = core_.children_of(id);
    if (known) open.insert(open.end(), known->begin(), known->end());
  };
  if (children) add_children(start);
  while (!open.empty()) {
    const JobId id = open.back();
    open.pop_back();
    const SlotIndex slot = core_.slots.find(id);
    if (!is_unfinished(slot) || !seen_.insert(id).second) continue;
    if (++visited_ > kMostVisited) return std::nullopt;
    const auto& extras = core_.slots[slot].extras;
    // Once it may run, it waits for nobody.
    if (!extras || !lifecycle::is_before_schedule(core_.slots[slot].state)) continue;
    for (const Wait& wait : extras->dependencies) {
      const bool fans_in = wait.named && extras->groups[wait.group].type == DependencyType::kFanIn;
      if (fans_in && wait.job == parent) {
        seen_.clear();
        return true;
      }
      open.push_back(wait.job);
      // Children of one that ended are named by themselves once the job was told of its end.
      if (fans_in && core_.is_awaited(wait.job)) add_children(wait.job);
    }
  }
  return false;
}

}  // namespace baton::store::local
