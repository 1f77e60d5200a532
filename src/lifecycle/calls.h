// What each call of a worker does in each status of its execution: one row for every pair. A wrong
// token never gets this far. Pure data: read it from any thread.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "lifecycle/event.h"

namespace baton::lifecycle {

// The columns: the statuses of an execution, where ABORTED also stands for every execution that is
// no longer its job's latest.
enum class CallOutcome : std::uint8_t {
  kStart,              // LEASED → IN_PROGRESS
  kExtend,             // the lease is extended
  kCommit,             // → COMMITTED
  kFinish,             // → DONE, committing first if that is still to be done
  kAbort,              // → ABORTED
  kStage,              // kept until the commit
  kRepeat,             // done before: the same answer again, nothing written
  kAlreadyCommitted,   // refused with already_committed
  kStaleLease,         // refused with stale_lease
  kStaleOrCommitted,   // already_committed if another execution committed, else stale_lease
  kInvalidTransition,  // refused with invalid_transition
};

struct CallRow {
  CallKind call;
  ExecutionStatus status;
  CallOutcome outcome;
};

std::span<const CallRow> call_table();

CallOutcome outcome_of(CallKind call, ExecutionStatus status);

}  // namespace baton::lifecycle

template <>
inline constexpr std::array<std::string_view, 11> baton::kNames<baton::lifecycle::CallOutcome> = {
    "start",
    "extend",
    "commit",
    "finish",
    "abort",
    "stage",
    "repeat",
    "already_committed",
    "stale_lease",
    "stale_or_committed",
    "invalid_transition",
};
