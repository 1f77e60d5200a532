#include "lifecycle/profiles/tables.h"

namespace baton::lifecycle {

using base::days;
using base::hours;
using base::milliseconds;
using base::minutes;
using base::seconds;

const Profile kStandardProfile = {
    .name = "standard",
    .summary = "the full job model: priorities, delays, retries, dependencies, dead letter",
    .words =
        {
            "",
            "",             // CREATED
            "PENDING",      // PENDING
            "DELAYED",      // DELAYED
            "SCHEDULED",    // SCHEDULED
            "RUNNING",      // RUNNING
            "RETRYING",     // RETRYING
            "COMPLETED",    // COMPLETED
            "FAILED",       // FAILED
            "DEAD_LETTER",  // DEAD_LETTER
            "CANCELLED",    // CANCELLED
            "",             // REJECTED
        },
    .policy =
        {
            .exhausted = JobState::kDeadLetter,
            .permanent = JobState::kFailed,
            .retry = {.max_attempts = 3,
                      .strategy = Strategy::kExponential,
                      .initial = seconds(1),
                      .multiplier = 2.0,
                      .max = hours(1),
                      .jitter = Jitter::kNone,
                      .table = {},
                      .function_name = {},
                      .function = nullptr},
            .lost_lease_wait = milliseconds(0),
            .free_releases = kFreeReleases,
            .lease = minutes(5),
            .execution = minutes(30),
            .lifetime = days(7),
            .retry_pinned = false,
            .last_failure_retries = false,
            .key_default = KeyDefault::kNone,
            .failed_frees_key = false,
            .quota = false,
        },
};

}  // namespace baton::lifecycle
