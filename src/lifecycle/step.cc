#include "lifecycle/step.h"

#include <algorithm>

#include "base/assert.h"
#include "lifecycle/failures.h"
#include "lifecycle/transitions.h"

namespace baton::lifecycle {

Step::Step(const JobFacts& job, Actor actor, Time now, std::uint64_t random)
    : actor_(actor), now_(now), random_(random), version_before_(job.version) {
  change_.job = job;
}

ExecutionFacts& Step::execution() {
  change_.execution_changed = true;
  return change_.job.execution;
}

bool Step::can_move(JobState to, Trigger trigger) const {
  const JobFacts& job = change_.job;
  return job.terms->profile->has(to) && find_transition(job.state, to, trigger) != nullptr;
}

void Step::touch() {
  change_.job_changed = true;
  change_.job.version = version_before_ + 1;
}

void Step::move(JobState to, Trigger trigger) {
  BATON_ASSERT(can_move(to, trigger));
  JobFacts& job = change_.job;
  const bool in_execution = job.state == JobState::kRunning || to == JobState::kRunning;
  ++job.history_count;
  change_.history.push_back(
      {job.history_count, job.state, to, trigger, now_, in_execution ? job.attempt : 0, actor_});
  job.state = to;
  job.updated_at = now_;
  job.run_at = {};
  if (to == JobState::kScheduled) job.scheduled_at = now_;
  touch();
}

void Step::enter_pending(Trigger trigger, const Verdict& dependencies) {
  move(JobState::kPending, trigger);
  JobFacts& job = change_.job;
  if (job.delay > Duration{}) job.not_before = now_ + job.delay;
  job.delay = {};
  apply_verdict(dependencies);
}

void Step::apply_verdict(const Verdict& verdict) {
  JobFacts& job = change_.job;
  switch (verdict.kind) {
    case Verdict::Kind::kWaiting:
      return;
    case Verdict::Kind::kBad:
      end(dependency_failure(verdict.because),
          dependent_ending(*job.terms->profile, verdict.ending), Trigger::kDependency);
      return;
    case Verdict::Kind::kReady:
      break;
  }
  if (job.not_before > now_) {
    move(JobState::kDelayed, Trigger::kDelay);
    job.run_at = job.not_before;
  } else {
    move(JobState::kScheduled, Trigger::kReady);
  }
}

void Step::wake() {
  const bool delayed = change_.job.state == JobState::kDelayed;
  move(JobState::kScheduled, delayed ? Trigger::kDue : Trigger::kBackoff);
}

void Step::reschedule(Time run_at) {
  JobFacts& job = change_.job;
  if (run_at <= now_) return wake();
  job.run_at = run_at;
  touch();
}

Time lease_end(const ExecutionFacts& execution, Time now) {
  const Time full = now + execution.lease;
  if (execution.status == ExecutionStatus::kCommitted) return full;
  return std::min(full, execution.deadline_at);
}

void Step::open_execution(const Claim& claim) {
  JobFacts& job = change_.job;
  ++job.attempt;
  job.started_at = now_;
  job.progress = kNoProgress;
  move(JobState::kRunning, Trigger::kClaim);
  ExecutionFacts& execution = this->execution();
  execution = {};
  execution.attempt = job.attempt;
  execution.token = claim.token;
  execution.lease =
      claim.lease.value_or(std::min(job.terms->lease, claim.max_lease.value_or(job.terms->lease)));
  execution.claimed_at = now_;
  execution.deadline_at = now_ + job.terms->execution;
  execution.lease_expires_at = lease_end(execution, now_);
}

void Step::commit_execution() {
  ExecutionFacts& execution = this->execution();
  execution.status = ExecutionStatus::kCommitted;
  execution.committed_at = now_;
  if (!execution.started_at.is_set()) execution.started_at = now_;
  change_.result_stored = true;
  change_.effects.add(Effect::kMakeChildren);
  change_.job.has_staged = false;
  if (change_.job.held > 0) {
    change_.effects.add(Effect::kCaptureCredits);
    change_.credits = change_.job.held;
    change_.job.held = 0;
  }
  touch();
}

void Step::finish_execution() {
  ExecutionFacts& execution = this->execution();
  execution.status = ExecutionStatus::kDone;
  execution.finished_at = now_;
  move(JobState::kCompleted, Trigger::kDone);
  change_.job.failure_category.reset();
  change_.job.error_type.reset();
  change_.failure_cleared = true;
  close();
}

void Step::abort_execution(const FailureView& failure) {
  ExecutionFacts& execution = this->execution();
  execution.status = ExecutionStatus::kAborted;
  execution.finished_at = now_;
  change_.execution_failure = failure;
  if (change_.job.has_staged) change_.effects.add(Effect::kDropChildren);
  change_.job.has_staged = false;
}

void Step::abort_and_end(const FailureView& failure, JobState to, Trigger trigger) {
  abort_execution(failure);
  end(failure, to, trigger);
}

void Step::fail_execution(const FailureView& failure, Trigger cause, Duration wait) {
  JobFacts& job = change_.job;
  const Terms& terms = *job.terms;
  const Policy& policy = terms.profile->policy;
  abort_execution(failure);
  if (job.cancel_requested) {
    end_as_requested();
  } else if (!is_retryable(terms, failure.category, failure.code)) {
    bury(failure, policy.permanent, cause, Trigger::kPermanent);
  } else if (!has_attempts_left(job)) {
    bury(failure, policy.exhausted, cause, Trigger::kExhausted);
  } else {
    enter_retrying(cause);
    change_.failure = failure;
    job.failure_category = failure.category;
    job.error_type = ErrorType::kRetryable;
    const Duration delay = cause == Trigger::kLeaseLost
                               ? policy.lost_lease_wait
                               : backoff(terms.retry, job.retry_count, wait, random_);
    wait_for_retry(delay);
  }
}

void Step::wait_for_retry(Duration delay) {
  change_.job.run_at = now_ + delay;
  if (delay == Duration{}) wake();
}

void Step::release_execution(std::string_view reason, Duration wait) {
  JobFacts& job = change_.job;
  const Policy& policy = job.terms->profile->policy;
  const FailureView released = released_failure(reason);
  abort_execution(released);
  ++job.release_count;
  if (job.cancel_requested) {
    end_as_requested();
  } else if (!has_attempts_left(job)) {
    bury(released, policy.exhausted, Trigger::kRelease, Trigger::kExhausted);
  } else {
    move(JobState::kRetrying, Trigger::kRelease);
    if (job.release_count > policy.free_releases) ++job.retry_count;
    wait_for_retry(std::max(wait, policy.lost_lease_wait));
  }
}

void Step::enter_retrying(Trigger cause) {
  move(JobState::kRetrying, cause);
  ++change_.job.retry_count;
}

void Step::bury(const FailureView& failure, JobState to, Trigger cause, Trigger trigger) {
  if (change_.job.terms->profile->policy.last_failure_retries) enter_retrying(cause);
  end(failure, to, trigger);
}

void Step::end(const FailureView& failure, JobState to, Trigger trigger) {
  move(to, trigger);
  JobFacts& job = change_.job;
  change_.failure = failure;
  job.failure_category = failure.category;
  job.error_type = ErrorType::kTerminal;
  settle_credits(to);
  close();
}

void Step::abort_as_requested() {
  abort_execution(cancelled_failure({}));
  end_as_requested();
}

void Step::end_as_requested() {
  end(cancelled_failure({}), JobState::kCancelled, Trigger::kCancel);
  change_.cancelled_as_requested = true;
}

void Step::settle_credits(JobState ending) {
  JobFacts& job = change_.job;
  const bool penalty = ending == JobState::kRejected;
  if (penalty) change_.effects.add(Effect::kAuditSafeBlock);
  if (job.held == 0) return;
  change_.effects.add(penalty ? Effect::kCaptureCredits : Effect::kReleaseCredits);
  change_.credits = job.held;
  job.held = 0;
}

void Step::close() {
  JobFacts& job = change_.job;
  job.completed_at = now_;
  change_.effects.add(Effect::kSettleDependents);
  if (job.has_callback) change_.effects.add(Effect::kSendWebhook);
  if (job.has_account) change_.effects.add(Effect::kLeaveQuota);
}

Change Step::take() { return std::move(change_); }

}  // namespace baton::lifecycle
