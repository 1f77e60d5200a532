#include "base/clock.h"

#include <gtest/gtest.h>

namespace baton::base {
namespace {

TEST(ManualClock, StandsStillUntilItIsTurned) {
  const ManualClock clock(Time{5'000});
  EXPECT_EQ(clock.wall(), Time{5'000});
  EXPECT_EQ(clock.wall(), Time{5'000});
  EXPECT_EQ(clock.monotonic(), Duration{0});
}

TEST(ManualClock, AdvanceMovesBothClocks) {
  ManualClock clock(Time{5'000});
  clock.advance(seconds(2));
  clock.advance(milliseconds(3));
  EXPECT_EQ(clock.wall(), Time{7'003});
  EXPECT_EQ(clock.monotonic(), Duration{2'003});
}

TEST(ManualClock, AJumpOfTheWallLeavesTheMonotonicClockAlone) {
  ManualClock clock(Time{5'000});
  clock.advance(seconds(1));
  clock.jump_wall(Time{100});
  EXPECT_EQ(clock.wall(), Time{100});
  EXPECT_EQ(clock.monotonic(), Duration{1'000});
  clock.jump_wall(Time{9'000'000});
  EXPECT_EQ(clock.wall(), Time{9'000'000});
  EXPECT_EQ(clock.monotonic(), Duration{1'000});
  clock.advance(milliseconds(1));
  EXPECT_EQ(clock.wall(), Time{9'000'001});
  EXPECT_EQ(clock.monotonic(), Duration{1'001});
}

TEST(SystemClock, ReadsAPlausibleWallTimeInMilliseconds) {
  const SystemClock clock;
  EXPECT_GT(clock.wall(), Time{1'577'836'800'000});  // 2020
  EXPECT_LT(clock.wall(), Time{7'258'118'400'000});  // 2200
}

TEST(SystemClock, TheMonotonicClockNeverFalls) {
  const SystemClock clock;
  Duration before = clock.monotonic();
  EXPECT_GT(before, Duration{0});
  for (int i = 0; i < 1'000; ++i) {
    const Duration after = clock.monotonic();
    EXPECT_GE(after, before);
    before = after;
  }
}

TEST(SystemClock, BothClocksRunAtTheSamePace) {
  const SystemClock clock;
  const Time wall = clock.wall();
  const Duration monotonic = clock.monotonic();
  while (clock.monotonic() < monotonic + milliseconds(3)) {
  }
  // A wall clock that somebody sets during the test would be the only reason for more.
  EXPECT_GE((clock.wall() - wall).ms, 1);
  EXPECT_LE((clock.wall() - wall).ms, 5'000);
}

}  // namespace
}  // namespace baton::base
