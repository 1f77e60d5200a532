#include <algorithm>
#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

using lifecycle::Trigger;

// Nothing happens before its time, and nothing that is due is left lying.
class TimesRespected final : public Checker {
 public:
  std::string_view name() const override { return "times are respected"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      Promise& promise = promises_[change.id];
      if (change.made) promise = first_promise(change, step.now);
      for (const auto& entry : change.history)
        check(change, promise, entry, findings);
      promise.waits_until = std::max(promise.waits_until, change.facts.run_at);
      promise.lease_end = change.facts.execution.lease_expires_at;
      promise.deadline = change.facts.execution.deadline_at;
      check_lease(change, step.now, findings);
    });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for_each_row(step, [&](const JobRecord& record) {
      const Time due = due_of(record.facts);
      // A start may ask for a deadline that has passed: it falls due before the next command.
      if (due.is_set() && due <= step.now && record.facts.execution.started_at != step.now) {
        findings.add(name(), "job " + shown(record.id) + " is " + shown(record.facts.state) +
                                 ", something was due at " + std::to_string(due.ms) +
                                 ", and it is " + std::to_string(step.now.ms));
      }
    });
  }

 private:
  struct Promise {
    Time waits_until;
    Time lease_end;
    Time deadline;
    Time lifetime_end;
    Duration delay_after_submit{};
  };

  static Promise first_promise(const JobChange& change, Time now) {
    Promise promise;
    promise.lifetime_end = now + change.facts.terms->lifetime;
    const bool redriven = !change.redriven_from.is_nil();
    if (!redriven && change.made->run_at) promise.waits_until = *change.made->run_at;
    if (!redriven && change.made->delay) promise.delay_after_submit = *change.made->delay;
    return promise;
  }

  void check(const JobChange& change, Promise& promise, const lifecycle::HistoryEntry& entry,
             Findings& findings) const {
    const auto not_before = [&](Time time, const char* what) {
      if (entry.at >= time) return;
      findings.add(name(), "job " + shown(change.id) + ": " + what + " at " +
                               std::to_string(entry.at.ms) + ", not before " +
                               std::to_string(time.ms));
    };
    if (entry.to == JobState::kPending) {
      promise.waits_until = std::max(promise.waits_until, entry.at + promise.delay_after_submit);
    }
    if (entry.to == JobState::kRunning) {
      not_before(promise.waits_until, "claimed");
      if (entry.at >= promise.lifetime_end) {
        findings.add(name(), "job " + shown(change.id) + " was claimed after its lifetime");
      }
    }
    if (entry.to == JobState::kScheduled && entry.trigger != Trigger::kReady) {
      const bool in_one_step = entry.from == JobState::kRetrying && change.history.size() > 1;
      if (!in_one_step) not_before(promise.waits_until, "scheduled");
    }
    if (entry.trigger == Trigger::kLeaseLost) not_before(promise.lease_end, "lease lost");
    if (entry.trigger == Trigger::kTimeout) not_before(promise.deadline, "timed out");
    if (entry.trigger == Trigger::kLifetime) not_before(promise.lifetime_end, "lifetime over");
    const bool finalised =
        entry.trigger == Trigger::kDone && entry.actor == lifecycle::Actor::kSystem;
    if (finalised) not_before(promise.lease_end, "finalised");
  }

  void check_lease(const JobChange& change, Time now, Findings& findings) const {
    const lifecycle::Execution& execution = change.facts.execution;
    if (change.facts.state != JobState::kRunning || execution.committed_at.is_set()) return;
    const bool too_long = execution.lease_expires_at > now + execution.lease ||
                          execution.lease_expires_at > execution.deadline_at;
    if (too_long) findings.add(name(), "the lease of " + shown(change.id) + " is too long");
  }

  static Time due_of(const lifecycle::Job& facts) {
    if (facts.completed_at.is_set()) return {};
    const bool runs = facts.state == JobState::kRunning;
    const bool committed = runs && facts.execution.committed_at.is_set();
    if (committed) return facts.execution.lease_expires_at;
    Time due = facts.created_at + facts.terms->lifetime;
    if (runs) due = std::min({due, facts.execution.lease_expires_at, facts.execution.deadline_at});
    if (facts.run_at.is_set()) due = std::min(due, facts.run_at);
    return due;
  }

  std::map<JobId, Promise> promises_;
};

}  // namespace

std::unique_ptr<Checker> make_times_respected() { return std::make_unique<TimesRespected>(); }

}  // namespace baton::sim
