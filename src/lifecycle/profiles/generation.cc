#include "lifecycle/profiles/tables.h"

namespace baton::lifecycle {

using base::days;
using base::hours;
using base::milliseconds;
using base::minutes;
using base::seconds;

const Profile kGenerationProfile = {
    .name = "generation",
    .summary = "paid generation work: guards, credits, moderation, assets",
    .words =
        {
            "",
            "",             // CREATED
            "queued",       // PENDING
            "queued",       // DELAYED
            "queued",       // SCHEDULED
            "running",      // RUNNING
            "failed",       // RETRYING
            "completed",    // COMPLETED
            "",             // FAILED
            "dead_letter",  // DEAD_LETTER
            "cancelled",    // CANCELLED
            "rejected",     // REJECTED
        },
    .policy =
        {
            .exhausted = JobState::kDeadLetter,
            .permanent = JobState::kDeadLetter,
            .retry = {.max_attempts = 3,
                      .strategy = Strategy::kExponential,
                      .initial = seconds(2),
                      .multiplier = 2.0,
                      .max = seconds(30),
                      .jitter = Jitter::kNone,
                      .table = {},
                      .function_name = {},
                      .function = nullptr},
            .lost_lease_wait = milliseconds(0),
            .free_releases = kFreeReleases,
            .lease = seconds(30),
            .execution = minutes(5),
            .lifetime = days(7),
            .retry_pinned = false,
            .last_failure_retries = true,
            .key_default = KeyDefault::kAuto,
            .failed_frees_key = true,
            .quota = true,
        },
};

}  // namespace baton::lifecycle
