// Decision 14: a worker gives a job back, which is no failure.
#include "lifecycle/decide.h"
#include "lifecycle/failures.h"
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

Call release_of(const Life& life, std::optional<Duration> delay = {},
                std::string_view reason = {}) {
  Call call = life.call_of(CallKind::kRelease);
  call.delay = delay;
  call.failure.message = reason;
  return call;
}

TEST(Decision14, AReleaseIsNoFailure) {
  Life life("standard");
  life.create().claim().start().nack();
  const JobFacts failed = life.job;
  life.wait(seconds(1)).claim();
  const Change& change = life.then(release_of(life, {}, "deploy")).last;
  EXPECT_EQ(life.job.state, JobState::kScheduled);
  EXPECT_EQ(life.job.release_count, 1);
  EXPECT_EQ(life.job.attempt, 2);
  EXPECT_EQ(life.job.retry_count, failed.retry_count);
  EXPECT_EQ(life.job.failure_category, failed.failure_category);
  EXPECT_EQ(life.job.error_type, failed.error_type);
  EXPECT_FALSE(change.failure.has_value());
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kAborted);
  EXPECT_EQ(change.execution_failure,
            (FailureView{FailureCategory::kSystem, "released", "deploy", ""}));
}

TEST(Decision14, SaysSoWithoutAReason) {
  Life life("standard");
  life.create().claim();
  EXPECT_EQ(life.then(release_of(life)).last.execution_failure->message,
            "the worker gave the job back");
}

TEST(Decision14, KeepsTheReservation) {
  Life life("generation");
  Create create;
  create.cost = 5;
  life.create(create).claim();
  const Change& change = life.then(release_of(life)).last;
  EXPECT_EQ(life.job.held, 5);
  EXPECT_TRUE(change.effects.empty());
}

TEST(Decision14, DropsWhatWasStaged) {
  Life life("standard");
  life.create().claim().call(CallKind::kSpawn);
  EXPECT_TRUE(life.then(release_of(life)).last.effects.has(Effect::kDropChildren));
}

TEST(Decision14, WaitsAsLongAsTheWorkerOrTheProfileSays) {
  struct Row {
    std::string_view profile;
    std::optional<Duration> delay;
    Duration waits;
  };
  const Row rows[] = {
      {"standard", {}, {}},         {"standard", seconds(3), seconds(3)},
      {"standard", Duration{}, {}}, {"lease", milliseconds(1), milliseconds(1)},
      {"document", {}, seconds(1)},
  };
  for (const Row& row : rows) {
    Life life(row.profile);
    life.create().claim();
    life.then(release_of(life, row.delay));
    const bool waits = row.waits > Duration{};
    EXPECT_EQ(life.job.state, waits ? JobState::kRetrying : JobState::kScheduled) << row.profile;
    EXPECT_EQ(life.job.run_at, waits ? life.now + row.waits : Time{}) << row.profile;
  }
}

TEST(Decision14, TheFirstHundredSpendNoAttempt) {
  Life life("standard");  // three attempts
  life.create();
  for (int i = 1; i <= 100; ++i) {
    life.claim().then(release_of(life));
    ASSERT_EQ(life.job.state, JobState::kScheduled) << i;
    ASSERT_EQ(life.job.retry_count, 0);
  }
  EXPECT_EQ(spent_attempts(life.job), 0);
  life.claim().then(release_of(life));
  EXPECT_EQ(life.job.retry_count, 1);
  life.claim().then(release_of(life));
  EXPECT_EQ(life.job.state, JobState::kScheduled);
  const Change& last = life.claim().then(release_of(life, {}, "once more")).last;
  EXPECT_EQ(life.job.state, JobState::kDeadLetter);
  EXPECT_EQ(life.job.attempt, 103);
  EXPECT_EQ(last.failure, (FailureView{FailureCategory::kSystem, "released", "once more", ""}));
  EXPECT_EQ(life.job.error_type, ErrorType::kTerminal);
}

TEST(Decision14, FailuresAreCountedWithoutTheFreeReleases) {
  Life life("commit");  // four attempts, no backoff
  life.create();
  for (int i = 0; i < 3; ++i) {
    life.claim().then(release_of(life));
    life.claim().nack();
    ASSERT_EQ(life.job.state, JobState::kScheduled) << i;
  }
  life.claim().then(release_of(life)).claim().nack();
  EXPECT_EQ(life.job.state, JobState::kFailed);
  EXPECT_EQ(life.job.attempt, 8);
  EXPECT_EQ(life.job.retry_count, 3);
}

TEST(Decision14, EveryReleaseCountsInLease) {
  Life life("lease");  // four deliveries
  life.create();
  for (int i = 1; i <= 3; ++i) {
    life.claim().then(release_of(life));
    ASSERT_EQ(life.job.state, JobState::kScheduled) << i;
    ASSERT_EQ(life.job.retry_count, i);
  }
  life.claim().then(release_of(life));
  EXPECT_EQ(life.job.state, JobState::kFailed);
}

TEST(Decision14, TheLastAttemptMayBeReleasedWhileReleasesAreFree) {
  Life life("standard");
  life.create().claim().nack().wait(seconds(1)).claim().nack().wait(seconds(2)).claim();
  life.then(release_of(life));
  EXPECT_EQ(life.job.state, JobState::kScheduled);
  life.claim().nack();
  EXPECT_EQ(life.job.state, JobState::kDeadLetter);
}

TEST(Decision14, ADelayThatReachesTheLifetimeIsRefusedAndTheLeaseStays) {
  Life life("standard");
  life.create().claim();
  const Duration left = lifetime_end(life.job) - life.now;
  EXPECT_EQ(life.refusal(release_of(life, left)), "invalid_job");
  life.then(release_of(life, left - milliseconds(1)));
  EXPECT_EQ(life.job.state, JobState::kRetrying);
}

TEST(Decision14, ACancelThatWasAskedForTakesEffect) {
  Life life("standard");
  life.create().claim().cancel();
  const Change& change = life.then(release_of(life)).last;
  EXPECT_EQ(life.job.state, JobState::kCancelled);
  EXPECT_TRUE(change.cancelled_as_requested);
  EXPECT_EQ(change.execution_failure->code, "released");
}

TEST(Decision14, AReleasedExecutionCannotBeReleasedAgain) {
  Life life("standard");
  life.create().claim();
  const Call release = release_of(life);
  life.then(release);
  EXPECT_EQ(life.refusal(release), "stale_lease");
}

}  // namespace
}  // namespace baton::lifecycle::testbed
