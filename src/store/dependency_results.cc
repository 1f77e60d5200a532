#include "store/dependency_results.h"

#include <algorithm>
#include <string>

#include "lifecycle/payload_class.h"

namespace baton::store {
namespace {

// In the order in which the submission names them, each once. A FAN_IN's children follow their
// parent.
class NamedJobs {
 public:
  NamedJobs(const DependencyLookUp& look_up, std::size_t most) : look_up_(look_up), most_(most) {}

  Status add(const Submission& spec) {
    for (const Dependency& group : spec.depends_on) {
      for (const std::string& text : group.jobs) {
        const std::optional<JobId> id = parse_job_id(text);
        if (!id || !has_room()) continue;
        add(*id);
        if (group.type != DependencyType::kFanIn) continue;
        if (const Status added = add_children(*id); !added) return added.error();
      }
    }
    return Ok{};
  }

  const std::vector<JobId>& all() const { return jobs_; }

 private:
  bool has_room() const { return jobs_.size() < most_; }

  void add(const JobId& id) {
    if (std::find(jobs_.begin(), jobs_.end(), id) == jobs_.end()) jobs_.push_back(id);
  }

  Status add_children(const JobId& parent) {
    if (!has_room()) return Ok{};
    const auto children = look_up_.children(parent);
    if (!children) return children.error();
    for (const JobId& child : *children) {
      if (!has_room()) break;
      const auto newest = newest_copy(child);
      if (!newest) return newest.error();
      add(*newest);
    }
    return Ok{};
  }

  // A FAN_IN counts the copy of a child in its place.
  Result<JobId> newest_copy(JobId id) const {
    for (int copies = 0; copies < kMostCopies; ++copies) {
      const auto next = look_up_.redriven_to(id);
      if (!next) return next.error();
      if (next->is_nil()) break;
      id = *next;
    }
    return id;
  }

  const DependencyLookUp& look_up_;
  const std::size_t most_;
  std::vector<JobId> jobs_;
};

}  // namespace

bool has_dependencies(const ClaimedJob& claimed) {
  return claimed.record && !claimed.record->spec->depends_on.empty();
}

ResultRoom room_for_results(const std::vector<ClaimedJob>& executions) {
  std::size_t shown = 0;
  for (const ClaimedJob& one : executions) {
    if (one.record) shown += one.record->spec->payload.size() + one.record->checkpoint.size();
  }
  return {.bytes = lifecycle::kMaxClaimBytes - std::min(shown, lifecycle::kMaxClaimBytes)};
}

Status bring_dependency_results(ClaimedJob& claimed, const DependencyLookUp& look_up,
                                ResultRoom& left) {
  if (!has_dependencies(claimed)) return Ok{};
  NamedJobs named(look_up, std::min(kMaxDependencyResults, left.jobs));
  if (const Status added = named.add(*claimed.record->spec); !added) return added.error();
  std::size_t own_left = kMaxInlineResults;
  for (const JobId& id : named.all()) {
    auto found = look_up.result(id, std::min({kMaxInlineResult, own_left, left.bytes}));
    if (!found) return found.error();
    const std::size_t bytes = found->result ? found->result->bytes.size() : 0;
    own_left -= bytes;
    left.bytes -= bytes;
    --left.jobs;
    claimed.dependency_results.push_back(std::move(*found));
  }
  return Ok{};
}

DependencyResult dependency_result(const JobId& id, const lifecycle::JobFacts& facts,
                                   const Outcome* result, std::size_t most) {
  DependencyResult one{.job = id, .state = std::string(facts.terms->profile->word(facts.state))};
  if (result == nullptr) return one;
  if (result->bytes.size() > most) {
    one.result_bytes = static_cast<std::int64_t>(result->bytes.size());
  } else {
    one.result = *result;
  }
  return one;
}

}  // namespace baton::store
