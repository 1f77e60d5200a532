#include "lifecycle/derive.h"

#include "lifecycle/failures.h"

namespace baton::lifecycle {
namespace {

// Endings that come from the job's own facts.
JobState own_ending(const JobEvidence& facts) {
  const Profile& profile = *facts.terms->profile;
  if (facts.cancelled) return JobState::kCancelled;
  if (facts.rejected) return JobState::kRejected;
  if (facts.expired) return profile.policy.exhausted;
  if (facts.dependencies.kind == Verdict::Kind::kBad) {
    return dependent_ending(profile, facts.dependencies.ending);
  }
  return JobState::kNone;
}

JobState before_first_execution(const JobEvidence& facts) {
  if (!facts.submitted) return JobState::kCreated;
  if (facts.dependencies.kind == Verdict::Kind::kWaiting) return JobState::kPending;
  return facts.waits ? JobState::kDelayed : JobState::kScheduled;
}

JobState after_abort(const ExecutionEvidence& last, std::size_t attempts,
                     const JobEvidence& facts) {
  const Terms& terms = *facts.terms;
  if (!is_retryable(terms, last.category, last.code)) return terms.profile->policy.permanent;
  if (attempts >= static_cast<std::size_t>(terms.retry.max_attempts)) {
    return terms.profile->policy.exhausted;
  }
  return facts.waits ? JobState::kRetrying : JobState::kScheduled;
}

}  // namespace

JobState derive(std::span<const ExecutionEvidence> executions, const JobEvidence& facts) {
  for (const ExecutionEvidence& execution : executions) {
    if (execution.status == ExecutionStatus::kDone) return JobState::kCompleted;
    if (execution.status != ExecutionStatus::kAborted) return JobState::kRunning;
  }
  const JobState ending = own_ending(facts);
  if (ending != JobState::kNone) return ending;
  if (executions.empty()) return before_first_execution(facts);
  return after_abort(executions.back(), executions.size(), facts);
}

}  // namespace baton::lifecycle
