#include <map>
#include <set>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"
#include "store/work_call.h"

namespace baton::sim {
namespace {

using Spec = std::shared_ptr<const Submission>;

// A job's payload is, to the byte, what was submitted; its result what its commit brought.
class PayloadIdentical final : public Checker {
 public:
  std::string_view name() const override { return "payloads and results stay identical"; }

  void each_step(const StepView& step, Findings& findings) override {
    remember_offers(step);
    for_each_command<store::SubmitBatch>(step, [&](const auto& batch, const Answer& answer) {
      const auto* submitted = std::get_if<store::SubmitAnswer>(&answer);
      if (submitted == nullptr) return;
      for (std::size_t i = 0; i < submitted->results.size(); ++i) {
        const auto& result = submitted->results[i];
        if (result.ok() && !result->duplicate) submitted_[result->id] = batch.jobs[i];
      }
    });
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (!change.made) return;
      const bool is_child = !change.parent.is_nil();
      if (is_child && !offered_[change.parent].contains(change.made->payload)) {
        findings.add(name(), "child " + shown(change.id) + " has a payload nobody gave it");
      }
      const auto source = submitted_.find(change.redriven_from);
      if (source != submitted_.end()) submitted_[change.id] = source->second;
      if (is_child) submitted_[change.id] = change.made;
    });
    check_results(step, findings);
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for (const auto& [id, spec] : submitted_) {
      const auto record = step.node.rows().find(id);
      if (!record) continue;
      const bool same =
          record->spec->payload == spec->payload && record->spec->type == spec->type &&
          record->spec->content_type == spec->content_type && record->spec->queue == spec->queue;
      if (!same) findings.add(name(), "job " + shown(id) + " is not what was submitted");
    }
    for (const auto& [id, result] : results_) {
      const auto record = step.node.rows().find(id);
      if (record && record->result != result) {
        findings.add(name(), "the result of " + shown(id) + " changed after its commit");
      }
    }
  }

 private:
  void remember_offers(const StepView& step) {
    for_each_command<WorkCall>(step, [&](const auto& call, const Answer&) {
      for (const Spec& spec : store::children_of(call))
        offered_[call.execution.job()].insert(spec->payload);
    });
  }

  // Which call commits is told by the answers, not by the order of the commands: a call that came
  // in time applies before those that came when the lease was over, wherever it stands. A repeated
  // call brings no result; an ack that finishes what a commit of the same turn began brings none
  // either.
  void check_results(const StepView& step, Findings& findings) {
    std::map<JobId, std::optional<Outcome>> brought;
    std::set<JobId> repeated;
    for_each_command<WorkCall>(step, [&](const auto& call, const Answer& answer) {
      const auto* done = std::get_if<store::CallAnswer>(&answer);
      const bool commit = call.kind() == CallKind::kCommit;
      if (done == nullptr || (!commit && call.kind() != CallKind::kAck)) return;
      const Outcome* result = store::result_of(call);
      const auto kept = result == nullptr ? std::nullopt : std::optional(*result);
      if (done->repeated) {
        repeated.insert(done->job);
      } else if (commit) {
        brought[done->job] = kept;
      } else {
        brought.emplace(done->job, kept);
      }
    });
    for (const auto& [job, result] : brought) {
      if (!results_.emplace(job, result).second) continue;
      const auto record = step.node.rows().find(job);
      if (record && record->result != result) {
        findings.add(name(), "the result of " + shown(job) + " is not what was committed");
      }
    }
    for (const JobId& job : repeated) {
      if (results_.contains(job)) continue;
      findings.add(name(), "a commit of " + shown(job) + " is repeated that nobody made");
    }
  }

  std::map<JobId, Spec> submitted_;
  std::map<JobId, std::set<std::string>> offered_;  // by parent: payloads of possible children
  std::map<JobId, std::optional<Outcome>> results_;
};

}  // namespace

std::unique_ptr<Checker> make_payload_identical() { return std::make_unique<PayloadIdentical>(); }

}  // namespace baton::sim
