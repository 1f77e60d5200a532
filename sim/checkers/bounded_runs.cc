#include <algorithm>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// No job runs more often than it may, and every run has its row.
class BoundedRuns final : public Checker {
 public:
  std::string_view name() const override { return "bounded runs"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each_changed_row(step, [&](const JobRecord& record) {
      const lifecycle::JobFacts& facts = record.facts;
      const int most = facts.terms->retry.max_attempts;
      const auto given_back = std::count_if(
          record.executions.begin(), record.executions.end(),
          [](const auto& one) { return one.failure && one.failure->code == "released"; });
      const int free =
          std::min(static_cast<int>(given_back), facts.terms->profile->policy.free_releases);
      if (facts.attempt - free > most || facts.retry_count > most) {
        findings.add(name(), "job " + shown(record.id) + " is at attempt " +
                                 std::to_string(facts.attempt) + " of " + std::to_string(most) +
                                 " and was retried " + std::to_string(facts.retry_count) +
                                 " times");
      }
      if (record.executions.size() != static_cast<std::size_t>(facts.attempt)) {
        findings.add(name(), "job " + shown(record.id) + " is at attempt " +
                                 std::to_string(facts.attempt) + " and has " +
                                 std::to_string(record.executions.size()) + " executions");
      }
    });
  }
};

}  // namespace

std::unique_ptr<Checker> make_bounded_runs() { return std::make_unique<BoundedRuns>(); }

}  // namespace baton::sim
