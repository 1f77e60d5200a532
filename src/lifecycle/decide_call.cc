#include "lifecycle/decide_call.h"

#include <algorithm>
#include <string>

#include "base/assert.h"
#include "lifecycle/calls.h"
#include "lifecycle/failures.h"
#include "lifecycle/validate.h"

namespace baton::lifecycle {
namespace {

Error refused(Code code, std::string message, std::string field = {}) {
  return {code, std::move(message), std::move(field), {}};
}

Error stale_lease() {
  return refused(Code::kStaleLease, "the lease is not held any more, or the token is wrong");
}

Error already_committed() {
  return refused(Code::kAlreadyCommitted, "an execution of the job has committed");
}

// Whether the caller shows the token of the execution it names.
bool holds_token(const JobFacts& job, const Call& call) {
  if (call.attempt < 1 || call.attempt > job.attempt) return false;
  if (call.attempt == job.attempt) return call.token == job.execution.token;
  return call.former_token && call.token == *call.former_token;
}

// Every execution but the latest is over.
ExecutionStatus status_of(const JobFacts& job, const Call& call) {
  return call.attempt == job.attempt ? job.execution.status : ExecutionStatus::kAborted;
}

Result<Change> start(const Call& call, Step step) {
  ExecutionFacts& execution = step.execution();
  if (call.execution) {
    const Time deadline = execution.claimed_at + *call.execution;
    if (deadline > execution.deadline_at) {
      return refused(Code::kInvalidJob, "execution_ms must not be longer than the job's own",
                     "execution_ms");
    }
    execution.deadline_at = deadline;
    execution.lease_expires_at = std::min(execution.lease_expires_at, deadline);
  }
  execution.status = ExecutionStatus::kInProgress;
  execution.started_at = step.now();
  step.touch();
  return step.take();
}

Result<Change> extend(const Call& call, Step step) {
  ExecutionFacts& execution = step.execution();
  execution.lease_expires_at = lease_end(execution, step.now());
  const bool brings_data = call.progress || call.brings_data;
  if (call.progress) step.job().progress = *call.progress;
  if (brings_data) step.touch();
  step.change().durable = brings_data;
  return step.take();
}

Result<Change> finish(const JobFacts& job, Step step) {
  if (!is_committed(job)) step.commit_execution();
  step.finish_execution();
  return step.take();
}

// The lease stays when the job is not to be given back so.
Result<Change> release(const JobFacts& job, const Call& call, Step step) {
  const Profile& profile = *job.terms->profile;
  if (call.delay && profile.policy.retry_pinned) {
    return refused(Code::kNotInProfile,
                   "profile " + std::string(profile.name) + " has a fixed backoff", "delay_ms");
  }
  const Duration delay = call.delay.value_or(Duration{});
  if (delay > Duration{} && step.now() + delay >= lifetime_end(job)) {
    return beyond_lifetime(*job.terms, "delay_ms");
  }
  step.release_execution(call.failure.message, delay);
  return step.take();
}

Result<Change> abort(const JobFacts& job, const Call& call, Step step) {
  const Profile& profile = *job.terms->profile;
  switch (call.kind) {
    case CallKind::kReject:
      if (!profile.has(JobState::kRejected)) {
        return refused(Code::kNotInProfile,
                       "profile " + std::string(profile.name) + " has no moderation");
      }
      step.abort_and_end(rejected_failure(call.failure.message), JobState::kRejected,
                         Trigger::kReject);
      return step.take();
    case CallKind::kCancelled:
      if (!job.cancel_requested) {
        return refused(Code::kInvalidTransition, "nobody asked for the job to be cancelled");
      }
      step.abort_as_requested();
      return step.take();
    case CallKind::kRelease:
      return release(job, call, std::move(step));
    default:
      if (call.retry_after && profile.policy.retry_pinned) {
        return refused(Code::kNotInProfile,
                       "profile " + std::string(profile.name) + " has a fixed backoff",
                       "retry_after_ms");
      }
      step.fail_execution(call.failure, Trigger::kFailure, call.retry_after.value_or(Duration{}));
      return step.take();
  }
}

Result<Change> stage(const Call& call, Step step) {
  if (call.kind == CallKind::kSpawn) step.job().has_staged = true;
  step.touch();
  return step.take();
}

}  // namespace

Result<Change> decide_call(const JobFacts& job, const Call& call, Step step) {
  if (!holds_token(job, call)) return stale_lease();
  switch (outcome_of(call.kind, status_of(job, call))) {
    case CallOutcome::kStart:
      return start(call, std::move(step));
    case CallOutcome::kExtend:
      return extend(call, std::move(step));
    case CallOutcome::kCommit:
      step.commit_execution();
      return step.take();
    case CallOutcome::kFinish:
      return finish(job, std::move(step));
    case CallOutcome::kAbort:
      return abort(job, call, std::move(step));
    case CallOutcome::kStage:
      return stage(call, std::move(step));
    case CallOutcome::kRepeat:
      step.change().repeated = true;
      return step.take();
    case CallOutcome::kAlreadyCommitted:
      return already_committed();
    case CallOutcome::kStaleLease:
      return stale_lease();
    case CallOutcome::kStaleOrCommitted:
      return is_committed(job) ? already_committed() : stale_lease();
    case CallOutcome::kInvalidTransition:
      return refused(Code::kInvalidTransition, "the execution must be started and committed first");
  }
  return stale_lease();
}

}  // namespace baton::lifecycle
