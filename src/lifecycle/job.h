// The facts about a job that decisions depend on, as a plain value without text: what a store
// keeps in memory for a live job. Payload, tags, messages and names are the store's business.
#pragma once

#include <cstdint>
#include <optional>

#include "baton/job.h"
#include "lifecycle/profile.h"
#include "lifecycle/retry.h"
#include "lifecycle/states.h"
#include "lifecycle/terms.h"

namespace baton::lifecycle {

// One claim of a job. Its attempt number is also its lease version.
struct ExecutionFacts {
  int attempt = 0;  // 0: the job was never claimed
  ExecutionStatus status = ExecutionStatus::kLeased;
  LeaseToken token;
  Duration lease{};  // how long a heartbeat extends the lease
  Time claimed_at;
  Time started_at;
  Time committed_at;
  Time finished_at;
  Time lease_expires_at;
  Time deadline_at;

  friend bool operator==(const ExecutionFacts&, const ExecutionFacts&) = default;
};

inline constexpr int kNoProgress = -1;

struct JobFacts {
  TermsRef terms;
  JobState state = JobState::kNone;
  Priority priority = Priority::kNormal;
  bool cancel_requested = false;
  bool has_callback = false;       // a webhook is owed at the end
  bool has_account = false;        // an account's quota counts it while it is active
  bool has_staged = false;         // the running execution has staged children
  std::uint8_t payload_class = 0;  // how large its payload is (payload_class.h)
  int attempt = 0;                 // executions so far
  int retry_count = 0;             // how often a failure or a counted release made it RETRYING
  int release_count = 0;           // how often a worker gave it back
  int progress = kNoProgress;
  std::int64_t version = 0;        // rises with every change that a reader can see
  std::int64_t history_count = 0;  // the sequence number of its newest history entry
  Amount held = 0;                 // credits reserved, neither captured nor released yet
  Duration delay{};                // a draft's delay, which counts from its submission
  Time not_before;                 // no attempt starts earlier
  Time created_at;
  Time updated_at;    // the last change of state
  Time scheduled_at;  // the last entry into SCHEDULED
  Time run_at;        // when DELAYED or RETRYING ends; unset in every other state
  Time started_at;    // the claim of the current attempt
  Time completed_at;  // the entry into a terminal state
  std::optional<FailureCategory> failure_category;  // of the latest failure; success clears it
  std::optional<ErrorType> error_type;
  ExecutionFacts execution;  // the latest one

  friend bool operator==(const JobFacts&, const JobFacts&) = default;
};

// A job has at most one COMMITTED execution, ever, and it is the latest one.
inline bool is_committed(const JobFacts& job) {
  return job.attempt > 0 && (job.execution.status == ExecutionStatus::kCommitted ||
                             job.execution.status == ExecutionStatus::kDone);
}

// The attempts that count against max_attempts: the first releases are free.
int spent_attempts(const JobFacts& job);
// Whether the job may run again after the attempts that it has had.
inline bool has_attempts_left(const JobFacts& job) {
  return spent_attempts(job) < job.terms->retry.max_attempts;
}

// When the job's total lifetime is over.
inline Time lifetime_end(const JobFacts& job) { return job.created_at + job.terms->lifetime; }

}  // namespace baton::lifecycle
