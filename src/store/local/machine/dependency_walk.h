// Walks over the jobs that others wait for, as far as they have not ended: how deep a job stands,
// and whether it waits for one that fans in on a given parent. A walk remembers what it has seen
// and stops when that is too much, so that no graph makes a submission slow. Lives within one
// command. Internal to the folder.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "store/local/machine/core.h"

namespace baton::store::local {

// Unfinished jobs that one walk may visit.
inline constexpr std::size_t kMostVisited = 10'000;

class DependencyWalk {
 public:
  explicit DependencyWalk(Core& core) : core_(core) {}

  // Jobs on the longest chain of unfinished dependencies that ends here; 0 for an ended job, 1 for
  // one that has left PENDING. It becomes the job's new bound. nullopt: too many jobs.
  std::optional<int> depth_of(const JobId& id);

  // Whether whoever waits for `start` (and for its children, with `children`) waits, through any
  // number of others, for a job that fans in on `parent`. nullopt: too many jobs. One parent for
  // each walk.
  std::optional<bool> meets_fan_in(const JobId& start, bool children, const JobId& parent);

  // Unfinished jobs that the walk has looked at.
  std::size_t visited() const { return visited_; }

 private:
  bool is_unfinished(SlotIndex slot) const;

  Core& core_;
  std::size_t visited_ = 0;
  std::unordered_map<JobId, int> depths_;
  std::unordered_set<JobId> seen_;  // and they do not lead to what is looked for
  std::optional<bool> anybody_fans_in_;
};

}  // namespace baton::store::local
