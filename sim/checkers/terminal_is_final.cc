#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

bool has_ended(JobState state) {
  switch (state) {
    case JobState::kCompleted:
    case JobState::kFailed:
    case JobState::kDeadLetter:
    case JobState::kCancelled:
    case JobState::kRejected:
      return true;
    default:
      return false;
  }
}

// Nothing ever changes about a job that has ended.
class TerminalIsFinal final : public Checker {
 public:
  std::string_view name() const override { return "terminal is final"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (ended_.contains(change.id)) {
        findings.add(name(), "job " + shown(change.id) + " was " + shown(ended_[change.id]) +
                                 " and was changed again");
      }
      if (has_ended(change.facts.state)) ended_[change.id] = change.facts.state;
    });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for (const auto& [id, state] : ended_) {
      const auto record = step.node.rows().find(id);
      if (record && record->facts.state != state) {
        findings.add(name(), "the row of " + shown(id) + " says " + shown(record->facts.state) +
                                 ", it ended " + shown(state));
      }
    }
  }

 private:
  std::map<JobId, JobState> ended_;
};

}  // namespace

std::unique_ptr<Checker> make_terminal_is_final() { return std::make_unique<TerminalIsFinal>(); }

}  // namespace baton::sim
