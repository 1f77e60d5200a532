#include "sim/model/observed.h"

#include <utility>

namespace baton::sim {

using store::local::JobChange;
using store::local::JobGone;

Observed::Observed(const store::local::Turn& turn) {
  const store::local::WaitOver* before = nullptr;  // the change before, if it is one
  for (const auto& change : turn.changes) {
    const auto* told = std::exchange(before, std::get_if<store::local::WaitOver>(&change));
    if (before != nullptr) waits_over_.push_back(before);
    if (const auto* gone = std::get_if<JobGone>(&change)) gone_.push_back(gone->id);
    const auto* job = std::get_if<JobChange>(&change);
    if (job == nullptr) continue;
    if (job->made) made_.push_back(job);
    for (const HistoryEntry& entry : job->history) {
      const bool follows = told != nullptr && told->job == job->id;
      entries_.push_back({entries_.size(), entry, job, follows ? told : nullptr, false});
    }
  }
}

SeenEntry* Observed::entry(const JobId& job, std::int64_t seq) {
  for (SeenEntry& seen : entries_) {
    if (seen.entry.seq == seq && seen.change->id == job) return &seen;
  }
  return nullptr;
}

std::vector<const JobChange*> Observed::children_of(const JobId& parent) const {
  std::vector<const JobChange*> children;
  for (const JobChange* change : made_) {
    if (spawned_by(*change) == parent) children.push_back(change);
  }
  return children;
}

const JobChange* Observed::made(const JobId& job) const {
  for (const JobChange* change : made_) {
    if (change->id == job) return change;
  }
  return nullptr;
}

const SeenEntry* Observed::left_over() const {
  for (const SeenEntry& seen : entries_) {
    if (!seen.used) return &seen;
  }
  return nullptr;
}

}  // namespace baton::sim
