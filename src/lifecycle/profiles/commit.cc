#include "lifecycle/profiles/tables.h"

namespace baton::lifecycle {

using base::days;
using base::hours;
using base::milliseconds;
using base::minutes;
using base::seconds;

const Profile kCommitProfile = {
    .name = "commit",
    .summary = "executions are the source of truth, the job state is derived from them",
    .words =
        {
            "",
            "",           // CREATED
            "PENDING",    // PENDING
            "PENDING",    // DELAYED
            "PENDING",    // SCHEDULED
            "RUNNING",    // RUNNING
            "PENDING",    // RETRYING
            "SUCCEEDED",  // COMPLETED
            "FAILED",     // FAILED
            "",           // DEAD_LETTER
            "FAILED",     // CANCELLED
            "",           // REJECTED
        },
    .policy =
        {
            .exhausted = JobState::kFailed,
            .permanent = JobState::kFailed,
            .retry = {.max_attempts = 4,
                      .strategy = Strategy::kConstant,
                      .initial = milliseconds(0),
                      .multiplier = 2.0,
                      .max = hours(1),
                      .jitter = Jitter::kNone,
                      .table = {},
                      .function_name = {},
                      .function = nullptr},
            .lost_lease_wait = milliseconds(0),
            .free_releases = kFreeReleases,
            .lease = seconds(30),
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
