#include <set>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// What an answer promised is there until somebody deletes it.
class AcknowledgedKept final : public Checker {
 public:
  std::string_view name() const override { return "acknowledged jobs are never lost"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each_command<store::SubmitBatch>(step, [&](const auto&, const Answer& answer) {
      const auto* submitted = std::get_if<store::SubmitAnswer>(&answer);
      if (submitted == nullptr) return;
      for (const auto& result : submitted->results) {
        if (result.ok() && !result->duplicate) promised_.insert(result->id);
      }
    });
    for_each_command<RedriveJob>(step, [&](const auto&, const Answer& answer) {
      const auto* made = std::get_if<store::JobAnswer>(&answer);
      if (made != nullptr) promised_.insert(made->id);
    });
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (change.made && !change.parent.is_nil()) promised_.insert(change.id);
    });
    for_each<JobGone>(step, [&](const JobGone& gone) {
      promised_.erase(gone.id);
      if (!was_deleted(step, gone.id)) {
        findings.add(name(), "job " + shown(gone.id) + " is gone and nobody deleted it");
      }
    });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for (const JobId& id : promised_) {
      if (!step.node.rows().find(id)) findings.add(name(), "job " + shown(id) + " has no row");
    }
  }

 private:
  static bool was_deleted(const StepView& step, const JobId& id) {
    bool deleted = false;
    for_each_command<store::DeleteJob>(step, [&](const auto& command, const Answer& answer) {
      if (command.id == id && std::holds_alternative<store::Deleted>(answer)) deleted = true;
    });
    for_each_command<store::Prune>(step, [&](const auto&, const Answer& answer) {
      const auto* pruned = std::get_if<Pruned>(&answer);
      if (pruned != nullptr && pruned->deleted > 0) deleted = true;
    });
    return deleted;
  }

  std::set<JobId> promised_;
};

}  // namespace

std::unique_ptr<Checker> make_acknowledged_kept() { return std::make_unique<AcknowledgedKept>(); }

}  // namespace baton::sim
