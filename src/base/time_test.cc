#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace baton::base {
namespace {

constexpr std::int64_t kMinMs = std::numeric_limits<std::int64_t>::min();

TEST(Time, SumsSaturateAtBothEnds) {
  EXPECT_EQ(saturating_add(2, 3), 5);
  EXPECT_EQ(saturating_add(kMaxMs - 1, 1), kMaxMs);
  EXPECT_EQ(saturating_add(kMaxMs, 1), kMaxMs);
  EXPECT_EQ(saturating_add(1, kMaxMs), kMaxMs);
  EXPECT_EQ(saturating_add(kMaxMs, kMaxMs), kMaxMs);
  EXPECT_EQ(saturating_add(kMinMs + 1, -1), kMinMs);
  EXPECT_EQ(saturating_add(kMinMs, -1), kMinMs);
  EXPECT_EQ(saturating_add(-1, kMinMs), kMinMs);
  EXPECT_EQ(saturating_add(kMinMs, kMaxMs), -1);
}

TEST(Time, ADelayNeverWrapsIntoThePast) {
  EXPECT_EQ(Time{kMaxMs} + milliseconds(1), Time{kMaxMs});
  EXPECT_EQ(Time{1'000} + milliseconds(kMaxMs), Time{kMaxMs});
  EXPECT_EQ(Time{1'000} + milliseconds(500), Time{1'500});
  EXPECT_EQ(milliseconds(kMaxMs) + milliseconds(kMaxMs), milliseconds(kMaxMs));
  EXPECT_EQ(milliseconds(2) + milliseconds(3), milliseconds(5));
}

TEST(Time, DifferencesSaturate) {
  EXPECT_EQ(Time{1'500} - Time{1'000}, milliseconds(500));
  EXPECT_EQ(Time{1'000} - Time{1'500}, milliseconds(-500));
  EXPECT_EQ(Time{kMaxMs} - Time{-1}, milliseconds(kMaxMs));
  EXPECT_EQ(Time{-2} - Time{kMaxMs}, milliseconds(kMinMs));
}

TEST(Time, UnitsAreWholeMilliseconds) {
  EXPECT_EQ(milliseconds(7).ms, 7);
  EXPECT_EQ(seconds(7).ms, 7'000);
  EXPECT_EQ(minutes(7).ms, 420'000);
  EXPECT_EQ(hours(7).ms, 25'200'000);
  EXPECT_EQ(days(7).ms, 604'800'000);
}

TEST(Time, Orders) {
  EXPECT_LT(Time{1}, Time{2});
  EXPECT_GE(Time{2}, Time{2});
  EXPECT_NE(Time{1}, Time{2});
  EXPECT_LT(milliseconds(-1), milliseconds(0));
}

TEST(Time, ZeroMeansNotSet) {
  EXPECT_FALSE(Time{}.is_set());
  EXPECT_FALSE(Time{0}.is_set());
  EXPECT_TRUE(Time{1}.is_set());
  EXPECT_TRUE(Time{-1}.is_set());
}

TEST(FormatTime, ShowsTheNearestYearOfFourDigits) {
  EXPECT_EQ(format_time(Time{253'402'300'799'999}), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(format_time(Time{253'402'300'800'000}), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(format_time(Time{kMaxMs}), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(format_time(Time{-62'167'219'200'000}), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(Time{kMinMs}), "0000-01-01T00:00:00.000Z");
}

TEST(FormatTime, WritesTheEpoch) { EXPECT_EQ(format_time(Time{0}), "1970-01-01T00:00:00.000Z"); }

TEST(FormatTime, WritesEveryPart) {
  EXPECT_EQ(format_time(Time{1'893'553'445'006}), "2030-01-02T03:04:05.006Z");
  EXPECT_EQ(format_time(Time{999}), "1970-01-01T00:00:00.999Z");
  EXPECT_EQ(format_time(Time{1'000}), "1970-01-01T00:00:01.000Z");
  EXPECT_EQ(format_time(Time{1'735'689'599'999}), "2024-12-31T23:59:59.999Z");
}

TEST(FormatTime, KnowsLeapDays) {
  EXPECT_EQ(format_time(Time{1'709'208'000'000}), "2024-02-29T12:00:00.000Z");
  EXPECT_EQ(format_time(Time{951'782'400'000}), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(format_time(Time{4'107'542'400'000}), "2100-03-01T00:00:00.000Z");
}

TEST(FormatTime, CountsDownBeforeTheEpoch) {
  EXPECT_EQ(format_time(Time{-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_time(Time{-999}), "1969-12-31T23:59:59.001Z");
  EXPECT_EQ(format_time(Time{-1'000}), "1969-12-31T23:59:59.000Z");
  EXPECT_EQ(format_time(Time{-1'001}), "1969-12-31T23:59:58.999Z");
}

}  // namespace
}  // namespace baton::base
