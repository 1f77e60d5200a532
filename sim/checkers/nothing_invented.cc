#include <set>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// Every new job and every new execution was asked for by a command of the same step.
class NothingInvented final : public Checker {
 public:
  std::string_view name() const override { return "nothing is invented"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (change.made && !is_explained(step, change)) {
        findings.add(name(), "nobody asked for job " + shown(change.id));
      }
      if (!change.worker.empty() && !was_claimed(step, change)) {
        findings.add(name(), "nobody was told that " + shown(change.id) + " was claimed");
      }
    });
    for_each_command<store::SubmitBatch>(step, [&](const auto& batch, const Answer& answer) {
      const auto* submitted = std::get_if<store::SubmitAnswer>(&answer);
      if (submitted == nullptr || submitted->refused) return;
      if (submitted->results.size() != batch.jobs.size()) {
        findings.add(name(), "a batch has more or fewer results than jobs");
      }
    });
  }

 private:
  static bool is_explained(const StepView& step, const JobChange& change) {
    if (!change.redriven_from.is_nil()) return was_redriven(step, change);
    if (!change.parent.is_nil()) return parent_committed(step, change.parent);
    bool found = false;
    for_each_command<store::SubmitBatch>(step, [&](const auto&, const Answer& answer) {
      const auto* submitted = std::get_if<store::SubmitAnswer>(&answer);
      if (submitted == nullptr) return;
      for (const auto& result : submitted->results) {
        if (result.ok() && !result->duplicate && result->id == change.id) found = true;
      }
    });
    return found;
  }

  static bool parent_committed(const StepView& step, const JobId& parent) {
    bool found = false;
    for_each_command<WorkCall>(step, [&](const auto& call, const Answer& answer) {
      const auto* done = std::get_if<store::CallAnswer>(&answer);
      const bool commits = call.kind() == CallKind::kCommit || call.kind() == CallKind::kAck;
      if (commits && done != nullptr && !done->repeated && done->job == parent) found = true;
    });
    return found;
  }

  static bool was_redriven(const StepView& step, const JobChange& change) {
    bool found = false;
    for_each_command<RedriveJob>(step, [&](const auto& command, const Answer& answer) {
      const auto* made = std::get_if<store::JobAnswer>(&answer);
      const bool same = made != nullptr && made->id == change.id;
      if (same && command.id == change.redriven_from) found = true;
    });
    return found;
  }

  static bool was_claimed(const StepView& step, const JobChange& change) {
    bool found = false;
    for_each_command<ClaimRequest>(step, [&](const auto& request, const Answer& answer) {
      const auto* claims = std::get_if<store::ClaimAnswer>(&answer);
      if (claims == nullptr || request.worker != change.worker) return;
      for (const store::ClaimedJob& claimed : claims->executions) {
        if (claimed.job == change.id) found = true;
      }
    });
    return found;
  }
};

}  // namespace

std::unique_ptr<Checker> make_nothing_invented() { return std::make_unique<NothingInvented>(); }

}  // namespace baton::sim
