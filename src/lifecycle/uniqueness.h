// For how long a job holds its unique key, which no second job of its type may have meanwhile. A
// key that was given back is never taken again by the same job. Pure.
#pragma once

#include "lifecycle/job.h"

namespace baton::lifecycle {

// Whether a job that was made with a unique key still holds it.
bool holds_unique(UniqueWhile held_while, const JobFacts& job);

// Whether another job may take the key from a holder in this state.
bool can_be_replaced(JobState holder);

}  // namespace baton::lifecycle
