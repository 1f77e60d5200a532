#include "lifecycle/quota.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace baton::lifecycle {
namespace {

constexpr Time kNow{1'700'000'000'000};
constexpr std::int64_t kHourMs = 3'600'000;

QuotaUse active(std::int64_t count) {
  QuotaUse use;
  use.active = count;
  return use;
}

// `count` submissions, one a millisecond, the first at `from`; all of the jobs have ended.
QuotaUse submitted(int count, Time from) {
  QuotaUse use;
  for (int i = 0; i < count; ++i)
    use.submissions.push_back(Time{from.ms + i});
  return use;
}

TEST(Quota, TiersHaveNamesAndLimits) {
  const auto all = kNames<Tier>;
  EXPECT_EQ(std::vector<std::string_view>(all.begin(), all.end()),
            (std::vector<std::string_view>{"guest", "user", "pro"}));
  EXPECT_EQ(tier_limit(Tier::kGuest), 5);
  EXPECT_EQ(tier_limit(Tier::kUser), 50);
  EXPECT_EQ(tier_limit(Tier::kPro), 500);
}

TEST(Quota, AsManyActiveJobsAsTheLimitAreTooMany) {
  for (const auto tier : {Tier::kGuest, Tier::kUser, Tier::kPro}) {
    const int limit = tier_limit(tier);
    EXPECT_TRUE(check_quota(active(0), tier, kNow).ok());
    EXPECT_TRUE(check_quota(active(limit - 1), tier, kNow).ok());
    EXPECT_FALSE(check_quota(active(limit), tier, kNow).ok());
    EXPECT_FALSE(check_quota(active(limit + 1), tier, kNow).ok());
  }
}

TEST(Quota, ARefusalForActiveJobsSaysSo) {
  EXPECT_EQ(check_quota(active(5), Tier::kGuest, kNow).error(),
            (Error{Code::kQuotaExceeded, "the account already has 5 active jobs", "account",
                   base::seconds(1)}));
}

TEST(Quota, AsManySubmissionsWithinTheHourAsTheLimitAreTooMany) {
  EXPECT_TRUE(check_quota(submitted(4, kNow), Tier::kGuest, kNow).ok());
  EXPECT_FALSE(check_quota(submitted(5, kNow), Tier::kGuest, kNow).ok());
  EXPECT_TRUE(check_quota(submitted(49, kNow), Tier::kUser, kNow).ok());
  EXPECT_FALSE(check_quota(submitted(50, kNow), Tier::kUser, kNow).ok());
}

TEST(Quota, TheHourSlidesAndEndsExactly) {
  const QuotaUse full = submitted(5, kNow);
  const auto at = [&](std::int64_t ms) {
    return check_quota(full, Tier::kGuest, Time{kNow.ms + ms});
  };
  ASSERT_FALSE(at(10).ok());
  EXPECT_EQ(at(10).error(),
            (Error{Code::kQuotaExceeded, "the account already has 5 submissions within the hour",
                   "account", Duration{kHourMs - 10}}));
  ASSERT_FALSE(at(kHourMs - 1).ok());
  EXPECT_EQ(at(kHourMs - 1).error().retry_after, Duration{1});
  EXPECT_TRUE(at(kHourMs).ok());
}

TEST(Quota, WaitingAsLongAsToldIsEnoughAndLessIsNot) {
  // An account that was of a higher tier: more than the limit must leave the window.
  const QuotaUse many = submitted(8, kNow);
  const Time asked{kNow.ms + 1'000};
  const auto refused = check_quota(many, Tier::kGuest, asked);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the account already has 8 submissions within the hour");
  EXPECT_EQ(refused.error().retry_after, Duration{kHourMs - 1'000 + 3});
  const Time free = asked + refused.error().retry_after;
  EXPECT_TRUE(check_quota(many, Tier::kGuest, free).ok());
  EXPECT_FALSE(check_quota(many, Tier::kGuest, Time{free.ms - 1}).ok());
}

TEST(Quota, ActiveJobsAreNamedBeforeSubmissions) {
  QuotaUse both = submitted(5, kNow);
  both.active = 5;
  EXPECT_EQ(check_quota(both, Tier::kGuest, kNow).error().retry_after, base::seconds(1));
}

TEST(Quota, ASubmissionIsCountedTwice) {
  QuotaUse use = active(2);
  count_submission(use, kNow);
  EXPECT_EQ(use.active, 3);
  EXPECT_EQ(use.submissions, (std::vector<Time>{kNow}));
}

TEST(Quota, SubmissionsOlderThanAnHourAreForgotten) {
  QuotaUse use = submitted(3, kNow);
  count_submission(use, Time{kNow.ms + kHourMs + 1});
  EXPECT_EQ(use.submissions, (std::vector<Time>{Time{kNow.ms + 2}, Time{kNow.ms + kHourMs + 1}}));
  QuotaUse edge = submitted(1, kNow);
  count_submission(edge, Time{kNow.ms + kHourMs - 1});
  EXPECT_EQ(edge.submissions.size(), 2U);
  count_submission(edge, Time{kNow.ms + 3 * kHourMs});
  EXPECT_EQ(edge.submissions.size(), 1U);
}

TEST(Quota, AnEndedJobMakesRoom) {
  QuotaUse use = active(5);
  count_ended(use);
  EXPECT_EQ(use.active, 4);
  EXPECT_TRUE(check_quota(use, Tier::kGuest, kNow).ok());
}

TEST(QuotaDeathTest, NothingActiveCannotEnd) {
  QuotaUse use;
  EXPECT_DEATH(count_ended(use), "assertion failed");
}

RC_GTEST_PROP(QuotaProperty, NeverMoreThanTheLimitInAnyHourOrAtOnce,
              (const std::vector<std::uint32_t>& steps)) {
  QuotaUse use;
  std::vector<Time> accepted;
  Time now = kNow;
  for (const std::uint32_t step : steps) {
    now = now + Duration{step % 1'000'000};
    if (step % 3 == 0 && use.active > 0) count_ended(use);
    const auto answer = check_quota(use, Tier::kGuest, now);
    const auto recent = std::count_if(accepted.begin(), accepted.end(),
                                      [&](Time at) { return now.ms - at.ms < kHourMs; });
    RC_ASSERT(answer.ok() == (use.active < 5 && recent < 5));
    if (answer.ok()) {
      count_submission(use, now);
      accepted.push_back(now);
    } else {
      RC_ASSERT(answer.error().retry_after > Duration{0});
      RC_ASSERT(answer.error().retry_after <= Duration{kHourMs});
    }
    RC_ASSERT(use.active <= 5);
    RC_ASSERT(use.submissions.size() <= 5U);
  }
}

}  // namespace
}  // namespace baton::lifecycle
