#include <algorithm>
#include <map>
#include <string>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// Whoever is claimed stood first among those who could have been: priority, then the order in
// which they became SCHEDULED. Walks through the changes of a step in their order.
class ClaimOrder final : public Checker {
 public:
  std::string_view name() const override { return "claims follow the order"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (change.made) {
        const Time end = change.facts.created_at + change.facts.terms->lifetime;
        jobs_[change.id] = {change.made->queue, change.made->type, end};
      }
      for (const auto& entry : change.history) {
        if (entry.to == JobState::kRunning) check(step, change, findings);
        if (entry.from == JobState::kScheduled) ready_.erase(change.id);
        if (entry.to == JobState::kScheduled) ready_[change.id] = {{}, ++count_};
      }
      const auto waiting = ready_.find(change.id);
      if (waiting != ready_.end()) waiting->second.priority = change.facts.priority;
    });
  }

 private:
  struct Kind {
    std::string queue;
    std::string type;
    Time lifetime_end;
  };
  struct Place {
    Priority priority{};
    std::int64_t number = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  void check(const StepView& step, const JobChange& change, Findings& findings) {
    const auto own = ready_.find(change.id);
    if (own == ready_.end()) {
      findings.add(name(), "job " + shown(change.id) + " was claimed and was not SCHEDULED");
      return;
    }
    const Kind& kind = jobs_[change.id];
    const std::vector<std::string> types = types_of_claim(step, change);
    for (const auto& [id, place] : ready_) {
      const Kind& other = jobs_[id];
      const bool wanted =
          types.empty() || std::find(types.begin(), types.end(), other.type) != types.end();
      // Whose time is over is not given out, even while others are ended first.
      const bool over = other.lifetime_end <= step.now;
      if (other.queue == kind.queue && wanted && !over && place < own->second) {
        findings.add(name(), "job " + shown(change.id) + " was claimed before " + shown(id));
        return;
      }
    }
  }

  static std::vector<std::string> types_of_claim(const StepView& step, const JobChange& change) {
    const auto execution = execution_id(change.id, change.facts.attempt);
    std::vector<std::string> types;
    for_each_command<ClaimRequest>(step, [&](const auto& request, const Answer& answer) {
      const auto* claims = std::get_if<store::ClaimAnswer>(&answer);
      if (claims == nullptr) return;
      for (const store::ClaimedJob& claimed : claims->executions) {
        if (claimed.execution == execution) types = request.types;
      }
    });
    return types;
  }

  std::map<JobId, Kind> jobs_;
  std::map<JobId, Place> ready_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_claim_order() { return std::make_unique<ClaimOrder>(); }

}  // namespace baton::sim
