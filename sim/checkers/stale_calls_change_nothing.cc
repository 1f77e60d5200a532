#include <algorithm>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// A refused call leaves no trace: whatever happened to its job in the step happened by itself.
class StaleCallsChangeNothing final : public Checker {
 public:
  std::string_view name() const override { return "refused calls change nothing"; }

  void each_step(const StepView& step, Findings& findings) override {
    for (std::size_t i = 0; i < step.commands.size(); ++i) {
      const auto* call = std::get_if<WorkCall>(&step.commands[i]);
      if (call == nullptr || !std::holds_alternative<Error>(step.turn.answers[i])) continue;
      const JobId job = call->execution.job();
      if (concerned_by_others(step, i, job)) continue;
      for_each<JobChange>(step, [&](const JobChange& change) {
        const bool own = change.id == job && !happened_by_itself(change);
        if (own || spawned_by(change) == job) {
          findings.add(name(), "a refused " + std::string(baton::name(call->kind())) +
                                   " changed job " + shown(change.id));
        }
      });
    }
  }

 private:
  static bool happened_by_itself(const JobChange& change) {
    if (change.history.empty()) return false;
    for (const auto& entry : change.history) {
      if (entry.actor != Actor::kSystem) return false;
    }
    return true;
  }

  struct Names {
    JobId job;

    bool operator()(const WorkCall& call) const { return call.execution.job() == job; }
    bool operator()(const store::local::WorkBatch& batch) const {
      return std::any_of(batch.calls.begin(), batch.calls.end(), *this);
    }
    bool operator()(const CancelJob& command) const { return command.id == job; }
    bool operator()(const RejectJob& command) const { return command.id == job; }
    bool operator()(const store::SubmitDraft& command) const { return command.id == job; }
    bool operator()(const PatchJob& command) const { return command.id == job; }
    bool operator()(const ClaimRequest&) const { return true; }
    template <class Other>
    bool operator()(const Other&) const {
      return false;
    }
  };

  // Whether another command of the step, one that was not refused, may have changed the job.
  static bool concerned_by_others(const StepView& step, std::size_t self, const JobId& job) {
    for (std::size_t i = 0; i < step.commands.size(); ++i) {
      if (i == self || std::holds_alternative<Error>(step.turn.answers[i])) continue;
      if (std::visit(Names{job}, step.commands[i])) return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Checker> make_stale_calls_change_nothing() {
  return std::make_unique<StaleCallsChangeNothing>();
}

}  // namespace baton::sim
