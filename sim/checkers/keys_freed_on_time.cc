#include <map>
#include <set>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"
#include "sim/model/rules.h"

namespace baton::sim {
namespace {

// While a job holds a key no second one is made with it; from the millisecond at which the key
// ends, one is. Looks at the keys that clients name. Walks through the changes in their order.
class KeysFreedOnTime final : public Checker {
 public:
  std::string_view name() const override { return "keys are freed exactly at their end"; }

  void each_step(const StepView& step, Findings& findings) override {
    std::set<JobId> holders;  // whoever held a key at some moment of the step
    note_holders(step.now, holders);
    for (const store::local::RowChange& change : step.turn.changes) {
      if (const auto* queue = std::get_if<store::local::QueueChange>(&change)) {
        windows_[queue->name] = queue->settings.idempotency_window;
      } else if (const auto* gone_queue = std::get_if<store::local::QueueGone>(&change)) {
        windows_.erase(gone_queue->name);
      } else if (const auto* gone = std::get_if<JobGone>(&change)) {
        free(gone->id);
      } else if (const auto* job = std::get_if<JobChange>(&change)) {
        take(step, *job, findings);
      }
    }
    note_holders(step.now, holders);
    for_each_command<store::SubmitBatch>(step, [&](const auto& batch, const Answer& answer) {
      const auto* submitted = std::get_if<store::SubmitAnswer>(&answer);
      if (submitted == nullptr) return;
      for (std::size_t i = 0; i < submitted->results.size(); ++i) {
        const auto& result = submitted->results[i];
        // With a unique key, too, nobody says for which of them the job answered.
        const bool again = result.ok() && result->duplicate && batch.jobs[i]->idempotency_key &&
                           !batch.jobs[i]->unique;
        if (again && !holders.contains(result->id) && !taken_.contains(result->id)) {
          findings.add(name(), "job " + shown(result->id) + " answered for key " +
                                   *batch.jobs[i]->idempotency_key + ", which it does not hold");
        }
      }
    });
    taken_.clear();
  }

 private:
  using Key = std::pair<std::string, std::string>;  // job type, key
  struct Holder {
    JobId job;
    Time ends_at;
  };

  void note_holders(Time now, std::set<JobId>& holders) const {
    for (const auto& [key, holder] : holders_) {
      if (now < holder.ends_at) holders.insert(holder.job);
    }
  }

  void take(const StepView& step, const JobChange& change, Findings& findings) {
    if (change.made && change.made->idempotency_key) {
      const Key key{change.made->type, *change.made->idempotency_key};
      const auto held = holders_.find(key);
      if (held != holders_.end() && step.now < held->second.ends_at) {
        findings.add(name(), "job " + shown(change.id) + " was made with key " + key.second +
                                 ", which " + shown(held->second.job) + " holds until " +
                                 std::to_string(held->second.ends_at.ms));
      }
      holders_[key] = {change.id, step.now + windows_[change.made->queue]};
      taken_.insert(change.id);
    }
    const JobState state = change.facts.state;
    const bool failed = state == JobState::kFailed || state == JobState::kDeadLetter ||
                        state == JobState::kCancelled;
    if (failed && rules_of(change.facts.terms->profile->name).failing_frees_key) free(change.id);
  }

  void free(const JobId& job) {
    std::erase_if(holders_, [&](const auto& held) { return held.second.job == job; });
  }

  std::map<Key, Holder> holders_;
  std::map<std::string, Duration> windows_;  // by queue
  std::set<JobId> taken_;                    // took a key in this step
};

}  // namespace

std::unique_ptr<Checker> make_keys_freed_on_time() { return std::make_unique<KeysFreedOnTime>(); }

}  // namespace baton::sim
