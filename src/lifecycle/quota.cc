#include "lifecycle/quota.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/assert.h"

namespace baton::lifecycle {
namespace {

using base::Code;
using base::Error;
using base::Ok;

const std::array<int, 3> kTierLimits = {5, 50, 500};
const Duration kWindow = base::hours(1);

// Nobody knows when an active job will end; a client that asks again this soon does no harm.
const Duration kAskAgain = base::seconds(1);

bool in_window(Time submitted, Time now) { return now < submitted + kWindow; }

Error exceeded(std::string what, Duration retry_after) {
  return {Code::kQuotaExceeded, "the account already has " + std::move(what), "account",
          retry_after};
}

}  // namespace

int tier_limit(Tier tier) { return kTierLimits[static_cast<std::size_t>(tier)]; }

base::Status check_quota(const QuotaUse& use, Tier tier, Time now) {
  const std::int64_t limit = tier_limit(tier);
  if (use.active >= limit) {
    return exceeded(std::to_string(use.active) + " active jobs", kAskAgain);
  }
  const auto first = std::find_if(use.submissions.begin(), use.submissions.end(),
                                  [&](Time submitted) { return in_window(submitted, now); });
  const std::int64_t recent = use.submissions.end() - first;
  if (recent >= limit) {
    const Time frees = *(first + (recent - limit)) + kWindow;
    return exceeded(std::to_string(recent) + " submissions within the hour", frees - now);
  }
  return Ok{};
}

void count_submission(QuotaUse& use, Time now) {
  while (!use.submissions.empty() && !in_window(use.submissions.front(), now)) {
    use.submissions.pop_front();
  }
  use.submissions.push_back(now);
  ++use.active;
}

void count_ended(QuotaUse& use) {
  BATON_ASSERT(use.active > 0);
  --use.active;
}

}  // namespace baton::lifecycle
