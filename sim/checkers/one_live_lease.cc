#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// A running job has exactly one execution that is not over, its latest; any other job has none.
class OneLiveLease final : public Checker {
 public:
  std::string_view name() const override { return "one live lease for a job"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each_changed_row(step, [&](const JobRecord& record) { check(record, findings); });
    for_each_command<ClaimRequest>(step, [&](const auto&, const Answer& answer) {
      const auto* claims = std::get_if<store::ClaimAnswer>(&answer);
      if (claims == nullptr) return;
      for (std::size_t i = 0; i < claims->executions.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (claims->executions[i].job == claims->executions[j].job) {
            findings.add(name(), "one claim gave out the same job twice");
          }
        }
      }
    });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for_each_row(step, [&](const JobRecord& record) { check(record, findings); });
  }

 private:
  void check(const JobRecord& record, Findings& findings) const {
    std::size_t live = 0;
    for (const store::ExecutionRecord& execution : record.executions) {
      const ExecutionStatus status = execution.facts.status;
      if (status != ExecutionStatus::kDone && status != ExecutionStatus::kAborted) ++live;
    }
    const bool runs = record.facts.state == JobState::kRunning;
    if (live != (runs ? 1U : 0U)) {
      findings.add(name(), "job " + shown(record.id) + " is " + shown(record.facts.state) +
                               " and has " + std::to_string(live) + " live executions");
    }
    if (runs && record.executions.back().facts.finished_at.is_set()) {
      findings.add(name(), "the latest execution of " + shown(record.id) + " is over and it runs");
    }
  }
};

}  // namespace

std::unique_ptr<Checker> make_one_live_lease() { return std::make_unique<OneLiveLease>(); }

}  // namespace baton::sim
