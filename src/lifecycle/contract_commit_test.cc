// The contract of derived job states: its transition table written a second time, by hand and in
// its own words, its whole matrix of situations and events, and its example sequences, walked step
// by step.
#include "lifecycle/contract_check.h"

namespace baton::lifecycle::testbed {
namespace {

constexpr Row kRows[] = {
    {"NONE", "create", "PENDING:create SCHEDULED:ready"},
    {"NONE", "create_draft", "!not_in_profile"},
    {"NONE", "create_delayed", "PENDING:create DELAYED:delay"},
    {"NONE", "create_waiting", "PENDING:create"},
    {"NONE", "create_after_failed create_after_dead_letter create_after_rejected",
     "PENDING:create FAILED:dependency"},
    {"NONE", "create_after_cancelled", "PENDING:create CANCELLED:dependency"},
    {"@pending", "deps_failed deps_dead_letter deps_rejected", "FAILED:dependency"},
    {"@pending", "deps_cancelled", "CANCELLED:dependency"},
    {"@queued RETRYING @running", "lifetime", "FAILED:lifetime"},
    {"@first", "deadline", "RETRYING:timeout SCHEDULED:backoff"},
    {"@first", "lease", "RETRYING:lease_lost SCHEDULED:backoff"},
    {"@first", "@retryable", "RETRYING:failure SCHEDULED:backoff"},
    {"@first", "nack_retry_after", "RETRYING:failure"},
    {"@last", "deadline lease @retryable nack_retry_after", "FAILED:exhausted"},
    {"@unasked", "@terminal", "FAILED:permanent"},
    {"@asked", "nack_retry_after", "CANCELLED:cancel"},
    {"RETRYING", "patch_later", "changed"},
    {"RETRYING", "patch_now", "SCHEDULED:backoff"},
    {"RETRYING", "patch_beyond", "!invalid_job"},
    {"@asked", "release_delayed", "CANCELLED:cancel"},
    {"@unasked", "release", "RETRYING:release SCHEDULED:backoff"},
    {"@unasked", "release_delayed", "RETRYING:release"},
    {"@running", "reject", "!not_in_profile"},
    {"@there", "operator_reject", "!not_in_profile"},
};

constexpr SeedRow kSeed[] = {
    {"", "PENDING", "Submit a Job", "NONE", "create"},
    {"PENDING", "RUNNING", "an execution is LEASED", "SCHEDULED", "claim"},
    {"RUNNING", "SUCCEEDED", "any execution reaches DONE (after COMMITTED)", "COMMITTED", "done"},
    {"RUNNING", "PENDING", "lease expires and no execution is COMMITTED", "STARTED", "lease"},
};

constexpr Addition kAdditions[] = {
    {"PENDING", "FAILED", "cancel; lifetime; a dependency"},
    {"RUNNING", "FAILED", "terminal failure; exhausted; cancel; lifetime"},
};

const Contract kContract = {
    "commit",
    {{JobState::kPending, "PENDING"},
     {JobState::kDelayed, "PENDING"},
     {JobState::kScheduled, "PENDING"},
     {JobState::kRunning, "RUNNING"},
     {JobState::kRetrying, "PENDING"},
     {JobState::kCompleted, "SUCCEEDED"},
     {JobState::kFailed, "FAILED"},
     {JobState::kCancelled, "FAILED"}},
    "NONE @queued RETRYING @running @committed COMPLETED FAILED @cancelled",
    kRows,
    kSeed,
    kAdditions,
};

TEST(CommitContract, EveryPairOfSituationAndEventIsDecided) { expect_matrix(kContract); }

TEST(CommitContract, HasNoRowThatIsNeverUsed) { expect_no_idle_row(kContract); }

TEST(CommitContract, ShowsItsOwnWords) { expect_words(kContract); }

TEST(CommitContract, FollowsItsTransitionTable) { expect_seed_rows(kContract); }

TEST(CommitContract, TakesNoOtherStep) { expect_no_other_step(kContract); }

// The execution's own state machine, as the contract lists it, and the atomic ack beside it.
TEST(CommitContract, ExecutionsTakeOnlyTheStepsThatItLists) {
  using enum ExecutionStatus;
  const std::set<std::pair<ExecutionStatus, ExecutionStatus>> listed = {
      {kLeased, kInProgress},  // happy path
      {kInProgress, kCommitted}, {kCommitted, kDone},
      {kLeased, kAborted},      // lease expires before start
      {kInProgress, kAborted},  // crash or timeout before commit
      {kLeased, kDone},         // ack: start, commit and done in one step
      {kInProgress, kDone},     // ack: commit and done in one step
  };
  std::set<std::pair<ExecutionStatus, ExecutionStatus>> taken;
  for (std::string_view situation : words_in("@running @committed COMPLETED FAILED")) {
    for (std::string_view event : events_in(situation)) {
      Life life = reach(kContract, situation);
      const Event made = kEvents.at(event).make(life);
      const auto result = decide(life.job, made, life.now, kMiddle);
      if (!result.ok() || result.value().job.attempt != life.job.attempt) continue;
      const ExecutionStatus to = result.value().job.execution.status;
      if (to != life.job.execution.status) taken.insert({life.job.execution.status, to});
    }
  }
  EXPECT_EQ(taken, listed);
}

TEST(CommitContract, RunsTheHappyPath) {
  Life life("commit");
  life.create();
  EXPECT_EQ(life.word(), "PENDING");
  life.claim();
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kLeased);
  life.start();
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kInProgress);
  life.commit();
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kCommitted);
  EXPECT_EQ(life.word(), "RUNNING");
  life.done();
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kDone);
  EXPECT_EQ(life.words(), "PENDING RUNNING SUCCEEDED");
}

// FM_001: worker A loses its lease, worker B runs the same job and commits, A comes back.
struct LostLease : ::testing::Test {
  void SetUp() override {
    life.create(costing(5)).claim().start();
    life.wait(seconds(30));
    EXPECT_EQ(life.words(), "PENDING RUNNING PENDING");
    life.claim().start();
  }
  Call of_a(CallKind kind) const { return life.call_of(kind, 1); }

  Life life{"commit"};
};

TEST_F(LostLease, TheFirstWorkersCommitIsStaleWhileTheSecondRuns) {
  EXPECT_EQ(life.refusal(of_a(CallKind::kCommit)), "stale_lease");
  EXPECT_EQ(life.refusal(of_a(CallKind::kAck)), "stale_lease");
}

TEST_F(LostLease, TheFirstWorkersCommitIsToldOfTheSecondsAndHasNoEffect) {
  life.commit();
  EXPECT_TRUE(life.last.effects.has(Effect::kCaptureCredits));
  const JobFacts committed = life.job;
  for (CallKind kind : {CallKind::kCommit, CallKind::kDone, CallKind::kAck}) {
    EXPECT_EQ(life.refusal(of_a(kind)), "already_committed") << name(kind);
    EXPECT_EQ(life.job, committed);
  }
  life.done();
  EXPECT_EQ(life.refusal(of_a(CallKind::kCommit)), "already_committed");
  EXPECT_EQ(life.words(), "PENDING RUNNING PENDING RUNNING SUCCEEDED");
}

TEST_F(LostLease, TheFirstWorkersOtherCallsAreStaleEvenAfterTheCommit) {
  life.commit();
  for (CallKind kind : {CallKind::kStart, CallKind::kHeartbeat, CallKind::kNack, CallKind::kReject,
                        CallKind::kCancelled, CallKind::kSpawn, CallKind::kAsset}) {
    EXPECT_EQ(life.refusal(of_a(kind)), "stale_lease") << name(kind);
  }
}

TEST(CommitContract, ACrashBetweenCommittedAndDoneIsFinalisedWithoutASecondEffect) {
  Life life("commit");
  life.create(costing(5)).claim().start().commit();
  EXPECT_TRUE(life.last.effects.has(Effect::kCaptureCredits));
  EXPECT_TRUE(life.last.effects.has(Effect::kMakeChildren));
  EXPECT_TRUE(life.last.result_stored);
  life.wait(seconds(30));
  EXPECT_EQ(life.word(), "SUCCEEDED");
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kDone);
  EXPECT_FALSE(life.last.effects.has(Effect::kCaptureCredits));
  EXPECT_FALSE(life.last.effects.has(Effect::kReleaseCredits));
  EXPECT_FALSE(life.last.effects.has(Effect::kMakeChildren));
  EXPECT_FALSE(life.last.result_stored);
  EXPECT_EQ(life.last.credits, 0);
}

TEST(CommitContract, ACrashBeforeCommittedIsRetried) {
  Life life("commit");
  life.create().claim().start().wait(seconds(30)).claim().start().commit().done();
  EXPECT_EQ(life.words(), "PENDING RUNNING PENDING RUNNING SUCCEEDED");
}

TEST(CommitContract, FailsWhenTheFourthExecutionIsLost) {
  Life life("commit");
  life.create();
  for (int run = 1; run <= 4; ++run)
    life.claim().wait(seconds(30));
  EXPECT_EQ(life.word(), "FAILED");
  EXPECT_EQ(life.job.attempt, 4);
}

TEST(CommitContract, FailsAtOnceOnAPermanentFailure) {
  Life life("commit");
  life.create().claim().nack(FailureCategory::kPermanent);
  EXPECT_EQ(life.words(), "PENDING RUNNING FAILED");
}

}  // namespace
}  // namespace baton::lifecycle::testbed
