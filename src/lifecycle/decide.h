// The only place in the project where a state changes. Both functions are pure: the same job,
// event, time and random number give the same change. Stores apply what they are handed, whole and
// in one atomic step; they never decide.
#pragma once

#include <cstdint>
#include <optional>

#include "baton/result.h"
#include "lifecycle/change.h"
#include "lifecycle/event.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

// What `event` does to `job` at `now`. `random` is one 64-bit random number, used for jitter.
//
// Refusals change nothing: invalid_transition (the state does not allow it), not_in_profile (the
// profile has no such state or setting), stale_lease, already_committed, conflict (the version is
// not the current one), invalid_job (a worker asks for more than it may).
//
// Whatever was due at `as_of` (unset: at `now`) must have been applied before (see settle);
// TimerDue and Restart are the exceptions. An event that came earlier than it could be applied is
// judged as of its arrival, which a timer that fell due since then does not undo; all that it sets
// counts from `now`, so that times never fall. Such a timer is then still due.
// A job that does not exist yet is a Job{} and only takes Create.
Result<Change> decide(const JobFacts& job, const Event& event, Time now, std::uint64_t random,
                      Time as_of = {});

// The first timer that is due at `now`, in the order lifetime, deadline, lease, delay or backoff.
std::optional<Timer> first_due(const JobFacts& job, Time now);

// Applies the first timer that is due at `now`; nothing is due after it. nullopt when nothing is
// due. Stores call it before every command that names a job, and when a timer fires.
std::optional<Change> settle(const JobFacts& job, Time now, std::uint64_t random);

}  // namespace baton::lifecycle
