#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// At most one execution of a job commits, ever, and it commits once.
class OneCommitted final : public Checker {
 public:
  std::string_view name() const override { return "one COMMITTED execution for a job"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      const lifecycle::ExecutionFacts& execution = change.facts.execution;
      if (change.facts.attempt == 0 || !execution.committed_at.is_set()) return;
      const Commit commit{execution.attempt, execution.committed_at};
      const auto [known, first] = commits_.emplace(change.id, commit);
      if (!first && !(known->second == commit)) {
        findings.add(name(), "job " + shown(change.id) + " committed in attempt " +
                                 std::to_string(known->second.attempt) + " and again in attempt " +
                                 std::to_string(commit.attempt));
      }
      if (execution.status == ExecutionStatus::kAborted) {
        findings.add(name(), "a committed execution of " + shown(change.id) + " was aborted");
      }
    });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for_each_row(step, [&](const JobRecord& record) {
      int committed = 0;
      for (const store::ExecutionRecord& execution : record.executions) {
        const ExecutionStatus status = execution.facts.status;
        if (status == ExecutionStatus::kCommitted || status == ExecutionStatus::kDone) ++committed;
      }
      if (committed > 1) {
        findings.add(name(), "job " + shown(record.id) + " has " + std::to_string(committed) +
                                 " committed executions");
      }
      const bool completed = record.facts.state == JobState::kCompleted;
      if (completed && committed == 0) {
        findings.add(name(), "job " + shown(record.id) + " completed without a commit");
      }
    });
  }

 private:
  struct Commit {
    int attempt = 0;
    Time at;
    friend bool operator==(const Commit&, const Commit&) = default;
  };
  std::map<JobId, Commit> commits_;
};

}  // namespace

std::unique_ptr<Checker> make_one_committed() { return std::make_unique<OneCommitted>(); }

}  // namespace baton::sim
