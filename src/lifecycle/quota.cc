#include "lifecycle/quota.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/assert.h"

namespace baton::lifecycle {
namespace {

const std::array<int, 3> kTierLimits = {5, 50, 500};
const Duration kWindow = base::hours(1);

// Nobody knows when an active job will end; a client that asks again this soon does no harm.
const Duration kAskAgain = base::seconds(1);

bool in_window(Time submitted, Time now) { return now < submitted + kWindow; }

auto first_in_window(const std::vector<Time>& submissions, Time now) {
  return std::find_if(submissions.begin(), submissions.end(),
                      [&](Time submitted) { return in_window(submitted, now); });
}

Error exceeded(std::string what, Duration retry_after) {
  return {Code::kQuotaExceeded, "the account already has " + std::move(what), "account",
          retry_after};
}

}  // namespace

int tier_limit(Tier tier) { return kTierLimits[static_cast<std::size_t>(tier)]; }

Status check_quota(const QuotaUse& use, Tier tier, Time now) {
  const std::int64_t limit = tier_limit(tier);
  if (use.active >= limit) {
    return exceeded(std::to_string(use.active) + " active jobs", kAskAgain);
  }
  const auto first = first_in_window(use.submissions, now);
  const std::int64_t recent = use.submissions.end() - first;
  if (recent >= limit) {
    const Time frees = *(first + (recent - limit)) + kWindow;
    return exceeded(std::to_string(recent) + " submissions within the hour", frees - now);
  }
  return Ok{};
}

void count_submission(QuotaUse& use, Time now) {
  add_submission(use.submissions, now);
  ++use.active;
}

void add_submission(std::vector<Time>& submissions, Time now) {
  submissions.erase(submissions.begin(), first_in_window(submissions, now));
  submissions.push_back(now);
}

void count_ended(QuotaUse& use) {
  BATON_ASSERT(use.active > 0);
  --use.active;
}

}  // namespace baton::lifecycle
