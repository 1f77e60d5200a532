#include <algorithm>
#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// Nothing happens before its time, and nothing that is due is left lying: either the machine says
// that there is more to do, or a lease is held because calls may still come.
class TimesRespected final : public Checker {
 public:
  std::string_view name() const override { return "times are respected"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<JobChange>(step, [&](const JobChange& change) {
      Promise& promise = promises_[change.id];
      // A store that opens gives out leases first and looks at the time then; a call that came in
      // time is applied before the timer.
      if (&change == last_change(step, change.id)) {
        check_left(change.id, change.facts, step, findings);
      }
      if (change.made) promise = first_promise(change, step.now);
      for (const auto& entry : change.history)
        check(change, promise, entry, findings);
      // A change without a move that sets a time is a client's wish.
      const bool moved = change.history.empty() && change.facts.run_at.is_set();
      promise.waits_until =
          moved ? change.facts.run_at : std::max(promise.waits_until, change.facts.run_at);
      promise.lease_end = change.facts.execution.lease_expires_at;
      promise.deadline = change.facts.execution.deadline_at;
      check_lease(change, step.now, findings);
    });
    check_calls(step, findings);
    for_each<JobChange>(step, [&](const JobChange& change) { jobs_[change.id] = change.facts; });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    for_each_row(step, [&](const JobRecord& record) {
      check_left(record.id, record.facts, step, findings);
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

  void check(const JobChange& change, Promise& promise, const HistoryEntry& entry,
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
      if (entry.actor == Actor::kClient) promise.waits_until = entry.at;  // to run now
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
    const bool finalised = entry.trigger == Trigger::kDone && entry.actor == Actor::kSystem;
    if (finalised) not_before(promise.lease_end, "finalised");
  }

  static const JobChange* last_change(const StepView& step, const JobId& id) {
    const JobChange* last = nullptr;
    for_each<JobChange>(step, [&](const JobChange& change) {
      if (change.id == id) last = &change;
    });
    return last;
  }

  void check_left(const JobId& id, const lifecycle::JobFacts& facts, const StepView& step,
                  Findings& findings) const {
    const Time due = due_of(facts);
    if (!due.is_set() || due > step.now || step.node.has_work_left(step.now)) return;
    if (facts.state == JobState::kRunning && due > step.lease_horizon) return;
    findings.add(name(), "job " + shown(id) + " is " + shown(facts.state) +
                             ", something was due at " + shown(due) + ", and it is " +
                             shown(step.now));
  }

  // A call that shows the token of a running execution, and came before anything of its job fell
  // due, is not told that the lease is over; unless another command of the step concerns the job.
  void check_calls(const StepView& step, Findings& findings) const {
    std::map<JobId, int> named;
    for_each_command<WorkCall>(
        step, [&](const auto& call, const Answer&) { ++named[call.execution.job()]; });
    for_each_command<CancelJob>(
        step, [&](const auto& command, const Answer&) { named[command.id] += 2; });
    for_each_command<store::local::GiveBackUnread>(
        step, [&](const auto& command, const Answer&) { named[command.id] += 2; });
    for_each_command<WorkCall>(step, [&](const auto& call, const Answer& answer) {
      const auto* error = std::get_if<Error>(&answer);
      const auto found = jobs_.find(call.execution.job());
      if (error == nullptr || found == jobs_.end() || step.reopens) return;
      const lifecycle::JobFacts& before = found->second;
      const bool holds = before.state == JobState::kRunning &&
                         before.attempt == call.execution.attempt() &&
                         before.execution.token == call.token;
      const bool in_time = due_of(before).ms > step.now.ms - call.waited.ms;
      if (error->code != Code::kStaleLease || !holds || !in_time) return;
      if (named[call.execution.job()] > 1) return;
      if (call.kind() == CallKind::kHeartbeat && before.execution.committed_at.is_set()) return;
      findings.add(name(), "a " + std::string(baton::name(call.kind())) + " of " +
                               shown(call.execution.job()) + " came in time and was told that " +
                               "its lease is over");
    });
  }

  void check_lease(const JobChange& change, Time now, Findings& findings) const {
    const lifecycle::ExecutionFacts& execution = change.facts.execution;
    if (change.facts.state != JobState::kRunning || execution.committed_at.is_set()) return;
    const bool too_long = execution.lease_expires_at > now + execution.lease ||
                          execution.lease_expires_at > execution.deadline_at;
    if (too_long) findings.add(name(), "the lease of " + shown(change.id) + " is too long");
  }

  static Time due_of(const lifecycle::JobFacts& facts) {
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
  std::map<JobId, lifecycle::JobFacts> jobs_;  // every job as the last step left it
};

}  // namespace

std::unique_ptr<Checker> make_times_respected() { return std::make_unique<TimesRespected>(); }

}  // namespace baton::sim
