#include "lifecycle/profiles/tables.h"

namespace baton::lifecycle {

using base::days;
using base::hours;
using base::milliseconds;
using base::minutes;
using base::seconds;

const Profile kDocumentProfile = {
    .name = "document",
    .summary = "document processing: drafts, three retries one second apart",
    .words =
        {
            "",
            "CREATED",    // CREATED
            "QUEUED",     // PENDING
            "QUEUED",     // DELAYED
            "QUEUED",     // SCHEDULED
            "RUNNING",    // RUNNING
            "RETRYING",   // RETRYING
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
                      .initial = seconds(1),
                      .multiplier = 2.0,
                      .max = seconds(1),
                      .jitter = Jitter::kNone,
                      .table = {},
                      .function_name = {},
                      .function = nullptr},
            .lost_lease_wait = seconds(1),
            .free_releases = kFreeReleases,
            .lease = seconds(30),
            .execution = minutes(30),
            .lifetime = days(7),
            .retry_pinned = true,
            .last_failure_retries = false,
            .key_default = KeyDefault::kNone,
            .failed_frees_key = false,
            .quota = false,
        },
};

}  // namespace baton::lifecycle
