#include <map>
#include <set>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// A job waits for others exactly as long as it must. Looks at the rows alone; how deleted jobs
// ended is remembered.
class DependentsNotStuck final : public Checker {
 public:
  std::string_view name() const override { return "dependents are never stuck"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      states_[change.id] = change.facts.state;
      if (const JobId parent = spawned_by(change); !parent.is_nil())
        children_[parent].push_back(change.id);
    });
    for_each<store::local::JobRedriven>(step,
                                        [&](const auto& change) { redriven_.insert(change.id); });
    for_each<JobChange>(step, [&](const JobChange& change) {
      for (const auto& entry : change.history) {
        const bool released = entry.trigger == Trigger::kReady || entry.trigger == Trigger::kDelay;
        const auto record = step.node.rows().find(change.id);
        if (released && record && !is_beyond_rows(*record) && must_wait(*record)) {
          findings.add(name(), "job " + shown(change.id) + " did not wait for its dependencies");
        }
      }
    });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for_each_row(step, [&](const JobRecord& record) {
      if (record.facts.state != JobState::kPending) return;
      if (waits_for_itself(step, record)) {
        findings.add(name(), "job " + shown(record.id) + " waits for itself");
      }
      // Dependents follow in steps; until the last one the machine knows of work.
      if (is_beyond_rows(record) || must_wait(record) || step.node.has_work_left(step.now)) return;
      findings.add(name(), "job " + shown(record.id) + " is PENDING and waits for nobody");
    });
  }

 private:
  enum class Group { kWaits, kReady, kBad };

  // Unfinished jobs that the group still waits for.
  std::vector<JobId> open_in(const Dependency& spec) const {
    std::vector<JobId> open;
    const auto add = [&](const JobId& id) {
      const auto found = states_.find(id);
      if (found != states_.end() && !ended(found->second)) open.push_back(id);
    };
    for (const std::string& text : spec.jobs) {
      const auto id = parse_job_id(text);
      if (!id) continue;
      add(*id);
      const auto children = children_.find(*id);
      if (spec.type != DependencyType::kFanIn || children == children_.end()) continue;
      for (const JobId& child : children->second)
        add(child);
    }
    return open;
  }

  // Through whatever stands between.
  bool waits_for_itself(const StepView& step, const JobRecord& record) const {
    std::set<JobId> seen;
    std::vector<JobId> open = {record.id};
    while (!open.empty()) {
      const JobId id = open.back();
      open.pop_back();
      const auto waiting = step.node.rows().find(id);
      if (!waiting || waiting->facts.state != JobState::kPending) continue;
      for (const Dependency& spec : waiting->spec->depends_on) {
        for (const JobId& next : open_in(spec)) {
          if (next == record.id) return true;
          if (seen.insert(next).second) open.push_back(next);
        }
      }
    }
    return false;
  }

  // A child of which a copy was made: which of the two counts depends on when that was.
  bool is_beyond_rows(const JobRecord& record) const {
    for (const Dependency& spec : record.spec->depends_on) {
      if (spec.type != DependencyType::kFanIn) continue;
      for (const std::string& text : spec.jobs) {
        const auto children = children_.find(parse_job_id(text).value_or(JobId{}));
        if (children == children_.end()) continue;
        for (const JobId& child : children->second) {
          if (redriven_.contains(child)) return true;
        }
      }
    }
    return false;
  }

  static bool ended(JobState state) { return state >= JobState::kCompleted; }

  // Whether some group waits and none has ended badly.
  bool must_wait(const JobRecord& record) const {
    bool waits = false;
    for (const Dependency& spec : record.spec->depends_on) {
      const Group group = judge(spec);
      if (group == Group::kBad) return false;
      if (group == Group::kWaits) waits = true;
    }
    return waits;
  }

  Group judge(const Dependency& spec) const {
    int open = 0;
    int good = 0;
    int bad = 0;
    const auto count = [&](const JobId& id) {
      const auto found = states_.find(id);
      const JobState state = found == states_.end() ? JobState::kNone : found->second;
      if (!ended(state)) {
        ++open;
      } else {
        ++(state == JobState::kCompleted ? good : bad);
      }
    };
    for (const std::string& text : spec.jobs) {
      const auto id = parse_job_id(text);
      if (!id) return Group::kWaits;
      count(*id);
      const auto children = children_.find(*id);
      if (spec.type != DependencyType::kFanIn || children == children_.end()) continue;
      for (const JobId& child : children->second)
        count(child);
    }
    switch (spec.type) {
      case DependencyType::kAfter:
        if (bad > 0) return Group::kBad;
        return open > 0 ? Group::kWaits : Group::kReady;
      case DependencyType::kAfterAny:
        return good + bad > 0 ? Group::kReady : Group::kWaits;
      case DependencyType::kFanIn:
        if (open > 0) return Group::kWaits;
        return bad > 0 && !spec.allow_failures ? Group::kBad : Group::kReady;
    }
    return Group::kWaits;
  }

  std::map<JobId, JobState> states_;
  std::map<JobId, std::vector<JobId>> children_;
  std::set<JobId> redriven_;
};

}  // namespace

std::unique_ptr<Checker> make_dependents_not_stuck() {
  return std::make_unique<DependentsNotStuck>();
}

}  // namespace baton::sim
