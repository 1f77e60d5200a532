// What the states of a job have in common. The states themselves and all other words of the model
// are in baton/words.h; how a profile calls a state is in profile.h.
#pragma once

#include <cstddef>

#include "baton/words.h"

namespace baton::lifecycle {

inline constexpr std::size_t kJobStateCount = kNames<JobState>.size();
inline constexpr std::size_t kExecutionStatusCount = kNames<ExecutionStatus>.size();
inline constexpr std::size_t kPriorityCount = kNames<Priority>.size();
inline constexpr std::size_t kTriggerCount = kNames<Trigger>.size();
inline constexpr std::size_t kCallKindCount = kNames<CallKind>.size();

// Waiting states: not running and not terminal.
bool is_waiting(JobState state);

// CREATED or PENDING: how its dependencies end still matters to the job.
bool is_before_schedule(JobState state);

}  // namespace baton::lifecycle
