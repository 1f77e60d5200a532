#include "store/local/machine/timer_wheel.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace baton::store::local {
namespace {

std::vector<TimerIndex> fired_at(TimerWheel& wheel, std::int64_t now_ms) {
  std::vector<FiredTimer> fired;
  wheel.advance(Time{now_ms}, fired);
  std::vector<TimerIndex> timers;
  for (const FiredTimer& one : fired) {
    EXPECT_LE(one.due, Time{now_ms});
    timers.push_back(one.timer);
  }
  std::sort(timers.begin(), timers.end());
  return timers;
}

TEST(TimerWheel, FiresAtItsTimeAndNotBefore) {
  TimerWheel wheel;
  EXPECT_TRUE(fired_at(wheel, 1'000).empty());
  wheel.set(3, Time{1'500});
  EXPECT_EQ(wheel.size(), 1);
  EXPECT_TRUE(fired_at(wheel, 1'499).empty());
  EXPECT_EQ(fired_at(wheel, 1'500), std::vector<TimerIndex>{3});
  EXPECT_EQ(wheel.size(), 0);
  EXPECT_FALSE(wheel.due(3).is_set());
  EXPECT_TRUE(fired_at(wheel, 9'000'000).empty());
}

TEST(TimerWheel, ATimeThatHasPassedFiresAtTheNextTurn) {
  TimerWheel wheel;
  EXPECT_TRUE(fired_at(wheel, 5'000).empty());
  wheel.set(0, Time{10});
  EXPECT_EQ(wheel.next(), Time{5'000});
  EXPECT_EQ(fired_at(wheel, 5'000), std::vector<TimerIndex>{0});
  wheel.set(1, Time{5'000});
  EXPECT_EQ(wheel.next(), Time{5'000});
  EXPECT_EQ(fired_at(wheel, 5'000), std::vector<TimerIndex>{1});
  EXPECT_FALSE(wheel.next().is_set());
}

TEST(TimerWheel, AClearedTimerNeverFires) {
  TimerWheel wheel;
  wheel.set(1, Time{100});
  wheel.set(2, Time{100});
  wheel.clear(1);
  wheel.clear(1);
  wheel.clear(77);
  EXPECT_EQ(wheel.size(), 1);
  EXPECT_EQ(fired_at(wheel, 100), std::vector<TimerIndex>{2});
}

TEST(TimerWheel, ATimerThatIsSetAgainMoves) {
  TimerWheel wheel;
  wheel.set(1, Time{100});
  wheel.set(1, Time{300});
  EXPECT_EQ(wheel.due(1), Time{300});
  EXPECT_EQ(wheel.size(), 1);
  EXPECT_TRUE(fired_at(wheel, 299).empty());
  EXPECT_EQ(fired_at(wheel, 300), std::vector<TimerIndex>{1});
}

TEST(TimerWheel, AnEmptyWheelTurnsAnyDistanceAtOnce) {
  TimerWheel wheel;
  EXPECT_TRUE(fired_at(wheel, base::kMaxMs / 2).empty());
  EXPECT_FALSE(wheel.next().is_set());
}

TEST(TimerWheel, NextIsExactWithinTheCurrentRound) {
  TimerWheel wheel;
  EXPECT_TRUE(fired_at(wheel, 1'024).empty());
  wheel.set(0, Time{1'100});
  EXPECT_EQ(wheel.next(), Time{1'100});
}

TEST(TimerWheel, TimesBeyondItsReachFireOnTime) {
  const std::int64_t year = base::days(366).ms;
  TimerWheel wheel;
  EXPECT_TRUE(fired_at(wheel, 1'900'000'000'123).empty());
  wheel.set(0, Time{1'900'000'000'123 + year});
  EXPECT_TRUE(fired_at(wheel, 1'900'000'000'122 + year).empty());
  EXPECT_EQ(fired_at(wheel, 1'900'000'000'123 + year), std::vector<TimerIndex>{0});
}

// Following next() from stop to stop reaches every timer exactly at its time.
TEST(TimerWheel, FollowingNextMissesNothing) {
  TimerWheel wheel;
  const std::vector<std::int64_t> times = {
      1,          255,        256,           257,           65'535,       65'536,
      16'777'216, 16'777'217, 4'294'967'295, 4'294'967'296, 9'000'000'000};
  for (std::size_t i = 0; i < times.size(); ++i) {
    wheel.set(static_cast<TimerIndex>(i), Time{times[i]});
  }
  std::vector<std::int64_t> seen;
  while (wheel.next().is_set()) {
    const Time at = wheel.next();
    for (const TimerIndex timer : fired_at(wheel, at.ms)) {
      EXPECT_EQ(times[timer], at.ms);
      seen.push_back(at.ms);
    }
  }
  EXPECT_EQ(seen, times);
}

// The wheel against a plain map, over random sets, clears and turns of all sizes.
RC_GTEST_PROP(TimerWheelProperty, BehavesLikeASortedMap, ()) {
  TimerWheel wheel;
  std::map<TimerIndex, std::int64_t> expected;
  std::int64_t now = *rc::gen::inRange<std::int64_t>(1, 2'000'000'000'000);
  fired_at(wheel, now);
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    const auto timer = *rc::gen::inRange<TimerIndex>(0, 12);
    const int scale = *rc::gen::inRange(0, 35);
    const std::int64_t distance =
        *rc::gen::inRange<std::int64_t>(0, (std::int64_t{1} << scale) + 1);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        wheel.clear(timer);
        expected.erase(timer);
        break;
      case 1: {
        now += distance;
        std::vector<TimerIndex> due;
        for (const auto& [index, at] : expected) {
          if (at <= now) due.push_back(index);
        }
        for (const TimerIndex index : due)
          expected.erase(index);
        RC_ASSERT(fired_at(wheel, now) == due);
        break;
      }
      default:
        wheel.set(timer, Time{now + distance + 1});
        expected[timer] = now + distance + 1;
    }
    RC_ASSERT(wheel.size() == static_cast<std::int64_t>(expected.size()));
    for (const auto& [index, at] : expected) {
      RC_ASSERT(wheel.due(index) == Time{at});
      RC_ASSERT(wheel.next() <= Time{at});
    }
    if (expected.empty())
      RC_ASSERT(!wheel.next().is_set());
    else
      RC_ASSERT(wheel.next() > Time{now});
  }
}

// However few it may look at in one call, it gives the same timers in the end.
RC_GTEST_PROP(TimerWheelProperty, SmallStepsGiveTheSameTimers, ()) {
  TimerWheel whole;
  TimerWheel parts;
  std::int64_t now = *rc::gen::inRange<std::int64_t>(1, 2'000'000'000'000);
  fired_at(whole, now);
  fired_at(parts, now);
  const auto most = *rc::gen::inRange<std::size_t>(1, 5);
  std::vector<TimerIndex> collected;
  for (int rounds = *rc::gen::inRange(1, 8); rounds > 0; --rounds) {
    for (int sets = *rc::gen::inRange(0, 20); sets > 0; --sets) {
      const auto timer = *rc::gen::inRange<TimerIndex>(0, 40);
      const int scale = *rc::gen::inRange(0, 35);
      const Time due{now + *rc::gen::inRange<std::int64_t>(0, (std::int64_t{1} << scale) + 1)};
      whole.set(timer, due);
      parts.set(timer, due);
    }
    now += *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << *rc::gen::inRange(0, 35));
    std::vector<TimerIndex> fired;
    bool done = false;
    for (int calls = 0; !done; ++calls) {
      std::vector<FiredTimer> some;
      done = parts.advance(Time{now}, some, most);
      RC_ASSERT(some.size() <= most);
      RC_ASSERT(calls < 1'000);
      if (!done) RC_ASSERT(parts.next() <= Time{now});
      for (const FiredTimer& one : some)
        fired.push_back(one.timer);
    }
    std::sort(fired.begin(), fired.end());
    RC_ASSERT(fired == fired_at(whole, now));
    RC_ASSERT(parts.size() == whole.size());
    for (TimerIndex timer = 0; timer < 40; ++timer)
      RC_ASSERT(parts.due(timer) == whole.due(timer));
    if (parts.next().is_set()) RC_ASSERT(parts.next() > Time{now});
  }
}

TEST(TimerWheel, ATimerOfAnUnfinishedStepCanBeMovedAndCleared) {
  TimerWheel wheel;
  for (TimerIndex timer = 0; timer < 6; ++timer)
    wheel.set(timer, Time{1'000});
  std::vector<FiredTimer> fired;
  EXPECT_FALSE(wheel.advance(Time{1'000}, fired, 2));
  const auto left = [&] {
    std::vector<TimerIndex> timers;
    for (TimerIndex timer = 0; timer < 6; ++timer) {
      if (wheel.due(timer).is_set()) timers.push_back(timer);
    }
    return timers;
  }();
  ASSERT_EQ(left.size() + fired.size(), 6u);
  wheel.clear(left[0]);
  wheel.set(left[1], Time{2'000});
  EXPECT_EQ(fired_at(wheel, 1'999), std::vector<TimerIndex>(left.begin() + 2, left.end()));
  EXPECT_EQ(fired_at(wheel, 2'000), std::vector<TimerIndex>{left[1]});
}

TEST(TimerWheel, ATimerNobodySetIsNotDue) {
  TimerWheel wheel;
  EXPECT_FALSE(wheel.due(0).is_set());
  wheel.set(0, Time{100});
  EXPECT_FALSE(wheel.due(1).is_set());
}

TEST(TimerWheel, NextForgetsAClearedTimer) {
  TimerWheel wheel;
  EXPECT_TRUE(fired_at(wheel, 1'024).empty());
  wheel.set(0, Time{1'050});
  wheel.set(1, Time{1'100});
  wheel.clear(0);
  EXPECT_EQ(wheel.next(), Time{1'100});
}

// The last level wraps around: behind the wheel's place, or at it, is a whole round ahead.
TEST(TimerWheel, NextIsAheadWhereverTheLastLevelStands) {
  for (std::int64_t place = 0; place < 256; ++place) {
    const std::int64_t now = (place << 24) + 5;
    TimerWheel far;
    EXPECT_TRUE(fired_at(far, now).empty());
    far.set(0, Time{now + (std::int64_t{1} << 33)});
    EXPECT_EQ(far.next(), Time{(place + 256) << 24});
    if (place == 0) continue;
    TimerWheel behind;
    EXPECT_TRUE(fired_at(behind, now).empty());
    behind.set(0, Time{(place + 255) << 24});
    EXPECT_EQ(behind.next(), Time{(place + 255) << 24});
  }
}

}  // namespace
}  // namespace baton::store::local
