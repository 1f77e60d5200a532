// The full job model: its transition table written a second time, by hand and in its own words, its
// whole matrix of situations and events, and its example sequences, walked step by step.
#include "lifecycle/contract_check.h"

namespace baton::lifecycle::testbed {
namespace {

constexpr Row kRows[] = {
    {"NONE", "create", "PENDING:create SCHEDULED:ready"},
    {"NONE", "create_draft", "!not_in_profile"},
    {"NONE", "create_delayed", "PENDING:create DELAYED:delay"},
    {"NONE", "create_waiting", "PENDING:create"},
    {"NONE", "create_after_failed create_after_rejected", "PENDING:create FAILED:dependency"},
    {"NONE", "create_after_dead_letter", "PENDING:create DEAD_LETTER:dependency"},
    {"NONE", "create_after_cancelled", "PENDING:create CANCELLED:dependency"},
    {"@pending", "deps_failed deps_rejected", "FAILED:dependency"},
    {"@pending", "deps_dead_letter", "DEAD_LETTER:dependency"},
    {"@pending", "deps_cancelled", "CANCELLED:dependency"},
    {"@queued RETRYING @running", "lifetime", "DEAD_LETTER:lifetime"},
    {"@first", "deadline", "RETRYING:timeout"},
    {"@first", "lease", "RETRYING:lease_lost SCHEDULED:backoff"},
    {"@first", "@retryable nack_retry_after", "RETRYING:failure"},
    {"@last", "deadline lease @retryable nack_retry_after", "DEAD_LETTER:exhausted"},
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
    {"PENDING", "SCHEDULED", "Immediate execution requested, no delay", "NONE", "create"},
    {"PENDING", "DELAYED", "Delay specified; waiting for trigger time", "NONE", "create_delayed"},
    {"DELAYED", "SCHEDULED", "Delay expired", "DELAYED", "wake"},
    {"SCHEDULED", "RUNNING", "Worker accepts job", "SCHEDULED", "claim"},
    {"RUNNING", "COMPLETED", "Handler returns success", "STARTED", "ack"},
    {"RUNNING", "FAILED", "Handler returns permanent failure", "STARTED", "nack_permanent"},
    {"RUNNING", "RETRYING", "Handler returns temporary failure, retries remaining", "STARTED",
     "nack_temporary"},
    {"RUNNING", "DEAD_LETTER", "Handler returns temporary failure, no retries remaining",
     "STARTED_LAST", "nack_temporary"},
    {"RETRYING", "SCHEDULED", "Backoff expired", "RETRYING", "wake"},
    // The limit of attempts is met by the failing attempt itself, so that what is left to run out
    // while a job waits for its retry is its lifetime.
    {"RETRYING", "DEAD_LETTER", "Retry limit exhausted", "RETRYING", "lifetime"},
};

constexpr Addition kAdditions[] = {
    {"", "PENDING", "create"},
    {"PENDING", "FAILED", "a dependency failed"},
    {"PENDING", "DEAD_LETTER", "a dependency is in the dead letter; lifetime"},
    {"DELAYED", "DEAD_LETTER", "lifetime"},
    {"SCHEDULED", "DEAD_LETTER", "lifetime"},
    {"PENDING", "CANCELLED", "cancel; a dependency was cancelled"},
    {"DELAYED", "CANCELLED", "cancel"},
    {"SCHEDULED", "CANCELLED", "cancel"},
    {"RUNNING", "CANCELLED", "cancel"},
    {"RETRYING", "CANCELLED", "cancel"},
};

const Contract kContract = {
    "standard",
    {{JobState::kPending, "PENDING"},
     {JobState::kDelayed, "DELAYED"},
     {JobState::kScheduled, "SCHEDULED"},
     {JobState::kRunning, "RUNNING"},
     {JobState::kRetrying, "RETRYING"},
     {JobState::kCompleted, "COMPLETED"},
     {JobState::kFailed, "FAILED"},
     {JobState::kDeadLetter, "DEAD_LETTER"},
     {JobState::kCancelled, "CANCELLED"}},
    "NONE @queued RETRYING @running @committed COMPLETED FAILED DEAD_LETTER @cancelled",
    kRows,
    kSeed,
    kAdditions,
};

TEST(StandardContract, EveryPairOfSituationAndEventIsDecided) { expect_matrix(kContract); }

TEST(StandardContract, HasNoRowThatIsNeverUsed) { expect_no_idle_row(kContract); }

TEST(StandardContract, ShowsItsOwnWords) { expect_words(kContract); }

TEST(StandardContract, FollowsItsTransitionTable) { expect_seed_rows(kContract); }

TEST(StandardContract, TakesNoOtherStep) { expect_no_other_step(kContract); }

TEST(StandardContract, RunsASuccess) {
  Life life("standard");
  life.create().claim().start().commit().done();
  EXPECT_EQ(life.words(), "PENDING SCHEDULED RUNNING COMPLETED");
}

TEST(StandardContract, RunsADelayedJob) {
  Life life("standard");
  life.create(delayed(seconds(5)));
  EXPECT_EQ(life.refusal(Claim{token_of(1), {}}), "invalid_transition");
  life.wait(seconds(5)).claim().ack();
  EXPECT_EQ(life.words(), "PENDING DELAYED SCHEDULED RUNNING COMPLETED");
}

TEST(StandardContract, RetriesThenSucceeds) {
  Life life("standard");
  life.create().claim().nack().wait(seconds(1)).claim().ack();
  EXPECT_EQ(life.words(), "PENDING SCHEDULED RUNNING RETRYING SCHEDULED RUNNING COMPLETED");
  EXPECT_EQ(life.job.attempt, 2);
  EXPECT_EQ(life.job.retry_count, 1);
}

TEST(StandardContract, EndsInTheDeadLetterAfterThreeAttempts) {
  Life life("standard");
  life.create().claim().nack().wait(seconds(1)).claim().nack().wait(seconds(2)).claim().nack();
  EXPECT_EQ(life.words(),
            "PENDING SCHEDULED RUNNING RETRYING SCHEDULED RUNNING RETRYING SCHEDULED RUNNING "
            "DEAD_LETTER");
  EXPECT_EQ(life.job.attempt, 3);
  EXPECT_EQ(life.job.retry_count, 2);
}

TEST(StandardContract, FailsAtOnceOnAPermanentFailure) {
  Life life("standard");
  life.create().claim().nack(FailureCategory::kPermanent);
  EXPECT_EQ(life.words(), "PENDING SCHEDULED RUNNING FAILED");
  EXPECT_EQ(life.job.retry_count, 0);
}

TEST(StandardContract, ReclaimsAnOrphanWithoutWaiting) {
  Life life("standard");
  life.create().claim().start().wait(minutes(5));
  EXPECT_EQ(life.words(), "PENDING SCHEDULED RUNNING RETRYING SCHEDULED");
  EXPECT_EQ(life.job.state, JobState::kScheduled);
}

// The categories of the model and whether each is worth a retry.
TEST(StandardContract, RetriesByFailureCategory) {
  struct {
    FailureCategory category;
    JobState leads_to;
  } const rows[] = {
      {FailureCategory::kTemporary, JobState::kRetrying},
      {FailureCategory::kPermanent, JobState::kFailed},
      {FailureCategory::kTimeout, JobState::kRetrying},
      {FailureCategory::kCancelled, JobState::kFailed},
      {FailureCategory::kSystem, JobState::kRetrying},
  };
  for (const auto& row : rows) {
    Life life("standard");
    life.create().claim().nack(row.category);
    EXPECT_EQ(life.job.state, row.leads_to) << name(row.category);
  }
}

}  // namespace
}  // namespace baton::lifecycle::testbed
