#include "lifecycle/profiles/tables.h"

namespace baton::lifecycle {

using base::days;
using base::hours;
using base::milliseconds;
using base::minutes;
using base::seconds;

const Profile kLeaseProfile = {
    .name = "lease",
    .summary = "a work queue: short leases, fencing tokens, full jitter",
    .words =
        {
            "",
            "",           // CREATED
            "Ready",      // PENDING
            "Ready",      // DELAYED
            "Ready",      // SCHEDULED
            "InFlight",   // RUNNING
            "Ready",      // RETRYING
            "Succeeded",  // COMPLETED
            "Failed",     // FAILED
            "",           // DEAD_LETTER
            "Failed",     // CANCELLED
            "",           // REJECTED
        },
    .policy =
        {
            .exhausted = JobState::kFailed,
            .permanent = JobState::kFailed,
            .retry = {.max_attempts = 4,
                      .strategy = Strategy::kExponential,
                      .initial = milliseconds(500),
                      .multiplier = 2.0,
                      .max = seconds(30),
                      .jitter = Jitter::kFull,
                      .table = {},
                      .function_name = {},
                      .function = nullptr},
            .lost_lease_wait = milliseconds(0),
            .free_releases = 0,
            .lease = seconds(5),
            .execution = minutes(5),
            .lifetime = days(7),
            .retry_pinned = false,
            .last_failure_retries = false,
            .key_default = KeyDefault::kNone,
            .failed_frees_key = false,
            .quota = false,
        },
};

}  // namespace baton::lifecycle
