// The part of decide() that answers a worker's calls. Internal to the folder.
#pragma once

#include "baton/result.h"
#include "lifecycle/step.h"

namespace baton::lifecycle {

// What `call` does to `job`; `step` is a fresh step on that job.
Result<Change> decide_call(const JobFacts& job, const Call& call, Step step);

}  // namespace baton::lifecycle
