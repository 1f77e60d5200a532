#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// A job's version rises with every step of its history, and never falls; its lease version rises
// by one with every claim and never otherwise.
class VersionsRise final : public Checker {
 public:
  std::string_view name() const override { return "versions rise"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      Seen& seen = seen_[change.id];
      const bool moved = !change.history.empty();
      const std::int64_t version = change.facts.version;
      if (version < seen.version || (moved && version == seen.version)) {
        findings.add(name(), "job " + shown(change.id) + " goes from version " +
                                 std::to_string(seen.version) + " to " + std::to_string(version));
      }
      int claims = 0;
      for (const auto& entry : change.history) {
        if (entry.to == JobState::kRunning) ++claims;
      }
      if (change.facts.attempt != seen.attempt + claims) {
        findings.add(name(), "job " + shown(change.id) + " goes from attempt " +
                                 std::to_string(seen.attempt) + " to " +
                                 std::to_string(change.facts.attempt) + " in " +
                                 std::to_string(claims) + " claims");
      }
      seen = {version, change.facts.attempt};
    });
  }

 private:
  struct Seen {
    std::int64_t version = 0;
    int attempt = 0;
  };
  std::map<JobId, Seen> seen_;
};

}  // namespace

std::unique_ptr<Checker> make_versions_rise() { return std::make_unique<VersionsRise>(); }

}  // namespace baton::sim
