// Looking up jobs: in memory, and where they ended in an earlier turn, in the archive. Nothing here
// reads a row that is not needed, or twice within a command.
#include "store/local/commands/handlers.h"
#include "store/local/machine/core.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {

void Core::begin_command() {
  lookups_ = 0;
  // What one command looked up serves those after it, but is no memory of the whole turn.
  if (looked_up_.size() > tuning_.rows_per_command) looked_up_.clear();
}

Result<Core::LookedUp*> Core::look_up(const JobId& id) {
  if (is_gone(id)) return nullptr;
  const auto known = looked_up_.find(id);
  if (known != looked_up_.end()) return known->second.get();
  ++lookups_;
  auto found = archive_.facts(id);
  if (!found) return found.error();
  if (!*found) return nullptr;
  auto& kept = looked_up_[id];
  kept = std::make_unique<LookedUp>(LookedUp{std::move(**found), {}});
  const auto redriven = redriven_.find(id);
  if (redriven != redriven_.end()) local::apply(kept->job, redriven->second);
  return kept.get();
}

Result<const ArchivedJob*> Core::archived(const JobId& id) {
  const auto found = look_up(id);
  if (!found) return found.error();
  return *found == nullptr ? nullptr : &(*found)->job;
}

Result<FoundJob> Core::find(const JobId& id, Time arrived) {
  const SlotIndex slot = slots.find(id);
  if (slot != kNoSlot) {
    lifecycle::JobFacts job = slots.load(slot);
    Time as_of = job.state == JobState::kRunning ? lease_horizon_ : now_;
    if (arrived.is_set()) as_of = arrived;
    if (lifecycle::first_due(job, as_of)) {
      settle(slot);
      settle_dependents();
      job = slots.load(slot);
      as_of = now_;
    }
    JobId redriven_to;
    if (const auto redriven = redriven_.find(id); redriven != redriven_.end()) {
      redriven_to = redriven->second.to;
      job.version = redriven->second.version;
    }
    return FoundJob{slot, as_of, job, nullptr, redriven_to};
  }
  const auto found = archived(id);
  if (!found) return found.error();
  if (*found == nullptr) return no_such_job();
  return FoundJob{kNoSlot, now_, (*found)->facts, *found, (*found)->redriven_to};
}

Result<JobState> Core::state_of(const JobId& id) {
  const SlotIndex slot = slots.find(id);
  if (slot != kNoSlot) return slots[slot].state;
  const auto found = archived(id);
  if (!found) return found.error();
  return *found == nullptr ? JobState::kNone : (*found)->facts.state;
}

Result<std::vector<JobId>> Core::children_of(const JobId& parent) {
  const SlotIndex slot = slots.find(parent);
  if (slot != kNoSlot) {
    return slots[slot].extras ? slots[slot].extras->children : std::vector<JobId>();
  }
  const auto found = look_up(parent);
  if (!found) return found.error();
  if (*found == nullptr) return std::vector<JobId>();
  LookedUp& known = **found;
  if (!known.children) {
    ++lookups_;
    auto children = archive_.children(parent);
    if (!children) return children.error();
    known.children = std::move(*children);
  }
  return *known.children;
}

Result<JobId> Core::newest_copy(const JobId& id) {
  JobId newest = id;
  for (int copies = 0; copies < kMostCopies; ++copies) {
    JobId next;
    if (slots.find(newest) != kNoSlot) {
      const auto redriven = redriven_.find(newest);
      if (redriven != redriven_.end()) next = redriven->second.to;
    } else {
      const auto found = archived(newest);
      if (!found) return found.error();
      if (*found != nullptr) next = (*found)->redriven_to;
    }
    if (next.is_nil()) return newest;
    ++copies_followed_;
    newest = next;
  }
  return Error{Code::kDependencyTooWide,
               "job " + to_string(id) + " was redriven, and its copies in turn, more than " +
                   std::to_string(kMostCopies) + " times",
               "depends_on",
               {}};
}

// Changes are indexed when somebody first asks for those of a job, and then only the new ones.
void Core::index_changes() {
  for (; indexed_ < turn_->changes.size(); ++indexed_) {
    const RowChange& change = turn_->changes[indexed_];
    if (const auto* job = std::get_if<JobChange>(&change)) changes_of_[job->id].push_back(indexed_);
    if (const auto* copied = std::get_if<JobRedriven>(&change)) {
      changes_of_[copied->id].push_back(indexed_);
    }
  }
}

Result<std::shared_ptr<const JobRecord>> Core::record(const JobId& id) {
  if (is_gone(id)) return no_such_job();
  ++lookups_;
  const auto before = archive_.record(id);
  if (!before) return before.error();
  index_changes();
  const auto changes = changes_of_.find(id);
  if (changes == changes_of_.end()) {
    if (*before == nullptr) return no_such_job();
    return *before;
  }
  auto now = *before ? std::make_shared<JobRecord>(**before) : std::make_shared<JobRecord>();
  for (const std::size_t index : changes->second) {
    const RowChange& change = turn_->changes[index];
    const auto* redriven = std::get_if<JobRedriven>(&change);
    redriven != nullptr ? local::apply(*now, *redriven)
                        : local::apply(*now, std::get<JobChange>(change));
  }
  return std::shared_ptr<const JobRecord>(std::move(now));
}

Result<std::optional<LeaseToken>> Core::token(const JobId& id, int attempt) {
  index_changes();
  const auto changes = changes_of_.find(id);
  if (changes != changes_of_.end()) {
    for (const std::size_t index : changes->second) {
      const auto* change = std::get_if<JobChange>(&turn_->changes[index]);
      if (change == nullptr) continue;
      const lifecycle::ExecutionFacts& execution = change->facts.execution;
      if (change->execution_changed && execution.attempt == attempt) {
        return std::optional(execution.token);
      }
    }
  }
  ++lookups_;
  return archive_.token(id, attempt);
}

}  // namespace baton::store::local
