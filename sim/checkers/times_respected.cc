#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

using lifecycle::Trigger;

// Nothing happens before its time, and nothing that is due is left lying. A start may set a
// deadline that has passed; then the next step must begin with it, even at the same time.
class TimesRespected final : public Checker {
 public:
  std::string_view name() const override { return "times are respected"; }

  void each_step(const StepView& step, Findings& findings) override {
    const std::set<JobId> overdue = std::exchange(overdue_, {});
    std::set<JobId> settled;
    for_each<JobChange>(step, [&](const JobChange& change) {
      Promise& promise = promises_[change.id];
      // A store that opens gives out leases first and looks at the time then.
      const bool goes_on = step.reopens && &change != last_change(step, change.id);
      const bool left = !goes_on && is_due(change.facts, step.now);
      if (left && sets_deadline(change.facts, promise, step.now)) overdue_.insert(change.id);
      if (left) check_overdue(change.id, change.facts, step.now, findings);
      if (!left) {
        overdue_.erase(change.id);
        settled.insert(change.id);
      }
      if (change.made) promise = first_promise(change, step.now);
      for (const auto& entry : change.history)
        check(change, promise, entry, findings);
      promise.waits_until = std::max(promise.waits_until, change.facts.run_at);
      promise.lease_end = change.facts.execution.lease_expires_at;
      promise.deadline = change.facts.execution.deadline_at;
      check_lease(change, step.now, findings);
    });
    for (const JobId& id : overdue) {
      if (settled.contains(id)) continue;
      findings.add(name(), "job " + shown(id) + " was overdue before the step and still is");
    }
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for_each_row(step, [&](const JobRecord& record) {
      if (is_due(record.facts, step.now)) {
        check_overdue(record.id, record.facts, step.now, findings);
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
    // What cannot be read is taken back at once.
    const bool unread = change.texts && change.texts->execution_failure &&
                        change.texts->execution_failure->code == "damaged";
    if (entry.trigger == Trigger::kLeaseLost && !unread) {
      not_before(promise.lease_end, "lease lost");
    }
    if (entry.trigger == Trigger::kTimeout) not_before(promise.deadline, "timed out");
    if (entry.trigger == Trigger::kLifetime) not_before(promise.lifetime_end, "lifetime over");
    const bool finalised =
        entry.trigger == Trigger::kDone && entry.actor == lifecycle::Actor::kSystem;
    if (finalised) not_before(promise.lease_end, "finalised");
  }

  static const JobChange* last_change(const StepView& step, const JobId& id) {
    const JobChange* last = nullptr;
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (change.id == id) last = &change;
    });
    return last;
  }

  // Something is due and was left: only a deadline that this step set may be.
  void check_overdue(const JobId& id, const lifecycle::Job& facts, Time now,
                     Findings& findings) const {
    if (overdue_.contains(id)) return;
    findings.add(name(), "job " + shown(id) + " is " + shown(facts.state) +
                             ", something was due at " + shown(due_of(facts)) + ", and it is " +
                             shown(now));
  }

  void check_lease(const JobChange& change, Time now, Findings& findings) const {
    const lifecycle::Execution& execution = change.facts.execution;
    if (change.facts.state != JobState::kRunning || execution.committed_at.is_set()) return;
    const bool too_long = execution.lease_expires_at > now + execution.lease ||
                          execution.lease_expires_at > execution.deadline_at;
    if (too_long) findings.add(name(), "the lease of " + shown(change.id) + " is too long");
  }

  // Whether the execution was started in this step with a deadline of its own.
  static bool sets_deadline(const lifecycle::Job& facts, const Promise& before, Time now) {
    const lifecycle::Execution& execution = facts.execution;
    return execution.status == lifecycle::ExecutionStatus::kInProgress &&
           execution.started_at == now && execution.deadline_at != before.deadline;
  }

  static bool is_due(const lifecycle::Job& facts, Time now) {
    const Time due = due_of(facts);
    return due.is_set() && due <= now;
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
  std::set<JobId> overdue_;  // by a deadline that this step set
};

}  // namespace

std::unique_ptr<Checker> make_times_respected() { return std::make_unique<TimesRespected>(); }

}  // namespace baton::sim
