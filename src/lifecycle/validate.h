// Checks what callers send against the limits, and resolves a submission's settings into the terms
// that its job will have. Pure. Every refusal names the field and the limit: invalid_job for a
// value out of range, not_in_profile for a setting that the profile does not take,
// payload_too_large for the payload.
#pragma once

#include <string_view>

#include "baton/options.h"
#include "baton/queue.h"
#include "baton/result.h"
#include "lifecycle/event.h"

namespace baton::lifecycle {

// The terms of a job that is submitted so to a queue that is set so. `functions` are those that
// retry settings may name.
Result<Terms> accept(const Submission& submission, const QueueSettings& queue,
                     const BackoffFunctions& functions = {});

// A job that could not begin to run before its lifetime is over is refused when it is made at
// `now`.
Status check_time_to_run(const Submission& submission, const Terms& terms, Time now);
// The refusal of a time at or beyond the end of a lifetime.
Error beyond_lifetime(const Terms& terms, std::string field);

// The settings of a queue by themselves, before they are stored.
Status check_queue(const QueueSettings& queue, const BackoffFunctions& functions = {});

Status check_queue_name(std::string_view name);

// What a worker says of a failure: a code is required for PERMANENT.
Status check_failure(const FailureView& failure);

// Texts that come with a call: payload_too_large for a result or checkpoint that is.
Status check_message(std::string_view message);
Status check_reason(std::string_view reason);
Status check_checkpoint(std::string_view checkpoint);
Status check_result(std::string_view bytes, std::string_view content_type);

// A delay that a worker asks for.
Status check_retry_after(Duration retry_after);

// A delay that a release asks for.
Status check_release_delay(Duration delay);

// A lease length that a worker asks for, in a field of this name.
Status check_lease(Duration lease, const char* field);

}  // namespace baton::lifecycle
