#include "lifecycle/decide.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "lifecycle/decide_call.h"
#include "lifecycle/failures.h"
#include "lifecycle/step.h"
#include "lifecycle/validate.h"

namespace baton::lifecycle {
namespace {

Error refused(Code code, std::string message, std::string field = {}) {
  return {code, std::move(message), std::move(field), {}};
}

Error not_now(const JobFacts& job, std::string_view what) {
  return refused(Code::kInvalidTransition, "a job in state " + std::string(name(job.state)) +
                                               " cannot be " + std::string(what));
}

// Decides one event; the fields are what every event needs.
struct Decider {
  const JobFacts& job;
  Time now;
  std::uint64_t random;

  Step begin(Actor actor) const { return {job, actor, now, random}; }

  Result<Change> operator()(const Create& event) const {
    if (job.state != JobState::kNone) return not_now(job, "created");
    const Profile& profile = *event.terms->profile;
    if (event.draft && !profile.has(JobState::kCreated)) {
      return refused(Code::kNotInProfile, "profile " + std::string(profile.name) + " has no drafts",
                     "draft");
    }
    Step step = begin(Actor::kClient);
    JobFacts& made = step.job();
    made.terms = event.terms;
    made.priority = event.priority;
    made.has_callback = event.has_callback;
    made.payload_class = event.payload_class;
    made.has_account = event.has_account;
    made.held = event.cost;
    made.delay = event.delay;
    made.not_before = event.not_before;
    made.created_at = now;
    if (profile.has(JobState::kCreated)) {
      step.move(JobState::kCreated, Trigger::kCreate);
      if (!event.draft) step.enter_pending(Trigger::kSubmit, event.dependencies);
    } else {
      step.enter_pending(Trigger::kCreate, event.dependencies);
    }
    return step.take();
  }

  Result<Change> operator()(const Submit& event) const {
    Step step = begin(Actor::kClient);
    if (!step.can_move(JobState::kPending, Trigger::kSubmit)) return not_now(job, "submitted");
    // It was judged when the draft was made; meanwhile its lifetime goes on and its delay does not.
    if (now + job.delay >= lifetime_end(job)) return beyond_lifetime(*job.terms, "delay_ms");
    step.enter_pending(Trigger::kSubmit, event.dependencies);
    return step.take();
  }

  Result<Change> operator()(const DependenciesSettled& event) const {
    if (job.state != JobState::kPending) return not_now(job, "released by its dependencies");
    Step step = begin(Actor::kSystem);
    step.apply_verdict(event.verdict);
    return step.take();
  }

  Result<Change> operator()(const TimerDue& event) const {
    if (first_due(job, now) != event.timer) return not_now(job, "moved by that timer");
    Step step = begin(Actor::kSystem);
    switch (event.timer) {
      case Timer::kLifetime:
        end_by_lifetime(step);
        break;
      case Timer::kDeadline:
        step.fail_execution(timeout_failure(), Trigger::kTimeout, {});
        break;
      case Timer::kLease:
        if (is_committed(job)) {
          step.finish_execution();
        } else {
          step.fail_execution(lease_lost_failure(), Trigger::kLeaseLost, {});
        }
        break;
      case Timer::kWake:
        step.wake();
        break;
    }
    return step.take();
  }

  void end_by_lifetime(Step& step) const {
    const JobState to = job.terms->profile->policy.exhausted;
    if (job.state == JobState::kRunning) {
      step.abort_and_end(lifetime_failure(), to, Trigger::kLifetime);
    } else {
      step.end(lifetime_failure(), to, Trigger::kLifetime);
    }
  }

  Result<Change> operator()(const Claim& event) const {
    Step step = begin(Actor::kWorker);
    if (!step.can_move(JobState::kRunning, Trigger::kClaim)) return not_now(job, "claimed");
    step.open_execution(event);
    return step.take();
  }

  Result<Change> operator()(const Call& event) const {
    return decide_call(job, event, begin(Actor::kWorker));
  }

  Result<Change> operator()(const Cancel& event) const {
    Step step = begin(Actor::kClient);
    if (job.state == JobState::kCancelled) return repeated(std::move(step));
    if (!step.can_move(JobState::kCancelled, Trigger::kCancel)) return not_now(job, "cancelled");
    const FailureView failure = cancelled_failure(event.reason);
    if (job.state != JobState::kRunning) {
      step.end(failure, JobState::kCancelled, Trigger::kCancel);
    } else if (is_committed(job)) {
      return refused(Code::kAlreadyCommitted, "an execution of the job has committed");
    } else if (event.force && job.cancel_requested) {
      step.abort_as_requested();
    } else if (event.force) {
      step.abort_and_end(failure, JobState::kCancelled, Trigger::kCancel);
    } else if (job.cancel_requested) {
      return repeated(std::move(step));
    } else {
      step.job().cancel_requested = true;
      step.touch();
    }
    return step.take();
  }

  Result<Change> operator()(const Reject& event) const {
    Step step = begin(Actor::kClient);
    if (!job.terms->profile->has(JobState::kRejected)) {
      return refused(Code::kNotInProfile,
                     "profile " + std::string(job.terms->profile->name) + " has no moderation");
    }
    const bool runs = job.state == JobState::kRunning;
    if (runs || !step.can_move(JobState::kRejected, Trigger::kReject)) {
      return not_now(job, "rejected");
    }
    step.end(rejected_failure(event.reason), JobState::kRejected, Trigger::kReject);
    return step.take();
  }

  Result<Change> operator()(const Patch& event) const {
    if (event.if_version && *event.if_version != job.version) {
      return refused(Code::kConflict, "the job has version " + std::to_string(job.version),
                     "version");
    }
    if (is_terminal(job.state)) return not_now(job, "changed");
    if (event.priority && !is_waiting(job.state)) {
      Error error = not_now(job, "given another priority");
      error.field = "priority";
      return error;
    }
    if (event.run_at) {
      if (const auto refusal = refuse_time(*event.run_at)) return *refusal;
    }
    Step step = begin(Actor::kClient);
    if (event.run_at) step.reschedule(*event.run_at);
    if (event.priority) step.job().priority = *event.priority;
    if (event.has_callback) step.job().has_callback = *event.has_callback;
    if (event.priority || event.has_callback || event.labels) step.touch();
    return step.take();
  }

  // A job can be moved while it waits for a time that it may wait for otherwise.
  std::optional<Error> refuse_time(Time run_at) const {
    const bool backs_off = job.state == JobState::kRetrying;
    if (job.state != JobState::kDelayed && !backs_off) {
      Error error = not_now(job, "given another time");
      error.field = "run_at";
      return error;
    }
    if (backs_off && job.terms->profile->policy.retry_pinned) {
      return refused(Code::kInvalidTransition,
                     "profile " + std::string(job.terms->profile->name) + " has a fixed backoff",
                     "run_at");
    }
    if (run_at >= lifetime_end(job)) return beyond_lifetime(*job.terms, "run_at");
    return std::nullopt;
  }

  Result<Change> operator()(const Redrive& event) const {
    if (!is_bad_ending(job.state)) return not_now(job, "redriven");
    if (!event.redriven_to.is_nil() && !event.again) {
      return refused(Code::kConflict,
                     "the job was redriven before, as job " + to_string(event.redriven_to));
    }
    return begin(Actor::kClient).take();
  }

  Result<Change> operator()(const Delete&) const {
    if (!is_terminal(job.state)) return not_now(job, "deleted");
    return begin(Actor::kClient).take();
  }

  Result<Change> operator()(const Unreadable& event) const {
    const bool runs = job.state == JobState::kRunning && !is_committed(job);
    if (!runs || event.attempt != job.attempt) return not_now(job, "given back unread");
    Step step = begin(Actor::kSystem);
    step.fail_execution(damaged_failure(), Trigger::kLeaseLost, {});
    return step.take();
  }

  Result<Change> operator()(const Restart&) const {
    Step step = begin(Actor::kSystem);
    if (job.state == JobState::kRunning) {
      ExecutionFacts& execution = step.execution();
      execution.lease_expires_at = lease_end(execution, now);
    }
    step.change().durable = false;
    return step.take();
  }

  static Change repeated(Step step) {
    step.change().repeated = true;
    return step.take();
  }
};

// Events that may meet a job with something still due.
bool comes_before_timers(const Event& event) {
  return std::holds_alternative<TimerDue>(event) || std::holds_alternative<Restart>(event);
}

}  // namespace

int spent_attempts(const JobFacts& job) {
  return job.attempt - std::min(job.release_count, job.terms->profile->policy.free_releases);
}

Timers timers_of(const JobFacts& job) {
  Timers timers;
  const bool alive = job.state != JobState::kNone && !is_terminal(job.state);
  const bool committed = is_committed(job);
  if (alive && !committed) timers.lifetime = lifetime_end(job);
  if (job.state == JobState::kRunning) {
    const ExecutionFacts& execution = job.execution;
    timers.next = committed ? execution.lease_expires_at
                            : std::min(execution.lease_expires_at, execution.deadline_at);
  } else {
    timers.next = job.run_at;
  }
  return timers;
}

std::optional<Timer> first_due(const JobFacts& job, Time now) {
  const Timers timers = timers_of(job);
  if (timers.lifetime.is_set() && now >= timers.lifetime) return Timer::kLifetime;
  if (!timers.next.is_set() || now < timers.next) return std::nullopt;
  if (job.state != JobState::kRunning) return Timer::kWake;
  const bool past_deadline = !is_committed(job) && now >= job.execution.deadline_at;
  return past_deadline ? Timer::kDeadline : Timer::kLease;
}

Result<Change> decide(const JobFacts& job, const Event& event, Time now, std::uint64_t random,
                      Time as_of) {
  BATON_ASSERT(as_of <= now);
  BATON_ASSERT(comes_before_timers(event) || !first_due(job, as_of.is_set() ? as_of : now));
  return std::visit(Decider{job, now, random}, event);
}

std::optional<Change> settle(const JobFacts& job, Time now, std::uint64_t random) {
  const auto timer = first_due(job, now);
  if (!timer) return std::nullopt;
  Change change = decide(job, TimerDue{*timer}, now, random).value();
  // A timer leaves nothing else due: an ending has no timers, and a wait of zero ends in its step.
  BATON_ASSERT(!first_due(change.job, now));
  return change;
}

}  // namespace baton::lifecycle
