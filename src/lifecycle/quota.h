// How many jobs an account may have: so many active at once, and so many submitted within any
// hour, by tier. Pure arithmetic on a value that the store keeps for each account.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "baton/result.h"

namespace baton::lifecycle {

// Both limits of a tier: active jobs at once, and submissions within any hour.
int tier_limit(Tier tier);

struct QuotaUse {
  std::int64_t active = 0;
  std::vector<Time> submissions;  // of the past hour, oldest first; never more than the limit
};

// Whether one more job fits: quota_exceeded with the time to wait when it does not.
Status check_quota(const QuotaUse& use, Tier tier, Time now);

// One more job: forgets submissions that are an hour old, and counts this one.
void count_submission(QuotaUse& use, Time now);
// The same for the submissions alone.
void add_submission(std::vector<Time>& submissions, Time now);

// A job of the account ended.
void count_ended(QuotaUse& use);

}  // namespace baton::lifecycle
