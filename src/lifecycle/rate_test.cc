#include "lifecycle/rate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace baton::lifecycle {
namespace {

constexpr Time kNow{1'700'000'000'000};
constexpr std::int64_t kNowNs = kNow.ms * 1'000'000;

Time after(std::int64_t ms) { return Time{kNow.ms + ms}; }

TEST(Rate, ABurstIsAllowedAtOnce) {
  const RateLimit limit{10.0, 5};
  const RateState fresh;
  EXPECT_EQ(rate_allows(fresh, limit, kNow, 100), 5);
  EXPECT_EQ(rate_allows(fresh, limit, kNow, 5), 5);
  EXPECT_EQ(rate_allows(fresh, limit, kNow, 3), 3);
  EXPECT_EQ(rate_allows(fresh, limit, kNow, 0), 0);
}

TEST(Rate, TakingMovesTheTimeByOneIntervalEach) {
  const RateLimit limit{10.0, 5};
  RateState state;
  rate_take(state, limit, kNow, 2);
  EXPECT_EQ(state.busy_until_ns, kNowNs + 200'000'000);
  rate_take(state, limit, kNow, 1);
  EXPECT_EQ(state.busy_until_ns, kNowNs + 300'000'000);
  rate_take(state, limit, after(100), 1);
  EXPECT_EQ(state.busy_until_ns, kNowNs + 400'000'000);
  rate_take(state, limit, after(10'000), 1);
  EXPECT_EQ(state.busy_until_ns, kNowNs + 10'100'000'000);
}

TEST(Rate, WhatIsTakenComesBackOneByOne) {
  const RateLimit limit{10.0, 5};
  RateState state;
  rate_take(state, limit, kNow, 5);
  EXPECT_EQ(rate_allows(state, limit, kNow, 9), 0);
  EXPECT_EQ(rate_allows(state, limit, after(99), 9), 0);
  EXPECT_EQ(rate_allows(state, limit, after(100), 9), 1);
  EXPECT_EQ(rate_allows(state, limit, after(199), 9), 1);
  EXPECT_EQ(rate_allows(state, limit, after(200), 9), 2);
  EXPECT_EQ(rate_allows(state, limit, after(500), 9), 5);
  EXPECT_EQ(rate_allows(state, limit, after(60'000), 9), 5);
}

TEST(Rate, NothingIsAllowedFarBeyondTheBurst) {
  const RateLimit limit{10.0, 1};
  RateState state;
  rate_take(state, limit, kNow, 50);
  EXPECT_EQ(rate_allows(state, limit, kNow, 9), 0);
}

TEST(Rate, SaysWhenTheNextOneMayStart) {
  const RateLimit limit{10.0, 5};
  RateState state;
  EXPECT_EQ(rate_next(state, limit, kNow), kNow);
  rate_take(state, limit, kNow, 4);
  EXPECT_EQ(rate_next(state, limit, kNow), kNow);
  rate_take(state, limit, kNow, 1);
  EXPECT_EQ(rate_next(state, limit, kNow), after(100));
  EXPECT_EQ(rate_next(state, limit, after(100)), after(100));
  EXPECT_EQ(rate_next(state, limit, after(250)), after(250));
}

TEST(Rate, TheNextStartIsRoundedUpToAMillisecond) {
  const RateLimit limit{3.0, 1};  // an interval of 333,333,333 nanoseconds
  RateState state;
  rate_take(state, limit, kNow, 1);
  EXPECT_EQ(state.busy_until_ns, kNowNs + 333'333'333);
  EXPECT_EQ(rate_next(state, limit, kNow), after(334));
  EXPECT_EQ(rate_allows(state, limit, after(333), 1), 0);
  EXPECT_EQ(rate_allows(state, limit, after(334), 1), 1);
}

TEST(Rate, OneMicrosecondOverIsRoundedUpToo) {
  const RateLimit limit{1'000'000.0 / 1'001.0, 1};  // an interval of 1,001 microseconds
  RateState state;
  rate_take(state, limit, kNow, 1);
  EXPECT_EQ(rate_next(state, limit, kNow), after(2));
}

// In microseconds 600,000 a second were 500,000.
TEST(Rate, IntervalsAreRoundedToTheNearestNanosecond) {
  RateState state;
  rate_take(state, {600'000.0, 1}, kNow, 1);  // 1,666.67 nanoseconds
  EXPECT_EQ(state.busy_until_ns, kNowNs + 1'667);
  RateState fastest;
  rate_take(fastest, {1'000'000.0, 1}, kNow, 1);
  EXPECT_EQ(fastest.busy_until_ns, kNowNs + 1'000);
  RateState beyond;
  rate_take(beyond, {10'000'000'000.0, 1}, kNow, 1);
  EXPECT_EQ(beyond.busy_until_ns, kNowNs + 1);
}

TEST(Rate, TheSlowestRateAndTheLargestBurstFit) {
  const RateLimit slowest{0.001, 1'000'000};
  RateState state;
  EXPECT_EQ(rate_allows(state, slowest, kNow, 2'000'000), 1'000'000);
  rate_take(state, slowest, kNow, 1'000'000);
  EXPECT_EQ(rate_allows(state, slowest, kNow, 1), 0);
  EXPECT_EQ(rate_next(state, slowest, kNow), after(1'000'000));
}

RC_GTEST_PROP(RateProperty, NextIsTheFirstMillisecondThatAllows,
              (const std::vector<std::uint16_t>& steps)) {
  const RateLimit limit{static_cast<double>(*rc::gen::inRange(1, 2'000)), *rc::gen::inRange(1, 20)};
  RateState state;
  Time now = kNow;
  for (const std::uint16_t step : steps) {
    now = now + Duration{step % 100};
    const int allowed = rate_allows(state, limit, now, 1 + step % 7);
    const Time next = rate_next(state, limit, now);
    RC_ASSERT(allowed >= 0);
    RC_ASSERT(allowed <= limit.burst);
    RC_ASSERT((allowed > 0) == (next == now));
    RC_ASSERT(rate_allows(state, limit, next, 1) == 1);
    if (next > now) RC_ASSERT(rate_allows(state, limit, Time{next.ms - 1}, 1) == 0);
    rate_take(state, limit, now, allowed);
  }
}

}  // namespace
}  // namespace baton::lifecycle
