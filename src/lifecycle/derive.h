// The state of a job as a pure function of its execution rows and a few facts of its own. Stores
// do not use it to run; it is the oracle that tests compare every store with.
#pragma once

#include <span>

#include "lifecycle/event.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

// One execution row, as far as the job's state depends on it.
struct ExecutionEvidence {
  ExecutionStatus status = ExecutionStatus::kLeased;
  FailureCategory category = FailureCategory::kTemporary;  // kAborted only
  std::string_view code;                                   // kAborted only
};

// What the rows cannot tell.
struct JobEvidence {
  const Terms* terms = nullptr;
  bool submitted = true;  // false: a draft
  Verdict dependencies = Verdict::ready();
  bool waits = false;      // a delay or a backoff is still running
  bool cancelled = false;  // a cancel took effect
  bool rejected = false;   // moderation took effect
  bool expired = false;    // the total lifetime took effect
};

// `executions` in the order in which they were made.
JobState derive(std::span<const ExecutionEvidence> executions, const JobEvidence& facts);

}  // namespace baton::lifecycle
