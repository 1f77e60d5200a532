#include "lifecycle/retry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace baton::lifecycle {
namespace {

constexpr std::uint64_t kLowest = 0;
constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kYearMs = 366LL * 24 * 60 * 60 * 1000;

RetryPolicy policy(Strategy strategy, std::int64_t initial_ms, std::int64_t max_ms) {
  RetryPolicy made;
  made.max_attempts = 100;
  made.strategy = strategy;
  made.initial = Duration{initial_ms};
  made.multiplier = 2.0;
  made.max = Duration{max_ms};
  return made;
}

std::vector<std::int64_t> delays(const RetryPolicy& policy, std::vector<int> retries) {
  std::vector<std::int64_t> all;
  for (const int retry : retries)
    all.push_back(backoff(policy, retry, {}, kHighest).ms);
  return all;
}

using Delays = std::vector<std::int64_t>;

TEST(Retry, ConstantWaitsTheSameEveryTime) {
  EXPECT_EQ(delays(policy(Strategy::kConstant, 1'000, 5'000), {1, 2, 3, 100}),
            (Delays{1'000, 1'000, 1'000, 1'000}));
  EXPECT_EQ(delays(policy(Strategy::kConstant, 0, 5'000), {1, 2}), (Delays{0, 0}));
}

TEST(Retry, LinearGrowsByTheInitialDelay) {
  EXPECT_EQ(delays(policy(Strategy::kLinear, 1'500, 100'000), {1, 2, 3, 10}),
            (Delays{1'500, 3'000, 4'500, 15'000}));
}

TEST(Retry, ExponentialMultipliesFromTheSecondRetryOn) {
  EXPECT_EQ(delays(policy(Strategy::kExponential, 1'000, 3'600'000), {1, 2, 3, 4, 5}),
            (Delays{1'000, 2'000, 4'000, 8'000, 16'000}));
  RetryPolicy slow = policy(Strategy::kExponential, 1'000, 3'600'000);
  slow.multiplier = 1.5;
  EXPECT_EQ(delays(slow, {1, 2, 3, 4}), (Delays{1'000, 1'500, 2'250, 3'375}));
  slow.multiplier = 1.0;
  EXPECT_EQ(delays(slow, {1, 2, 3, 100}), (Delays{1'000, 1'000, 1'000, 1'000}));
}

TEST(Retry, FractionsOfAMillisecondAreDropped) {
  RetryPolicy odd = policy(Strategy::kExponential, 3, 1'000);
  odd.multiplier = 1.5;
  EXPECT_EQ(delays(odd, {1, 2, 3}), (Delays{3, 4, 6}));
}

TEST(Retry, TableIsReadInOrderAndItsLastEntryRepeats) {
  RetryPolicy table = policy(Strategy::kTable, 999, 60'000);
  table.table = {Duration{100}, Duration{30'000}, Duration{7}};
  EXPECT_EQ(delays(table, {1, 2, 3, 4, 100}), (Delays{100, 30'000, 7, 7, 7}));
  table.table = {Duration{5}};
  EXPECT_EQ(delays(table, {1, 2}), (Delays{5, 5}));
}

Duration remembered(int retry, Duration initial, Duration max) {
  return Duration{retry * 1'000'000 + initial.ms * 1'000 + max.ms / 1'000'000};
}
Duration below_zero(int, Duration, Duration) { return Duration{-5}; }
Duration endless(int, Duration, Duration) { return Duration{base::kMaxMs}; }

TEST(Retry, AFunctionGetsTheNumberTheDelayAndTheCap) {
  RetryPolicy custom = policy(Strategy::kFunction, 7, 50'000'000);
  custom.function = remembered;
  EXPECT_EQ(delays(custom, {1, 2, 3}), (Delays{1'007'050, 2'007'050, 3'007'050}));
}

TEST(Retry, AFunctionIsHeldBetweenZeroAndTheCap) {
  RetryPolicy custom = policy(Strategy::kFunction, 7, 50'000);
  custom.function = below_zero;
  EXPECT_EQ(delays(custom, {1}), (Delays{0}));
  custom.function = endless;
  EXPECT_EQ(delays(custom, {1}), (Delays{50'000}));
}

TEST(Retry, EveryStrategyIsCapped) {
  EXPECT_EQ(delays(policy(Strategy::kConstant, 6'000, 5'000), {1, 2}), (Delays{5'000, 5'000}));
  EXPECT_EQ(delays(policy(Strategy::kLinear, 1'000, 2'500), {1, 2, 3, 4}),
            (Delays{1'000, 2'000, 2'500, 2'500}));
  EXPECT_EQ(delays(policy(Strategy::kExponential, 500, 30'000), {6, 7, 8, 99}),
            (Delays{16'000, 30'000, 30'000, 30'000}));
  RetryPolicy table = policy(Strategy::kTable, 0, 50);
  table.table = {Duration{49}, Duration{50}, Duration{51}};
  EXPECT_EQ(delays(table, {1, 2, 3}), (Delays{49, 50, 50}));
}

TEST(Retry, TheCapItselfIsReachedExactly) {
  EXPECT_EQ(delays(policy(Strategy::kExponential, 1'000, 4'000), {3}), (Delays{4'000}));
  EXPECT_EQ(delays(policy(Strategy::kExponential, 1'000, 4'001), {3}), (Delays{4'000}));
  EXPECT_EQ(delays(policy(Strategy::kExponential, 1'000, 3'999), {3}), (Delays{3'999}));
}

TEST(Retry, TheLargestCapDoesNotOverflow) {
  const std::int64_t half = std::int64_t{1} << 62;
  EXPECT_EQ(delays(policy(Strategy::kLinear, half, base::kMaxMs), {2}), (Delays{base::kMaxMs}));
  EXPECT_EQ(delays(policy(Strategy::kExponential, half, base::kMaxMs), {2}),
            (Delays{base::kMaxMs}));
}

TEST(Retry, WithoutJitterTheRandomNumberDoesNotMatter) {
  const RetryPolicy plain = policy(Strategy::kExponential, 1'000, 60'000);
  EXPECT_EQ(backoff(plain, 2, {}, kLowest), Duration{2'000});
  EXPECT_EQ(backoff(plain, 2, {}, kHighest), Duration{2'000});
}

TEST(Retry, TenPercentJitterReachesBothBoundsExactly) {
  RetryPolicy shaky = policy(Strategy::kConstant, 1'000, 60'000);
  shaky.jitter = Jitter::kTenPercent;
  EXPECT_EQ(backoff(shaky, 1, {}, kLowest), Duration{900});
  EXPECT_EQ(backoff(shaky, 1, {}, std::uint64_t{1} << 63), Duration{1'000});
  EXPECT_EQ(backoff(shaky, 1, {}, kHighest), Duration{1'100});
  shaky.initial = Duration{19};
  EXPECT_EQ(backoff(shaky, 1, {}, kLowest), Duration{18});
  EXPECT_EQ(backoff(shaky, 1, {}, kHighest), Duration{20});
  shaky.initial = Duration{9};
  EXPECT_EQ(backoff(shaky, 1, {}, kLowest), Duration{9});
  EXPECT_EQ(backoff(shaky, 1, {}, kHighest), Duration{9});
}

TEST(Retry, JitterComesAfterTheCap) {
  RetryPolicy shaky = policy(Strategy::kConstant, 10'000, 1'000);
  shaky.jitter = Jitter::kTenPercent;
  EXPECT_EQ(backoff(shaky, 1, {}, kLowest), Duration{900});
  EXPECT_EQ(backoff(shaky, 1, {}, kHighest), Duration{1'100});
  shaky.jitter = Jitter::kFull;
  EXPECT_EQ(backoff(shaky, 1, {}, kHighest), Duration{1'000});
}

TEST(Retry, FullJitterReachesFromZeroToTheDelay) {
  RetryPolicy full = policy(Strategy::kExponential, 500, 30'000);
  full.jitter = Jitter::kFull;
  EXPECT_EQ(backoff(full, 1, {}, kLowest), Duration{0});
  EXPECT_EQ(backoff(full, 1, {}, kHighest), Duration{500});
  EXPECT_EQ(backoff(full, 3, {}, kHighest), Duration{2'000});
  EXPECT_EQ(backoff(full, 3, {}, std::uint64_t{1} << 63), Duration{1'000});
  full.initial = Duration{0};
  EXPECT_EQ(backoff(full, 3, {}, kHighest), Duration{0});
}

TEST(Retry, RetryAfterWinsOnlyWhenItIsLonger) {
  const RetryPolicy plain = policy(Strategy::kConstant, 1'000, 60'000);
  EXPECT_EQ(backoff(plain, 1, Duration{999}, kLowest), Duration{1'000});
  EXPECT_EQ(backoff(plain, 1, Duration{1'000}, kLowest), Duration{1'000});
  EXPECT_EQ(backoff(plain, 1, Duration{1'001}, kLowest), Duration{1'001});
  EXPECT_EQ(backoff(plain, 1, Duration{-1}, kLowest), Duration{1'000});
}

TEST(Retry, RetryAfterIsNeitherCappedNorShaken) {
  RetryPolicy full = policy(Strategy::kConstant, 1'000, 2'000);
  full.jitter = Jitter::kFull;
  EXPECT_EQ(backoff(full, 1, Duration{kYearMs}, kLowest), Duration{kYearMs});
  full.jitter = Jitter::kTenPercent;
  EXPECT_EQ(backoff(full, 1, Duration{90'000}, kHighest), Duration{90'000});
}

TEST(Retry, NumbersFromTheFutureWaitTheLongestAndDoNotShake) {
  RetryPolicy unknown = policy(static_cast<Strategy>(200), 1'000, 60'000);
  EXPECT_EQ(backoff(unknown, 1, {}, kLowest), Duration{60'000});
  unknown.strategy = Strategy::kConstant;
  unknown.jitter = static_cast<Jitter>(200);
  EXPECT_EQ(backoff(unknown, 1, {}, kLowest), Duration{1'000});
}

TEST(Retry, StrategiesAndJittersHaveNames) {
  EXPECT_EQ(
      std::vector<std::string_view>(kNames<Strategy>.begin(), kNames<Strategy>.end()),
      (std::vector<std::string_view>{"constant", "linear", "exponential", "table", "function"}));
  EXPECT_EQ(std::vector<std::string_view>(kNames<Jitter>.begin(), kNames<Jitter>.end()),
            (std::vector<std::string_view>{"none", "ten_percent", "full"}));
}

TEST(RetryDeathTest, ThereIsNoRetryNumberZero) {
  const RetryPolicy plain = policy(Strategy::kConstant, 1, 1);
  EXPECT_DEATH(static_cast<void>(backoff(plain, 0, {}, 0)), "assertion failed: retry >= 1");
}

TEST(RetryDeathTest, ATableMustHaveEntries) {
  const RetryPolicy table = policy(Strategy::kTable, 1, 1);
  EXPECT_DEATH(static_cast<void>(backoff(table, 1, {}, 0)), "assertion failed");
}

TEST(RetryDeathTest, AFunctionMustBeThere) {
  const RetryPolicy custom = policy(Strategy::kFunction, 1, 1);
  EXPECT_DEATH(static_cast<void>(backoff(custom, 1, {}, 0)), "assertion failed");
}

// Any policy that passes validation.
rc::Gen<RetryPolicy> any_policy() {
  return rc::gen::exec([] {
    RetryPolicy made = policy(static_cast<Strategy>(*rc::gen::inRange(0, 4)),
                              *rc::gen::inRange<std::int64_t>(0, kYearMs + 1),
                              *rc::gen::inRange<std::int64_t>(0, kYearMs + 1));
    made.multiplier = *rc::gen::inRange(100, 10'001) / 100.0;
    made.jitter = static_cast<Jitter>(*rc::gen::inRange(0, 3));
    const auto entries = *rc::gen::inRange<std::size_t>(1, 5);
    for (std::size_t i = 0; i < entries; ++i)
      made.table.push_back(Duration{*rc::gen::inRange<std::int64_t>(0, kYearMs + 1)});
    return made;
  });
}

RC_GTEST_PROP(RetryProperty, NeverNegativeAndNeverLongerThanAllowed, (std::uint64_t random)) {
  const RetryPolicy made = *any_policy();
  const int retry = *rc::gen::inRange(1, 101);
  const Duration wish{*rc::gen::inRange<std::int64_t>(0, kYearMs + 1)};
  const std::int64_t shake = made.jitter == Jitter::kTenPercent ? made.max.ms / 10 : 0;
  const Duration delay = backoff(made, retry, wish, random);
  RC_ASSERT(delay >= Duration{0});
  RC_ASSERT(delay >= wish);
  RC_ASSERT(delay <= Duration{std::max(made.max.ms + shake, wish.ms)});
}

RC_GTEST_PROP(RetryProperty, JitterStaysWithinItsBounds, (std::uint64_t random)) {
  RetryPolicy made = *any_policy();
  const int retry = *rc::gen::inRange(1, 101);
  made.jitter = Jitter::kNone;
  const std::int64_t plain = backoff(made, retry, {}, random).ms;
  made.jitter = Jitter::kTenPercent;
  const std::int64_t shaken = backoff(made, retry, {}, random).ms;
  made.jitter = Jitter::kFull;
  const std::int64_t full = backoff(made, retry, {}, random).ms;
  RC_ASSERT(shaken >= plain - plain / 10);
  RC_ASSERT(shaken <= plain + plain / 10);
  RC_ASSERT(full >= 0);
  RC_ASSERT(full <= plain);
}

RC_GTEST_PROP(RetryProperty, GrowingStrategiesNeverFall, ()) {
  RetryPolicy made = *any_policy();
  made.strategy = *rc::gen::element(Strategy::kLinear, Strategy::kExponential);
  made.jitter = Jitter::kNone;
  Duration before{0};
  for (int retry = 1; retry <= 100; ++retry) {
    const Duration delay = backoff(made, retry, {}, 0);
    RC_ASSERT(delay >= before);
    before = delay;
  }
}

TEST(RetryProperty, TheSteepestPolicyDoesNotOverflow) {
  RetryPolicy steep = policy(Strategy::kExponential, kYearMs, kYearMs);
  steep.multiplier = 100.0;
  for (int retry = 1; retry <= 100; ++retry)
    EXPECT_EQ(backoff(steep, retry, {}, kHighest), Duration{kYearMs});
  steep.initial = Duration{0};
  EXPECT_EQ(backoff(steep, 100, {}, kHighest), Duration{0});
}

}  // namespace
}  // namespace baton::lifecycle
