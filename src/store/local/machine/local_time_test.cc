#include "store/local/machine/local_time.h"

#include <gtest/gtest.h>

namespace baton::store::local {
namespace {

constexpr Time kLast{1'700'000'000'000};

Time before(Duration span) { return Time{kLast.ms - span.ms}; }

ClockCheck after(Duration absence, std::int64_t live_jobs = 1) {
  return {.wall = kLast + absence, .last_stored = kLast, .live_jobs = live_jobs, .accepted = false};
}

TEST(LocalTime, AClockFarAheadIsRefusedWhileJobsLive) {
  EXPECT_TRUE(check_clock(after(base::days(30))).ok());
  const auto refused = check_clock(after(base::days(30) + base::milliseconds(1)));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
  EXPECT_EQ(refused.error().field, "accept_clock");
  for (const char* said : {"--accept-clock", "2023-12-14", "2023-11-14", "30 days", "1 jobs"})
    EXPECT_NE(refused.error().message.find(said), std::string::npos) << refused.error().message;
}

TEST(LocalTime, AClockFarAheadIsTakenWhenNothingCanBeLostByIt) {
  EXPECT_TRUE(check_clock(after(base::days(3650), 0)).ok()) << "no live jobs";
  ClockCheck accepted = after(base::days(3650));
  accepted.accepted = true;
  EXPECT_TRUE(check_clock(accepted).ok());
  ClockCheck first = after(base::days(3650));
  first.last_stored = {};
  EXPECT_TRUE(check_clock(first).ok()) << "nothing was ever stored";
}

TEST(LocalTime, AClockThatIsBehindIsToldOf) {
  EXPECT_EQ(clock_notice(kLast, kLast), "");
  EXPECT_EQ(clock_notice(kLast + base::days(1), kLast), "");
  EXPECT_EQ(clock_notice(before(base::milliseconds(999)), kLast), "");
  EXPECT_EQ(clock_notice(kLast, {}), "");
  const std::string told = clock_notice(before(base::days(1)), kLast);
  EXPECT_NE(told.find("2023-11-13"), std::string::npos) << told;
  EXPECT_NE(told.find("2023-11-14"), std::string::npos) << told;
}

TEST(LocalTime, NeverGoesBackBehindWhatIsStored) {
  base::ManualClock clock(before(base::days(1)));
  const LocalTime time(clock, kLast);
  EXPECT_EQ(time.now(), kLast);
  clock.advance(base::seconds(5));
  clock.jump_wall(before(base::days(9)));
  EXPECT_EQ(time.now(), kLast + base::seconds(5));
}

}  // namespace
}  // namespace baton::store::local
