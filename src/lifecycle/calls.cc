#include "lifecycle/calls.h"

#include <array>

#include "base/assert.h"

namespace baton::lifecycle {
namespace {

using Kind = CallKind;
using Status = ExecutionStatus;
using Outcome = CallOutcome;

const CallRow kCallTable[] = {
    {Kind::kStart, Status::kLeased, Outcome::kStart},
    {Kind::kStart, Status::kInProgress, Outcome::kRepeat},
    {Kind::kStart, Status::kCommitted, Outcome::kAlreadyCommitted},
    {Kind::kStart, Status::kDone, Outcome::kAlreadyCommitted},
    {Kind::kStart, Status::kAborted, Outcome::kStaleLease},

    {Kind::kHeartbeat, Status::kLeased, Outcome::kExtend},
    {Kind::kHeartbeat, Status::kInProgress, Outcome::kExtend},
    {Kind::kHeartbeat, Status::kCommitted, Outcome::kExtend},
    {Kind::kHeartbeat, Status::kDone, Outcome::kStaleLease},
    {Kind::kHeartbeat, Status::kAborted, Outcome::kStaleLease},

    {Kind::kCommit, Status::kLeased, Outcome::kInvalidTransition},
    {Kind::kCommit, Status::kInProgress, Outcome::kCommit},
    {Kind::kCommit, Status::kCommitted, Outcome::kRepeat},
    {Kind::kCommit, Status::kDone, Outcome::kRepeat},
    {Kind::kCommit, Status::kAborted, Outcome::kStaleOrCommitted},

    {Kind::kDone, Status::kLeased, Outcome::kInvalidTransition},
    {Kind::kDone, Status::kInProgress, Outcome::kInvalidTransition},
    {Kind::kDone, Status::kCommitted, Outcome::kFinish},
    {Kind::kDone, Status::kDone, Outcome::kRepeat},
    {Kind::kDone, Status::kAborted, Outcome::kStaleOrCommitted},

    {Kind::kAck, Status::kLeased, Outcome::kFinish},
    {Kind::kAck, Status::kInProgress, Outcome::kFinish},
    {Kind::kAck, Status::kCommitted, Outcome::kFinish},
    {Kind::kAck, Status::kDone, Outcome::kRepeat},
    {Kind::kAck, Status::kAborted, Outcome::kStaleOrCommitted},

    {Kind::kNack, Status::kLeased, Outcome::kAbort},
    {Kind::kNack, Status::kInProgress, Outcome::kAbort},
    {Kind::kNack, Status::kCommitted, Outcome::kAlreadyCommitted},
    {Kind::kNack, Status::kDone, Outcome::kAlreadyCommitted},
    {Kind::kNack, Status::kAborted, Outcome::kStaleLease},

    {Kind::kReject, Status::kLeased, Outcome::kAbort},
    {Kind::kReject, Status::kInProgress, Outcome::kAbort},
    {Kind::kReject, Status::kCommitted, Outcome::kAlreadyCommitted},
    {Kind::kReject, Status::kDone, Outcome::kAlreadyCommitted},
    {Kind::kReject, Status::kAborted, Outcome::kStaleLease},

    {Kind::kCancelled, Status::kLeased, Outcome::kAbort},
    {Kind::kCancelled, Status::kInProgress, Outcome::kAbort},
    {Kind::kCancelled, Status::kCommitted, Outcome::kAlreadyCommitted},
    {Kind::kCancelled, Status::kDone, Outcome::kAlreadyCommitted},
    {Kind::kCancelled, Status::kAborted, Outcome::kStaleLease},

    {Kind::kRelease, Status::kLeased, Outcome::kAbort},
    {Kind::kRelease, Status::kInProgress, Outcome::kAbort},
    {Kind::kRelease, Status::kCommitted, Outcome::kAlreadyCommitted},
    {Kind::kRelease, Status::kDone, Outcome::kAlreadyCommitted},
    {Kind::kRelease, Status::kAborted, Outcome::kStaleLease},

    {Kind::kSpawn, Status::kLeased, Outcome::kStage},
    {Kind::kSpawn, Status::kInProgress, Outcome::kStage},
    {Kind::kSpawn, Status::kCommitted, Outcome::kAlreadyCommitted},
    {Kind::kSpawn, Status::kDone, Outcome::kAlreadyCommitted},
    {Kind::kSpawn, Status::kAborted, Outcome::kStaleLease},

    {Kind::kAsset, Status::kLeased, Outcome::kStage},
    {Kind::kAsset, Status::kInProgress, Outcome::kStage},
    {Kind::kAsset, Status::kCommitted, Outcome::kAlreadyCommitted},
    {Kind::kAsset, Status::kDone, Outcome::kAlreadyCommitted},
    {Kind::kAsset, Status::kAborted, Outcome::kStaleLease},
};

}  // namespace

std::span<const CallRow> call_table() { return kCallTable; }

CallOutcome outcome_of(CallKind call, ExecutionStatus status) {
  for (const CallRow& row : kCallTable) {
    if (row.call == call && row.status == status) return row.outcome;
  }
  base::assertion_failed("every call has an outcome in every status", __FILE__, __LINE__);
}

}  // namespace baton::lifecycle
