// The commit is the point of no return: its effects are there at once and once only, and whatever
// happens between COMMITTED and DONE, the job completes.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

TEST_P(CommitBoundary, ACommitMakesTheResultReadableWhileTheJobStillRuns) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(start(claimed)), "ok");
  pass(seconds(1));
  ASSERT_EQ(code_of(commit(claimed, R"({"answer":42})")), "ok");
  const auto record = get(claimed.job);
  EXPECT_EQ(record->facts.state, JobState::kRunning);
  EXPECT_EQ(record->facts.execution.status, ExecutionStatus::kCommitted);
  EXPECT_EQ(record->facts.execution.committed_at, now());
  ASSERT_TRUE(record->result);
  EXPECT_EQ(record->result->bytes, R"({"answer":42})");
}

TEST_P(CommitBoundary, DoneCompletesTheJob) {
  const ClaimedJob claimed = committed();
  pass(seconds(1));
  ASSERT_EQ(code_of(done(claimed)), "ok");
  const auto record = get(claimed.job);
  EXPECT_EQ(record->facts.state, JobState::kCompleted);
  EXPECT_EQ(record->facts.execution.status, ExecutionStatus::kDone);
  EXPECT_EQ(record->facts.completed_at, now());
  EXPECT_EQ(record->facts.execution.finished_at, now());
}

TEST_P(CommitBoundary, AResultKeepsItsBytesAndContentType) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kAck, claimed);
  std::get<AckCall>(call.call).result = Outcome{std::string("\0\xFF\n", 3), "image/png"};
  ASSERT_EQ(code_of(work(call)), "ok");
  EXPECT_EQ(get(claimed.job)->result, std::get<AckCall>(call.call).result);
}

TEST_P(CommitBoundary, TheFirstResultStands) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(start(claimed)), "ok");
  ASSERT_EQ(code_of(commit(claimed, "first")), "ok");
  const auto again = commit(claimed, "second");
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_TRUE(again->repeated);
  ASSERT_EQ(code_of(ack(claimed, "third")), "ok");
  ASSERT_EQ(code_of(ack(claimed, "fourth")), "ok");
  ASSERT_EQ(code_of(commit(claimed, "fifth")), "ok");
  EXPECT_EQ(get(claimed.job)->result->bytes, "first");
}

TEST_P(CommitBoundary, AnAckIsStartCommitAndDoneInOneStep) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(ack(claimed, "r")), "ok");
  const auto record = get(claimed.job);
  const auto& execution = record->facts.execution;
  EXPECT_EQ(execution.status, ExecutionStatus::kDone);
  EXPECT_EQ(execution.started_at, now());
  EXPECT_EQ(execution.committed_at, now());
  EXPECT_EQ(execution.finished_at, now());
  EXPECT_EQ(record->result->bytes, "r");
  EXPECT_EQ(steps_of(claimed.job), "create:PENDING ready:SCHEDULED claim:RUNNING done:COMPLETED");
}

TEST_P(CommitBoundary, ACommitNeedsAStart) {
  const ClaimedJob claimed = running();
  EXPECT_EQ(code_of(commit(claimed)), "invalid_transition");
  EXPECT_FALSE(get(claimed.job)->result);
  ASSERT_EQ(code_of(start(claimed)), "ok");
  EXPECT_EQ(code_of(commit(claimed)), "ok");
}

TEST_P(CommitBoundary, ALeaseThatEndsAfterTheCommitCompletesTheJob) {
  const ClaimedJob claimed = committed(Spec().lease(seconds(10)));
  advance(seconds(10));
  const auto record = get(claimed.job);
  EXPECT_EQ(record->facts.state, JobState::kCompleted);
  EXPECT_EQ(record->facts.execution.status, ExecutionStatus::kDone);
  EXPECT_EQ(record->facts.attempt, 1) << "it does not run again";
  EXPECT_TRUE(claim().empty());
  const auto late = done(claimed);
  ASSERT_EQ(code_of(late), "ok");
  EXPECT_TRUE(late->repeated);
}

TEST_P(CommitBoundary, RecoveryAppliesNoEffectAgain) {
  give("ann", 10);
  const ClaimedJob claimed = running(Spec().account("ann").cost(4).lease(seconds(10)));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  ASSERT_EQ(code_of(commit(claimed, std::vector<Spec>{Spec("child")})), "ok");
  const auto children = get(claimed.job)->children;
  ASSERT_EQ(children.size(), 1u);
  advance(seconds(10));
  EXPECT_EQ(state_of(claimed.job), "COMPLETED");
  EXPECT_EQ(get(claimed.job)->children, children);
  EXPECT_EQ(account("ann").balance.captured, 4);
  EXPECT_EQ(entries("ann").size(), 3u) << "grant, reserve, capture";
}

TEST_P(CommitBoundary, ARepeatedCommitAppliesNoEffectAgain) {
  give("ann", 10);
  const ClaimedJob claimed = running(Spec().account("ann").cost(4));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(code_of(commit(claimed, std::vector<Spec>{Spec("child")})), "ok");
  ASSERT_EQ(code_of(ack(claimed, std::vector<Spec>{Spec("child")})), "ok");
  EXPECT_EQ(get(claimed.job)->children.size(), 1u);
  EXPECT_EQ(account("ann").balance.captured, 4);
}

TEST_P(CommitBoundary, AfterTheCommitTheJobCannotFail) {
  const ClaimedJob claimed = committed();
  EXPECT_EQ(code_of(nack(claimed)), "already_committed");
  EXPECT_EQ(code_of(nack(claimed, FailureCategory::kPermanent)), "already_committed");
  EXPECT_EQ(code_of(spawn(claimed, {Spec("child")})), "already_committed");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
}

TEST_P(CommitBoundary, AfterTheCommitTheWorkerMayTakeItsTime) {
  const ClaimedJob claimed = committed(Spec().execution(seconds(20)).lease(seconds(10)));
  for (int i = 0; i < 10; ++i) {
    advance(seconds(9));
    ASSERT_EQ(code_of(heartbeat(claimed)), "ok");
    EXPECT_EQ(facts_of(claimed.job).execution.lease_expires_at, now() + seconds(10))
        << "no deadline cuts it short";
  }
  EXPECT_EQ(code_of(done(claimed)), "ok");
}

TEST_P(CommitBoundary, DependentsMoveAtDoneNotAtTheCommit) {
  const ClaimedJob claimed = running(Spec("first"));
  const JobId second = make(Spec("second").after({claimed.job}));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  ASSERT_EQ(code_of(commit(claimed)), "ok");
  EXPECT_EQ(state_of(second), "PENDING");
  ASSERT_EQ(code_of(done(claimed)), "ok");
  EXPECT_EQ(state_of(second), "SCHEDULED");
}

TEST_P(CommitBoundary, AnotherExecutionsCommitIsFinal) {
  const ClaimedJob old = running(Spec().lease(seconds(10)));
  advance(seconds(10));
  const ClaimedJob fresh = claim_one();
  ASSERT_EQ(code_of(ack(fresh, "winner")), "ok");
  EXPECT_EQ(code_of(commit(old, "loser")), "already_committed");
  EXPECT_EQ(code_of(ack(old, "loser")), "already_committed");
  EXPECT_EQ(code_of(done(old)), "already_committed");
  EXPECT_EQ(get(old.job)->result->bytes, "winner");
}

TEST_P(CommitBoundary, AnUncommittedJobHasNoResult) {
  const ClaimedJob claimed = running();
  EXPECT_FALSE(get(claimed.job)->result);
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_FALSE(get(claimed.job)->result);
}

TEST_P(CommitBoundary, SuccessAfterFailuresClearsTheErrorAtDone) {
  const ClaimedJob first = running(Spec().constant(Duration{}));
  ASSERT_EQ(code_of(nack(first)), "ok");
  const ClaimedJob second = claim_one();
  ASSERT_EQ(code_of(start(second)), "ok");
  ASSERT_EQ(code_of(commit(second)), "ok");
  EXPECT_EQ(failure_of(first.job), "TEMPORARY E1");
  ASSERT_EQ(code_of(done(second)), "ok");
  EXPECT_EQ(failure_of(first.job), "");
}

TEST_P(CommitBoundary, ACommitAtTheLastInstantOfTheLeaseStillCounts) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  pass(milliseconds(9'999));
  ASSERT_EQ(code_of(commit(claimed)), "ok");
  advance(milliseconds(1));
  EXPECT_EQ(state_of(claimed.job), "COMPLETED") << "the lease was not extended by the commit";
}

}  // namespace
}  // namespace baton::store::conformance
