#include "lifecycle/derive.h"

#include <algorithm>

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

JobState after_abort(std::span<const ExecutionEvidence> executions, const JobEvidence& facts) {
  const Terms& terms = *facts.terms;
  const Policy& policy = terms.profile->policy;
  const auto released = [](const ExecutionEvidence& execution) {
    return is_release(execution.category, execution.code);
  };
  const ExecutionEvidence& last = executions.back();
  if (!released(last) && !is_retryable(terms, last.category, last.code)) return policy.permanent;
  const auto releases = std::count_if(executions.begin(), executions.end(), released);
  const auto free = std::min<std::ptrdiff_t>(releases, policy.free_releases);
  if (std::ssize(executions) - free >= terms.retry.max_attempts) return policy.exhausted;
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
  return after_abort(executions, facts);
}

}  // namespace baton::lifecycle
