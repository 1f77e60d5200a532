#include "lifecycle/transitions.h"

namespace baton::lifecycle {
namespace {

using enum JobState;
using enum Trigger;

const Transition kTransitions[] = {
    // Beginning.
    {kNone, kCreated, kCreate, "a job is made and waits to be submitted"},
    {kNone, kPending, kCreate, "a job is made"},
    {kCreated, kPending, kSubmit, "a job that was made is submitted"},
    {kPending, kScheduled, kReady, "its dependencies allow it and there is no time to wait for"},
    {kPending, kDelayed, kDelay, "its dependencies allow it and its time is still ahead"},
    {kDelayed, kScheduled, kDue, "its time has come"},
    {kScheduled, kRunning, kClaim, "a worker claims it"},

    // How an execution ends.
    {kRunning, kCompleted, kDone, "an execution reached DONE after COMMITTED"},
    {kRunning, kRetrying, kFailure, "the worker reports a failure"},
    {kRunning, kRetrying, kTimeout, "the execution passed its deadline"},
    {kRunning, kRetrying, kLeaseLost, "the lease ended without a heartbeat"},
    {kRunning, kRetrying, kRelease, "the worker gives it back"},
    {kRunning, kFailed, kPermanent, "a failure that no retry can mend"},
    {kRunning, kFailed, kExhausted, "the last attempt failed"},
    {kRunning, kDeadLetter, kExhausted, "the last attempt failed"},
    {kRetrying, kScheduled, kBackoff, "the backoff is over"},
    {kRetrying, kDeadLetter, kExhausted, "the failure was the last attempt's"},
    {kRetrying, kDeadLetter, kPermanent, "the failure was one that no retry can mend"},

    // Moderation.
    {kRunning, kRejected, kReject, "the worker's moderation refuses it"},
    {kPending, kRejected, kReject, "an operator refuses it before it runs"},
    {kDelayed, kRejected, kReject, "an operator refuses it before it runs"},
    {kScheduled, kRejected, kReject, "an operator refuses it before it runs"},

    // Cancellation.
    {kCreated, kCancelled, kCancel, "a client cancels the draft"},
    {kPending, kCancelled, kCancel, "a client cancels it"},
    {kDelayed, kCancelled, kCancel, "a client cancels it"},
    {kScheduled, kCancelled, kCancel, "a client cancels it"},
    {kRunning, kCancelled, kCancel, "a requested cancel takes effect, or is forced"},
    {kRetrying, kCancelled, kCancel, "a client cancels it"},

    // Total lifetime.
    {kCreated, kFailed, kLifetime, "its total lifetime is over"},
    {kPending, kFailed, kLifetime, "its total lifetime is over"},
    {kDelayed, kFailed, kLifetime, "its total lifetime is over"},
    {kScheduled, kFailed, kLifetime, "its total lifetime is over"},
    {kRunning, kFailed, kLifetime, "its total lifetime is over"},
    {kRetrying, kFailed, kLifetime, "its total lifetime is over"},
    {kPending, kDeadLetter, kLifetime, "its total lifetime is over"},
    {kDelayed, kDeadLetter, kLifetime, "its total lifetime is over"},
    {kScheduled, kDeadLetter, kLifetime, "its total lifetime is over"},
    {kRunning, kDeadLetter, kLifetime, "its total lifetime is over"},
    {kRetrying, kDeadLetter, kLifetime, "its total lifetime is over"},

    // Dependencies.
    {kPending, kFailed, kDependency, "a dependency failed"},
    {kPending, kDeadLetter, kDependency, "a dependency is in the dead letter"},
    {kPending, kCancelled, kDependency, "a dependency was cancelled"},
};

}  // namespace

std::span<const Transition> transitions() { return kTransitions; }

const Transition* find_transition(JobState from, JobState to, Trigger trigger) {
  for (const Transition& row : kTransitions) {
    if (row.from == from && row.to == to && row.trigger == trigger) return &row;
  }
  return nullptr;
}

}  // namespace baton::lifecycle
