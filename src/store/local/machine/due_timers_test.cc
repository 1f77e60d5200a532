#include "store/local/machine/due_timers.h"

#include <gtest/gtest.h>

namespace baton::store::local {
namespace {

TEST(DueTimers, ComeByTimeAndThenByTheirJobs) {
  DueTimers timers;
  timers.add({Time{20}, 1, 1}, false);
  timers.add({Time{10}, 3, 3}, true);
  timers.add({Time{10}, 2, 2}, false);
  EXPECT_EQ(timers.take(Time{20})->number, 2);
  EXPECT_EQ(timers.take(Time{5})->number, 1) << "the other one is of a running job";
  EXPECT_EQ(timers.first_running(), Time{10});
  EXPECT_EQ(timers.take(Time{20})->number, 3);
  EXPECT_TRUE(timers.empty());
}

// The heap kept the room of its largest instant for ever.
TEST(DueTimers, GiveTheirMemoryBack) {
  constexpr std::int64_t kMany = 100'000;
  DueTimers timers;
  for (std::int64_t i = 0; i < kMany; ++i)
    timers.add({Time{1}, i, static_cast<SlotIndex>(i)}, i % 2 == 0);
  EXPECT_GE(timers.capacity(), static_cast<std::size_t>(kMany));
  for (std::int64_t i = 0; i < kMany; ++i) {
    EXPECT_EQ(timers.take(Time{1})->number, i);
    const auto left = static_cast<std::size_t>(kMany - i);
    ASSERT_LE(timers.capacity(), std::max<std::size_t>(4'096, 6 * left));
  }
}

}  // namespace
}  // namespace baton::store::local
