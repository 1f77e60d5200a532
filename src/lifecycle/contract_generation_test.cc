// The paid-generation contract: its transition table written a second time, by hand and in its own
// words, its whole matrix of situations and events, and its example sequences, walked step by step.
#include "lifecycle/contract_check.h"

namespace baton::lifecycle::testbed {
namespace {

constexpr Row kRows[] = {
    {"NONE", "create", "PENDING:create SCHEDULED:ready"},
    {"NONE", "create_draft", "!not_in_profile"},
    {"NONE", "create_delayed", "PENDING:create DELAYED:delay"},
    {"NONE", "create_waiting", "PENDING:create"},
    {"NONE", "create_after_failed create_after_dead_letter create_after_rejected",
     "PENDING:create DEAD_LETTER:dependency"},
    {"NONE", "create_after_cancelled", "PENDING:create CANCELLED:dependency"},
    {"@pending", "deps_failed deps_dead_letter deps_rejected", "DEAD_LETTER:dependency"},
    {"@pending", "deps_cancelled", "CANCELLED:dependency"},
    {"@queued RETRYING @running", "lifetime", "DEAD_LETTER:lifetime"},
    {"@first", "deadline", "RETRYING:timeout"},
    {"@first", "lease", "RETRYING:lease_lost SCHEDULED:backoff"},
    {"@first", "@retryable nack_retry_after", "RETRYING:failure"},
    {"@last", "deadline", "RETRYING:timeout DEAD_LETTER:exhausted"},
    {"@last", "lease", "RETRYING:lease_lost DEAD_LETTER:exhausted"},
    {"@last", "@retryable nack_retry_after", "RETRYING:failure DEAD_LETTER:exhausted"},
    {"@unasked", "@terminal", "RETRYING:failure DEAD_LETTER:permanent"},
    {"@asked", "nack_retry_after", "CANCELLED:cancel"},
    {"RETRYING", "patch_later", "changed"},
    {"RETRYING", "patch_now", "SCHEDULED:backoff"},
    {"RETRYING", "patch_beyond", "!invalid_job"},
    {"@asked", "release_delayed", "CANCELLED:cancel"},
    {"@unasked", "release", "RETRYING:release SCHEDULED:backoff"},
    {"@unasked", "release_delayed", "RETRYING:release"},
    {"@running", "reject", "REJECTED:reject"},
    {"@queued", "operator_reject", "REJECTED:reject"},
    {"RETRYING @running @committed @ended", "operator_reject", "!invalid_transition"},
};

constexpr SeedRow kSeed[] = {
    {"", "queued", "User calls createJob", "NONE", "create"},
    {"queued", "running", "Async Worker pickup", "SCHEDULED", "claim"},
    {"queued", "rejected", "Next Allowed States of queued", "SCHEDULED", "operator_reject"},
    {"running", "completed", "API returns image URL", "STARTED", "ack"},
    {"running", "failed", "API Timeout", "STARTED", "nack_timeout"},
    {"running", "failed", "500 error", "STARTED", "nack_temporary"},
    {"running", "rejected", "API Safety Filter triggers", "STARTED", "reject"},
    {"failed", "queued", "retryCount < MAX_RETRIES: Schedule Re-queue", "RETRYING", "wake"},
    {"failed", "dead_letter", "Else: Transition to dead_letter", "STARTED_LAST", "nack_temporary"},
};

constexpr Addition kAdditions[] = {
    {"queued", "cancelled", "cancel; a dependency was cancelled"},
    {"running", "cancelled", "cancel"},
    {"failed", "cancelled", "cancel"},
    {"queued", "dead_letter", "lifetime; a dependency"},
    {"running", "dead_letter", "lifetime"},
};

const Contract kContract = {
    "generation",
    {{JobState::kPending, "queued"},
     {JobState::kDelayed, "queued"},
     {JobState::kScheduled, "queued"},
     {JobState::kRunning, "running"},
     {JobState::kRetrying, "failed"},
     {JobState::kCompleted, "completed"},
     {JobState::kDeadLetter, "dead_letter"},
     {JobState::kCancelled, "cancelled"},
     {JobState::kRejected, "rejected"}},
    "NONE @queued RETRYING @running @committed COMPLETED DEAD_LETTER @cancelled @rejected",
    kRows,
    kSeed,
    kAdditions,
};

TEST(GenerationContract, EveryPairOfSituationAndEventIsDecided) { expect_matrix(kContract); }

TEST(GenerationContract, HasNoRowThatIsNeverUsed) { expect_no_idle_row(kContract); }

TEST(GenerationContract, ShowsItsOwnWords) { expect_words(kContract); }

TEST(GenerationContract, FollowsItsTransitionTable) { expect_seed_rows(kContract); }

TEST(GenerationContract, TakesNoOtherStep) { expect_no_other_step(kContract); }

constexpr Amount kCost = 30;

Life paid() {
  Life life("generation");
  life.create(costing(kCost));
  return life;
}

// What the latest step moved.
void expect_credits(const Life& life, std::optional<Effect> effect) {
  for (Effect one : {Effect::kCaptureCredits, Effect::kReleaseCredits})
    EXPECT_EQ(life.last.effects.has(one), effect == one) << life.words();
  EXPECT_EQ(life.last.credits, effect ? kCost : 0) << life.words();
  EXPECT_EQ(life.job.held == 0, effect.has_value() || is_committed(life.job)) << life.words();
}

TEST(GenerationContract, RunsASuccess) {
  Life life = paid();
  life.claim().start().commit().done();
  EXPECT_EQ(life.words(), "queued running completed");
}

TEST(GenerationContract, RetriesThenSucceeds) {
  Life life = paid();
  life.claim().nack();
  EXPECT_EQ(life.word(), "failed");
  EXPECT_EQ(life.job.run_at, life.now + seconds(2));
  life.wait(seconds(2)).claim().ack();
  EXPECT_EQ(life.words(), "queued running failed queued running completed");
}

TEST(GenerationContract, ADeadLetteredJobShowsThreeRetriesOfThree) {
  Life life = paid();
  life.claim().nack().wait(seconds(2)).claim().nack().wait(seconds(4)).claim().nack();
  EXPECT_EQ(life.words(),
            "queued running failed queued running failed queued running failed dead_letter");
  EXPECT_EQ(life.job.attempt, 3);
  EXPECT_EQ(life.job.retry_count, 3);
  EXPECT_EQ(life.profile().max_retries(life.terms->retry.max_attempts), 3);
}

TEST(GenerationContract, APermanentFailurePassesThroughFailed) {
  Life life = paid();
  life.claim().nack(FailureCategory::kPermanent);
  EXPECT_EQ(life.words(), "queued running failed dead_letter");
  EXPECT_EQ(life.job.version, 3);
  EXPECT_EQ(life.job.retry_count, 1);
}

TEST(GenerationContract, CreditsStayReservedUntilTheCommitCapturesThem) {
  Life life = paid();
  EXPECT_EQ(life.job.held, kCost);
  expect_credits(life, std::nullopt);
  life.claim().start();
  expect_credits(life, std::nullopt);
  EXPECT_EQ(life.job.held, kCost);
  life.commit();
  expect_credits(life, Effect::kCaptureCredits);
  life.done();
  expect_credits(life, std::nullopt);
}

TEST(GenerationContract, CreditsStayReservedWhileARetryWaits) {
  Life life = paid();
  life.claim().nack();
  expect_credits(life, std::nullopt);
  EXPECT_EQ(life.job.held, kCost);
}

TEST(GenerationContract, DeadLetterReleasesTheCredits) {
  Life life = paid();
  life.claim().nack(FailureCategory::kPermanent);
  expect_credits(life, Effect::kReleaseCredits);
}

TEST(GenerationContract, LifetimeReleasesTheCredits) {
  Life life = paid();
  life.wait(days(7));
  EXPECT_EQ(life.words(), "queued dead_letter");
  expect_credits(life, Effect::kReleaseCredits);
}

TEST(GenerationContract, CancelReleasesTheCredits) {
  Life life = paid();
  life.cancel();
  EXPECT_EQ(life.words(), "queued cancelled");
  expect_credits(life, Effect::kReleaseCredits);
}

TEST(GenerationContract, RejectionCapturesTheCreditsAndLeavesASafeBlock) {
  Life by_worker = paid();
  by_worker.claim().start().call(CallKind::kReject);
  Life by_operator = paid();
  by_operator.then(Reject{});
  for (const Life& life : {by_worker, by_operator}) {
    EXPECT_EQ(life.word(), "rejected");
    expect_credits(life, Effect::kCaptureCredits);
    EXPECT_TRUE(life.last.effects.has(Effect::kAuditSafeBlock));
  }
}

TEST(GenerationContract, OnlyRejectionLeavesASafeBlock) {
  Life dead = paid();
  dead.claim().nack(FailureCategory::kPermanent);
  Life done = paid();
  done.claim().ack();
  EXPECT_FALSE(dead.last.effects.has(Effect::kAuditSafeBlock));
  EXPECT_FALSE(done.last.effects.has(Effect::kAuditSafeBlock));
}

TEST(GenerationContract, ARejectedFreeJobLeavesASafeBlockToo) {
  Life life("generation");
  life.create().then(Reject{});
  EXPECT_TRUE(life.last.effects.has(Effect::kAuditSafeBlock));
  EXPECT_FALSE(life.last.effects.has(Effect::kCaptureCredits));
}

}  // namespace
}  // namespace baton::lifecycle::testbed
