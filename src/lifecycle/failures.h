// Which failures another attempt may mend, and the failures that Baton itself reports. Pure.
#pragma once

#include "lifecycle/event.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

// Whether a failure of this kind is worth another attempt under these terms. A lost lease always
// is, and so is a job that could not be read; TIMEOUT and SYSTEM are as the terms say.
bool is_retryable(const Terms& terms, FailureCategory category, std::string_view code);

// Whether an execution that ended so was given back: that is no failure.
bool is_release(FailureCategory category, std::string_view code);

// The failures that no worker reports.
FailureView lease_lost_failure();
FailureView damaged_failure();
FailureView timeout_failure();
FailureView lifetime_failure();
FailureView dependency_failure(std::string_view because);
FailureView released_failure(std::string_view reason);
FailureView cancelled_failure(std::string_view reason);
FailureView rejected_failure(std::string_view reason);

}  // namespace baton::lifecycle
