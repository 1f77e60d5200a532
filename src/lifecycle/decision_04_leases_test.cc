// Decision 4: a lease is not the execution timeout.
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

Terms terms_with(Duration lease, Duration execution) {
  Terms terms = terms_of("standard");
  terms.lease = lease;
  terms.execution = execution;
  return terms;
}

TEST(Decision04Leases, TheDeadlineIsTheClaimPlusTheExecutionTimeout) {
  Life life("standard");
  life.create().wait(seconds(10)).claim();
  EXPECT_EQ(life.job.execution.deadline_at, kStart + seconds(10) + minutes(30));
  life.wait(seconds(10)).start().call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.execution.deadline_at, kStart + seconds(10) + minutes(30));
}

TEST(Decision04Leases, TheLeaseEndsAfterItsTermOrAtTheDeadline) {
  struct {
    Duration lease;
    Duration execution;
    Duration expected;
  } const rows[] = {{seconds(10), seconds(20), seconds(10)},
                    {seconds(20), seconds(20), seconds(20)},
                    {seconds(21), seconds(20), seconds(20)}};
  for (const auto& row : rows) {
    Life life(terms_with(row.lease, row.execution));
    life.create().claim();
    EXPECT_EQ(life.job.execution.lease_expires_at, kStart + row.expected);
    EXPECT_EQ(life.job.execution.lease, row.lease);
  }
}

TEST(Decision04Leases, AHeartbeatBeginsTheTermAnewUpToTheDeadline) {
  Life life(terms_with(seconds(10), seconds(20)));
  life.create().claim().wait(seconds(4)).call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + seconds(14));
  life.wait(seconds(7)).call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + seconds(20));
}

TEST(Decision04Leases, AClaimMayAskForItsOwnTerm) {
  Life life("standard");
  life.create().then(Claim{token_of(1), seconds(3)});
  EXPECT_EQ(life.job.execution.lease, seconds(3));
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + seconds(3));
  life.wait(seconds(2)).call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + seconds(5));
}

TEST(Decision04Leases, AClaimMayShortenTheTermButNotLengthenIt) {
  struct Row {
    Duration most;
    Duration lease;
  };
  for (const Row& row : {Row{seconds(30), seconds(30)}, Row{hours(1), minutes(5)}}) {
    Life life("standard");  // five minutes
    life.create().then(Claim{token_of(1), std::nullopt, row.most});
    EXPECT_EQ(life.job.execution.lease, row.lease);
    life.wait(seconds(10)).call(CallKind::kHeartbeat);
    EXPECT_EQ(life.job.execution.lease_expires_at, life.now + row.lease);
  }
}

TEST(Decision04Leases, TheNextClaimDoesNotInheritTheWishOfTheOneBefore) {
  Life life("standard");
  life.create().then(Claim{token_of(1), seconds(3)}).wait(seconds(3)).claim();
  EXPECT_EQ(life.job.execution.lease, minutes(5));
}

// With heartbeats all the way, so that the lease and the deadline end together.
TEST(Decision04Leases, AtTheDeadlineTheServerEndsTheExecution) {
  Life life(terms_with(seconds(10), seconds(20)));
  life.create().claim().start();
  for (int i = 0; i < 4; ++i)
    life.wait(seconds(4)).call(CallKind::kHeartbeat);
  life.at(kStart + seconds(20));
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kAborted);
  EXPECT_EQ(life.job.execution.finished_at, kStart + seconds(20));
  EXPECT_EQ(life.job.failure_category, FailureCategory::kTimeout);
  EXPECT_EQ(describe(life.last), "RETRYING:timeout");
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kCommit)), "stale_lease");
}

TEST(Decision04Leases, AStartMayAskForAShorterExecution) {
  struct {
    std::int64_t ms;
    std::string_view answer;
  } const rows[] = {{1, "accepted"}, {1'800'000, "accepted"}, {1'800'001, "invalid_job"}};
  for (const auto& row : rows) {
    Life life("standard");
    Call start = life.create().claim().call_of(CallKind::kStart);
    start.execution = milliseconds(row.ms);
    EXPECT_EQ(life.refusal(start), row.answer) << row.ms;
  }
}

TEST(Decision04Leases, AShorterExecutionCountsFromTheClaim) {
  Life life("standard");
  life.create().claim().wait(seconds(10));
  Call start = life.call_of(CallKind::kStart);
  start.execution = minutes(2);
  life.then(start);
  EXPECT_EQ(life.job.execution.deadline_at, kStart + minutes(2));
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + minutes(2));
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kInProgress);
}

TEST(Decision04Leases, AShorterExecutionLeavesAShorterLeaseAlone) {
  Life life("standard");
  life.create().claim();
  Call start = life.call_of(CallKind::kStart);
  start.execution = minutes(10);
  life.then(start);
  EXPECT_EQ(life.job.execution.deadline_at, kStart + minutes(10));
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + minutes(5));
}

TEST(Decision04Leases, ARefusedStartNamesTheField) {
  Life life("standard");
  Call start = life.create().claim().call_of(CallKind::kStart);
  start.execution = hours(1);
  const auto result = life.try_to(start);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().field, "execution_ms");
}

TEST(Decision04Leases, ARestartGivesEveryUnfinishedLeaseAFullTerm) {
  for (int steps : {0, 1, 2}) {
    Life life(terms_with(seconds(10), hours(1)));
    life.create().claim();
    if (steps > 0) life.start();
    if (steps > 1) life.commit();
    life.now = kStart + minutes(3);  // long after the lease ended, while the store was closed
    const auto result = decide(life.job, Restart{}, life.now, 0);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.value().job.execution.lease_expires_at, life.now + seconds(10)) << steps;
    EXPECT_TRUE(result.value().execution_changed);
    EXPECT_FALSE(result.value().job_changed);
    EXPECT_FALSE(result.value().durable);
  }
}

TEST(Decision04Leases, ARestartDoesNotMoveTheDeadline) {
  Life life(terms_with(seconds(10), seconds(30)));
  life.create().claim();
  life.now = kStart + seconds(25);
  life.take(decide(life.job, Restart{}, life.now, 0).value());
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + seconds(30));
  EXPECT_EQ(life.job.execution.deadline_at, kStart + seconds(30));
  life.wait(seconds(5));
  EXPECT_EQ(life.job.failure_category, FailureCategory::kTimeout);
}

TEST(Decision04Leases, ARestartTouchesNothingThatDoesNotRun) {
  Life waiting("standard");
  waiting.create();
  Life ended("standard");
  ended.create().claim().ack();
  for (const Life& life : {waiting, ended}) {
    const Change change = decide(life.job, Restart{}, life.now + hours(1), 0).value();
    EXPECT_FALSE(change.execution_changed);
    EXPECT_FALSE(change.job_changed);
    EXPECT_FALSE(change.durable);
    EXPECT_EQ(change.job, life.job);
  }
}

TEST(Decision04Leases, ABareHeartbeatNeedNotBeDurable) {
  Life life("standard");
  life.create().claim().wait(seconds(1)).call(CallKind::kHeartbeat);
  EXPECT_FALSE(life.last.durable);
  EXPECT_FALSE(life.last.job_changed);
  EXPECT_TRUE(life.last.execution_changed);
}

TEST(Decision04Leases, AHeartbeatWithProgressOrDataIsDurable) {
  Life life("standard");
  life.create().claim();
  Call progress = life.call_of(CallKind::kHeartbeat);
  progress.progress = 0;
  Call data = life.call_of(CallKind::kHeartbeat);
  data.brings_data = true;
  for (const Call& call : {progress, data}) {
    const std::int64_t version = life.job.version;
    life.then(call);
    EXPECT_TRUE(life.last.durable);
    EXPECT_TRUE(life.last.job_changed);
    EXPECT_EQ(life.job.version, version + 1);
    EXPECT_EQ(life.job.progress, 0);
  }
}

TEST(Decision04Leases, EveryOtherChangeIsDurable) {
  Life life("standard");
  life.create();
  EXPECT_TRUE(life.last.durable);
  for (CallKind kind : {CallKind::kStart, CallKind::kSpawn, CallKind::kCommit, CallKind::kDone}) {
    if (life.job.attempt == 0) life.claim();
    EXPECT_TRUE(life.last.durable);
    life.call(kind);
    EXPECT_TRUE(life.last.durable) << name(kind);
  }
}

// After the commit the lease only says when recovery may finish the job: the deadline is past.
TEST(Decision04Leases, AHeartbeatAfterTheCommitIsNotHeldByTheDeadline) {
  Life life(terms_with(seconds(10), seconds(20)));
  life.create().claim().start().wait(seconds(5)).call(CallKind::kHeartbeat);
  life.wait(seconds(9)).commit().call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + seconds(24));
  life.at(kStart + seconds(23)).call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.state, JobState::kRunning);
  life.done();
  EXPECT_EQ(life.job.state, JobState::kCompleted);
}

TEST(Decision04Leases, TheCommitItselfDoesNotExtendTheLease) {
  Life life(terms_with(seconds(10), seconds(20)));
  life.create().claim().start().wait(seconds(9)).commit();
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + seconds(10));
}

}  // namespace
}  // namespace baton::lifecycle::testbed
