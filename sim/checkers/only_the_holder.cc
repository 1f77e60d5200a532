#include <algorithm>
#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// A call succeeds only with the token of the execution that it names, and only while that
// execution is its job's latest one.
class OnlyTheHolder final : public Checker {
 public:
  std::string_view name() const override { return "only the holder of a lease is heard"; }

  void each_step(const StepView& step, Findings& findings) override {
    // Nobody can have the token of an execution that this very step made, so calls come first.
    for_each_command<WorkCall>(step, [&](const WorkCall& call, const Answer& answer) {
      if (std::holds_alternative<store::CallAnswer>(answer)) check(call, findings);
    });
    for_each<JobChange>(step, [&](const JobChange& change) {
      const lifecycle::ExecutionFacts& execution = change.facts.execution;
      if (change.facts.attempt == 0) return;
      tokens_.emplace(execution_id(change.id, execution.attempt), execution.token);
      int& latest = latest_[change.id];
      latest = std::max(latest, execution.attempt);
    });
  }

 private:
  // A call that succeeded.
  void check(const WorkCall& call, Findings& findings) const {
    const int attempt = call.execution.attempt();
    const std::string what = std::string(baton::name(call.kind())) + " of attempt " +
                             std::to_string(attempt) + " of " + shown(call.execution.job());
    const auto token = tokens_.find(call.execution);
    if (token == tokens_.end() || token->second != call.token) {
      findings.add(name(), "a " + what + " succeeded with a wrong token");
    }
    const auto latest = latest_.find(call.execution.job());
    if (latest != latest_.end() && attempt < latest->second) {
      findings.add(name(), "a " + what + " succeeded after a later claim");
    }
  }

  std::map<ExecutionId, LeaseToken> tokens_;
  std::map<JobId, int> latest_;
};

}  // namespace

std::unique_ptr<Checker> make_only_the_holder() { return std::make_unique<OnlyTheHolder>(); }

}  // namespace baton::sim
