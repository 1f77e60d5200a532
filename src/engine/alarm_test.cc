#include "engine/alarm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

namespace baton::engine {
namespace {

using base::milliseconds;

class AlarmTest : public testing::Test {
 protected:
  // Waits until everything that is due now was called.
  void settle() {
    std::promise<void> reached;
    alarm_.at(clock_.monotonic(), [&] { reached.set_value(); });
    reached.get_future().wait();
  }
  void advance(Duration by) {
    clock_.advance(by);
    alarm_.look();
    settle();
  }

  base::ManualClock clock_{Time{1'700'000'000'000}};
  Alarm alarm_{clock_};
};

TEST_F(AlarmTest, CallsAtItsMomentAndNotBefore) {
  std::string called;
  alarm_.after(milliseconds(20), [&] { called += 'b'; });
  alarm_.after(milliseconds(10), [&] { called += 'a'; });
  alarm_.after(milliseconds(20), [&] { called += 'c'; });
  advance(milliseconds(9));
  EXPECT_EQ(called, "");
  advance(milliseconds(1));
  EXPECT_EQ(called, "a");
  advance(milliseconds(100));
  EXPECT_EQ(called, "abc");
}

TEST_F(AlarmTest, ACancelledOneIsNotCalled) {
  bool called = false;
  const Alarm::Id id = alarm_.after(milliseconds(10), [&] { called = true; });
  EXPECT_TRUE(alarm_.cancel(id));
  EXPECT_FALSE(alarm_.cancel(id));
  advance(milliseconds(10));
  EXPECT_FALSE(called);
}

TEST_F(AlarmTest, WhatWasCalledCannotBeCancelled) {
  const Alarm::Id id = alarm_.after(milliseconds(10), [] {});
  advance(milliseconds(10));
  EXPECT_FALSE(alarm_.cancel(id));
}

TEST_F(AlarmTest, ACallMaySetTheNextOne) {
  int count = 0;
  std::function<void()> again = [&] {
    if (++count < 3) alarm_.after({}, again);
  };
  alarm_.after(milliseconds(1), again);
  advance(milliseconds(1));
  settle();
  settle();
  EXPECT_EQ(count, 3);
}

TEST(Alarm, GoesWithoutCallingWhatIsLeft) {
  const base::SystemClock clock;
  bool called = false;
  {
    Alarm alarm(clock);
    alarm.after(base::hours(1), [&] { called = true; });
  }
  EXPECT_FALSE(called);
}

TEST(Alarm, CallsNothingOnceItStopped) {
  const base::SystemClock clock;
  Alarm alarm(clock);
  std::promise<void> begun;
  std::atomic<bool> ended = false;
  alarm.after({}, [&] {
    begun.set_value();
    std::this_thread::yield();
    ended = true;
  });
  begun.get_future().wait();
  alarm.stop();
  EXPECT_TRUE(ended);
  alarm.after({}, [] { FAIL() << "called after it stopped"; });
  alarm.stop();
}

TEST(Alarm, HearsTheSystemsClock) {
  const base::SystemClock clock;
  Alarm alarm(clock);
  std::promise<void> called;
  alarm.after(milliseconds(5), [&] { called.set_value(); });
  called.get_future().wait();
}

}  // namespace
}  // namespace baton::engine
