// The work-queue contract: its transition table written a second time, by hand and in its own
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
     "PENDING:create FAILED:dependency"},
    {"NONE", "create_after_cancelled", "PENDING:create CANCELLED:dependency"},
    {"@pending", "deps_failed deps_dead_letter deps_rejected", "FAILED:dependency"},
    {"@pending", "deps_cancelled", "CANCELLED:dependency"},
    {"@queued RETRYING @running", "lifetime", "FAILED:lifetime"},
    {"@first", "deadline", "RETRYING:timeout"},
    {"@first", "lease", "RETRYING:lease_lost SCHEDULED:backoff"},
    {"@first", "@retryable nack_retry_after", "RETRYING:failure"},
    {"@last", "deadline lease @retryable nack_retry_after", "FAILED:exhausted"},
    {"@unasked", "@terminal", "FAILED:permanent"},
    {"@asked", "nack_retry_after", "CANCELLED:cancel"},
    {"RETRYING", "patch_later", "changed"},
    {"RETRYING", "patch_now", "SCHEDULED:backoff"},
    {"RETRYING", "patch_beyond", "!invalid_job"},
    {"@asked", "release_delayed", "CANCELLED:cancel"},
    {"@first", "release", "RETRYING:release SCHEDULED:backoff"},
    {"@first", "release_delayed", "RETRYING:release"},
    {"@last", "@release", "FAILED:exhausted"},
    {"@running", "reject", "!not_in_profile"},
    {"@there", "operator_reject", "!not_in_profile"},
};

constexpr SeedRow kSeed[] = {
    {"", "Ready", "Enqueue", "NONE", "create"},
    {"Ready", "InFlight", "Claim", "SCHEDULED", "claim"},
    {"InFlight", "Succeeded", "Ack", "LEASED", "ack"},
    {"InFlight", "Ready", "Nack (retry)", "LEASED", "nack_temporary"},
    {"InFlight", "Failed", "Nack (exhausted)", "LEASED_LAST", "nack_temporary"},
    {"InFlight", "Ready", "Lease Timeout", "LEASED", "lease"},
};

constexpr Addition kAdditions[] = {
    {"Ready", "Failed", "cancel; lifetime; a dependency"},
};

const Contract kContract = {
    "lease",
    {{JobState::kPending, "Ready"},
     {JobState::kDelayed, "Ready"},
     {JobState::kScheduled, "Ready"},
     {JobState::kRunning, "InFlight"},
     {JobState::kRetrying, "Ready"},
     {JobState::kCompleted, "Succeeded"},
     {JobState::kFailed, "Failed"},
     {JobState::kCancelled, "Failed"}},
    "NONE @queued RETRYING @running @committed COMPLETED FAILED @cancelled",
    kRows,
    kSeed,
    kAdditions,
};

TEST(LeaseContract, EveryPairOfSituationAndEventIsDecided) { expect_matrix(kContract); }

TEST(LeaseContract, HasNoRowThatIsNeverUsed) { expect_no_idle_row(kContract); }

TEST(LeaseContract, ShowsItsOwnWords) { expect_words(kContract); }

TEST(LeaseContract, FollowsItsTransitionTable) { expect_seed_rows(kContract); }

TEST(LeaseContract, TakesNoOtherStep) { expect_no_other_step(kContract); }

TEST(LeaseContract, RunsASuccess) {
  Life life("lease");
  life.create().claim().ack();
  EXPECT_EQ(life.words(), "Ready InFlight Succeeded");
}

TEST(LeaseContract, RetriesThenSucceeds) {
  Life life("lease");
  life.create().claim().nack();
  EXPECT_EQ(life.word(), "Ready");
  life.wait(seconds(1)).claim().ack();
  EXPECT_EQ(life.words(), "Ready InFlight Ready InFlight Succeeded");
}

TEST(LeaseContract, ANackedJobIsNotClaimableBeforeItsRetryTime) {
  Life life("lease");
  life.create().claim().nack();
  EXPECT_EQ(life.job.run_at, life.now + milliseconds(250));
  life.wait(milliseconds(249));
  EXPECT_EQ(life.refusal(Claim{token_of(2), {}}), "invalid_transition");
  life.wait(milliseconds(1)).claim();
  EXPECT_EQ(life.word(), "InFlight");
}

// The delay is random(0, min(base * 2^(n - 1), max)): the ends of the range, for each retry.
TEST(LeaseContract, BacksOffWithFullJitter) {
  for (const bool longest : {false, true}) {
    Life life("lease");
    life.random = longest ? ~0ULL : 0;
    life.create();
    for (int delay_ms : {500, 1000, 2000}) {
      life.claim().nack();
      if (longest) {
        EXPECT_EQ(life.job.run_at, life.now + milliseconds(delay_ms));
      } else {
        EXPECT_EQ(life.job.state, JobState::kScheduled);
      }
      life.wait(milliseconds(delay_ms));
    }
  }
}

TEST(LeaseContract, FailsAfterFourAttempts) {
  Life life("lease");
  life.create();
  for (int retry_count : {1, 2, 3}) {
    life.claim().nack();
    EXPECT_EQ(life.word(), "Ready");
    EXPECT_EQ(life.job.retry_count, retry_count);
    life.wait(seconds(30));
  }
  life.claim().nack();
  EXPECT_EQ(life.word(), "Failed");
  EXPECT_EQ(life.job.attempt, 4);
  EXPECT_EQ(life.job.retry_count, 3);
}

TEST(LeaseContract, AnExpiredLeaseMakesTheJobClaimableAtOnce) {
  Life life("lease");
  life.create().claim().wait(milliseconds(4999));
  EXPECT_EQ(life.word(), "InFlight");
  life.wait(milliseconds(1));
  EXPECT_EQ(life.word(), "Ready");
  life.claim();
  EXPECT_EQ(life.job.attempt, 2);
}

TEST(LeaseContract, FencesOutTheFormerHolder) {
  Life life("lease");
  life.create().claim().wait(seconds(5)).claim();
  for (CallKind kind : {CallKind::kAck, CallKind::kNack, CallKind::kHeartbeat})
    EXPECT_EQ(life.refusal(life.call_of(kind, 1)), "stale_lease") << name(kind);
  EXPECT_EQ(life.job.execution.attempt, 2);  // the lease's version rises with every claim
  EXPECT_EQ(life.job.execution.token, token_of(2));
}

TEST(LeaseContract, EachHeartbeatExtendsTheLeaseByItsTerm) {
  Life life("lease");
  life.create().claim();
  for (int beat = 0; beat < 10; ++beat) {
    life.wait(milliseconds(1667)).call(CallKind::kHeartbeat);
    EXPECT_EQ(life.job.execution.lease_expires_at, life.now + seconds(5));
  }
  life.ack();
  EXPECT_EQ(life.words(), "Ready InFlight Succeeded");
}

// A five-minute limit on the run holds however often the worker reports.
TEST(LeaseContract, HeartbeatsDoNotOutliveTheExecutionTimeout) {
  Life life("lease");
  life.create().claim();
  for (int beat = 1; beat < 75; ++beat)
    life.wait(seconds(4)).call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.execution.lease_expires_at, kStart + minutes(5));
  life.wait(seconds(4));
  EXPECT_EQ(life.word(), "Ready");
  EXPECT_EQ(life.job.failure_category, FailureCategory::kTimeout);
}

}  // namespace
}  // namespace baton::lifecycle::testbed
