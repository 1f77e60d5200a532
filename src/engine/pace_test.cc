#include "engine/pace.h"

#include <gtest/gtest.h>

namespace baton::engine {
namespace {

using base::milliseconds;
using base::seconds;

TEST(TimeClasses, PercentilesAreRightToAnEighth) {
  TimeClasses times;
  for (int ms = 1; ms <= 1000; ++ms)
    times.add(milliseconds(ms));
  EXPECT_EQ(times.count(), 1000);
  for (const double share : {0.5, 0.95, 0.99}) {
    const double exact = share * 1000;
    const auto found = static_cast<double>(times.percentile(share).ms);
    EXPECT_GE(found, exact);
    EXPECT_LE(found, exact * 1.125);
  }
}

TEST(TimeClasses, ShortTimesAreExact) {
  for (int ms = 0; ms < 16; ++ms) {
    TimeClasses times;
    times.add(milliseconds(ms));
    EXPECT_EQ(times.percentile(0.5).ms, ms);
    EXPECT_EQ(times.percentile(1).ms, ms);
  }
}

TEST(TimeClasses, TakesTimesOfAnyLength) {
  TimeClasses times;
  times.add(milliseconds(base::kMaxMs));
  times.add(milliseconds(-5));
  EXPECT_EQ(times.percentile(0.5).ms, 0);
  EXPECT_GT(times.percentile(1).ms, base::days(366).ms);
  EXPECT_EQ(TimeClasses().percentile(0.5).ms, 0);
}

class PaceTest : public testing::Test {
 protected:
  void tell(JobState from, JobState to, Duration lasted = {}, const std::string& queue = "a") {
    store::Happening one;
    one.queue = queue;
    one.step.from = from;
    one.step.to = to;
    one.step.at = clock_.wall();
    one.since = clock_.wall() + milliseconds(-lasted.ms);
    pace_.happened({one});
  }

  base::ManualClock clock_{Time{1'700'000'000'000}};
  Pace pace_{clock_};
};

TEST_F(PaceTest, CountsALife) {
  tell(JobState::kNone, JobState::kPending);
  tell(JobState::kPending, JobState::kScheduled);
  tell(JobState::kScheduled, JobState::kRunning, milliseconds(5));
  tell(JobState::kRunning, JobState::kRetrying, milliseconds(7));
  tell(JobState::kScheduled, JobState::kRunning, milliseconds(6));
  tell(JobState::kRunning, JobState::kCompleted, milliseconds(3));
  tell(JobState::kRunning, JobState::kFailed, milliseconds(3));
  clock_.advance(seconds(2));
  const Pace::Reading reading = pace_.read("a");
  EXPECT_EQ(reading.span, seconds(2));
  EXPECT_EQ(reading.counts.submitted, 1);
  EXPECT_EQ(reading.counts.started, 2);
  EXPECT_EQ(reading.counts.completed, 1);
  EXPECT_EQ(reading.counts.failed, 1);
  EXPECT_EQ(reading.counts.waited.percentile(1), milliseconds(6));
  EXPECT_EQ(reading.counts.ran.percentile(1), milliseconds(7));
  EXPECT_EQ(reading.counts.ran.count(), 3);
}

TEST_F(PaceTest, ForgetsWhatIsOlderThanAMinute) {
  tell(JobState::kNone, JobState::kPending);
  clock_.advance(seconds(55));
  tell(JobState::kNone, JobState::kPending);
  EXPECT_EQ(pace_.read("a").counts.submitted, 2);
  clock_.advance(seconds(5));
  EXPECT_EQ(pace_.read("a").counts.submitted, 1);
  EXPECT_EQ(pace_.read("a").span, seconds(55));
  clock_.advance(seconds(60));
  EXPECT_EQ(pace_.read("a").span.ms, 0);
  EXPECT_EQ(pace_.read_all().span.ms, 0);
}

TEST_F(PaceTest, KeepsQueuesApart) {
  tell(JobState::kNone, JobState::kPending, {}, "a");
  tell(JobState::kNone, JobState::kPending, {}, "b");
  tell(JobState::kNone, JobState::kPending, {}, "b");
  EXPECT_EQ(pace_.read("a").counts.submitted, 1);
  EXPECT_EQ(pace_.read("b").counts.submitted, 2);
}

TEST_F(PaceTest, CountsAllQueuesTogether) {
  for (int i = 0; i < 100; ++i)
    tell(JobState::kNone, JobState::kPending, {}, "queue-" + std::to_string(i));
  EXPECT_EQ(pace_.queues(), 100U);
  EXPECT_EQ(pace_.read("queue-7").counts.submitted, 1);
  EXPECT_EQ(pace_.read_all().counts.submitted, 100);
}

// A queue took 2,600 bytes for every five seconds in which anything happened in it.
TEST_F(PaceTest, ManyQueuesTakeAFixedNumberOfBytes) {
  constexpr int kQueues = 50'000;
  constexpr std::size_t kMost = std::size_t{4} << 20;
  Pace pace(clock_, kMost);
  for (int i = 0; i < kQueues; ++i) {
    const std::string queue = "queue-" + std::to_string(i);
    store::Happening one;
    one.queue = queue;
    one.step.to = JobState::kRunning;
    one.step.at = one.since = clock_.wall();
    pace.happened({one});
    ASSERT_LE(pace.bytes(), kMost);
  }
  EXPECT_GT(pace.queues(), 5'000U);
  EXPECT_EQ(pace.read("queue-" + std::to_string(kQueues - 1)).counts.started, 1);
  EXPECT_EQ(pace.read("queue-0").counts.started, 0) << "nothing happened in it for longest";
  EXPECT_EQ(pace.read_all().counts.started, kQueues);
}

TEST_F(PaceTest, AQueueInWhichNothingHappensCostsNothing) {
  tell(JobState::kNone, JobState::kPending, {}, "quiet");
  clock_.advance(seconds(30));
  tell(JobState::kNone, JobState::kPending, {}, "a");
  EXPECT_EQ(pace_.queues(), 2U);
  clock_.advance(seconds(31));
  tell(JobState::kNone, JobState::kPending, {}, "a");
  EXPECT_EQ(pace_.queues(), 1U);
}

}  // namespace
}  // namespace baton::engine
