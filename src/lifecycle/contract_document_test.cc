// The document-processing contract: its transition table written a second time, by hand and in its
// own words, its whole matrix of situations and events, and its example sequences, walked step by
// step.
#include "lifecycle/contract_check.h"

namespace baton::lifecycle::testbed {
namespace {

constexpr Row kRows[] = {
    {"NONE", "create", "CREATED:create PENDING:submit SCHEDULED:ready"},
    {"NONE", "create_draft", "CREATED:create"},
    {"NONE", "create_delayed", "CREATED:create PENDING:submit DELAYED:delay"},
    {"NONE", "create_waiting", "CREATED:create PENDING:submit"},
    {"NONE", "create_after_failed create_after_dead_letter create_after_rejected",
     "CREATED:create PENDING:submit FAILED:dependency"},
    {"NONE", "create_after_cancelled", "CREATED:create PENDING:submit CANCELLED:dependency"},
    {"CREATED", "submit", "PENDING:submit SCHEDULED:ready"},
    {"CREATED", "submit_waiting", "PENDING:submit"},
    {"CREATED", "submit_after_failed", "PENDING:submit FAILED:dependency"},
    {"@pending", "deps_failed deps_dead_letter deps_rejected", "FAILED:dependency"},
    {"@pending", "deps_cancelled", "CANCELLED:dependency"},
    {"@waiting @running", "lifetime", "FAILED:lifetime"},
    {"@first", "deadline", "RETRYING:timeout"},
    {"@first", "lease", "RETRYING:lease_lost"},
    {"@first", "@retryable", "RETRYING:failure"},
    {"@last", "deadline lease @retryable", "FAILED:exhausted"},
    {"@unasked", "@terminal", "FAILED:permanent"},
    {"@running", "nack_retry_after release_delayed reject", "!not_in_profile"},
    {"@unasked", "release", "RETRYING:release"},
    {"RETRYING", "patch_later patch_now patch_beyond", "!invalid_transition"},
    {"@there", "operator_reject", "!not_in_profile"},
};

constexpr SeedRow kSeed[] = {
    {"CREATED", "QUEUED", "Job submission", "CREATED", "submit"},
    {"QUEUED", "RUNNING", "Processing begins", "SCHEDULED", "claim"},
    {"RUNNING", "SUCCEEDED", "Processing completed successfully", "STARTED", "ack"},
    {"RUNNING", "FAILED", "Unrecoverable error", "STARTED", "nack_permanent"},
    {"RUNNING", "FAILED", "max retries exceeded", "STARTED_LAST", "nack_temporary"},
    {"RUNNING", "RETRYING", "Transient/retryable error and retries remaining", "STARTED",
     "nack_temporary"},
    {"RETRYING", "QUEUED", "Retry delay elapsed", "RETRYING", "wake"},
    {"QUEUED", "FAILED", "Resource exhaustion", "SCHEDULED", "lifetime"},
    {"QUEUED", "FAILED", "cancellation", "SCHEDULED", "cancel"},
};

constexpr Addition kAdditions[] = {
    {"", "CREATED", "create"},
    {"CREATED", "FAILED", "cancel; lifetime"},
    {"RETRYING", "FAILED", "cancel; lifetime"},
};

const Contract kContract = {
    "document",
    {{JobState::kCreated, "CREATED"},
     {JobState::kPending, "QUEUED"},
     {JobState::kDelayed, "QUEUED"},
     {JobState::kScheduled, "QUEUED"},
     {JobState::kRunning, "RUNNING"},
     {JobState::kRetrying, "RETRYING"},
     {JobState::kCompleted, "SUCCEEDED"},
     {JobState::kFailed, "FAILED"},
     {JobState::kCancelled, "FAILED"}},
    "NONE @waiting @running @committed COMPLETED FAILED @cancelled",
    kRows,
    kSeed,
    kAdditions,
};

TEST(DocumentContract, EveryPairOfSituationAndEventIsDecided) { expect_matrix(kContract); }

TEST(DocumentContract, HasNoRowThatIsNeverUsed) { expect_no_idle_row(kContract); }

TEST(DocumentContract, ShowsItsOwnWords) { expect_words(kContract); }

TEST(DocumentContract, FollowsItsTransitionTable) { expect_seed_rows(kContract); }

TEST(DocumentContract, TakesNoOtherStep) { expect_no_other_step(kContract); }

// "The following transitions are not allowed."
TEST(DocumentContract, NeverTakesAStepThatItForbids) {
  const WordStep forbidden[] = {{"QUEUED", "CREATED"},
                                {"SUCCEEDED", "QUEUED"},
                                {"RUNNING", "QUEUED"},
                                {"CREATED", "RUNNING"}};
  for (std::string_view situation : words_in(kContract.situations)) {
    for (std::string_view event : events_in(situation)) {
      const auto steps = steps_of(kContract, situation, event);
      for (const WordStep& step : forbidden)
        EXPECT_FALSE(steps.contains(step)) << situation << " x " << event;
    }
  }
}

TEST(DocumentContract, RunsASuccess) {
  Life life("document");
  life.create(as_draft());
  EXPECT_EQ(life.word(), "CREATED");
  life.then(Submit{}).claim().ack();
  EXPECT_EQ(life.words(), "CREATED QUEUED RUNNING SUCCEEDED");
  EXPECT_EQ(life.job.failure_category, std::nullopt);
  EXPECT_EQ(life.job.error_type, std::nullopt);
}

TEST(DocumentContract, RecordsBothStepsOfAJobThatIsNoDraft) {
  Life life("document");
  life.create();
  ASSERT_EQ(life.history.size(), 3u);
  EXPECT_EQ(life.history[0].to, JobState::kCreated);
  EXPECT_EQ(life.history[1].to, JobState::kPending);
  EXPECT_EQ(life.job.version, 1);
}

TEST(DocumentContract, RetriesATimeoutThenSucceeds) {
  Life life("document");
  life.create().claim().nack(FailureCategory::kTimeout);
  EXPECT_EQ(life.word(), "RETRYING");
  EXPECT_EQ(life.job.retry_count, 1);
  life.wait(milliseconds(999));
  EXPECT_EQ(life.word(), "RETRYING");
  life.wait(milliseconds(1));
  EXPECT_EQ(life.word(), "QUEUED");
  life.claim().ack();
  EXPECT_EQ(life.words(), "CREATED QUEUED RUNNING RETRYING QUEUED RUNNING SUCCEEDED");
}

TEST(DocumentContract, ExhaustsItsRetriesAtTheFourthRun) {
  Life life("document");
  life.create();
  for (int retry_count : {1, 2, 3}) {
    life.claim().nack();
    EXPECT_EQ(life.word(), "RETRYING");
    EXPECT_EQ(life.job.retry_count, retry_count);
    EXPECT_EQ(life.job.error_type, ErrorType::kRetryable);
    life.wait(seconds(1));
  }
  life.claim().nack();
  EXPECT_EQ(life.words(),
            "CREATED QUEUED RUNNING RETRYING QUEUED RUNNING RETRYING QUEUED RUNNING RETRYING "
            "QUEUED RUNNING FAILED");
  EXPECT_EQ(life.job.retry_count, 3);
  EXPECT_EQ(life.job.error_type, ErrorType::kTerminal);
  EXPECT_EQ(life.job.completed_at, life.now);
}

TEST(DocumentContract, FailsAtOnceOnAnInvalidDocument) {
  Life life("document");
  life.create().claim().nack(FailureCategory::kPermanent);
  EXPECT_EQ(life.words(), "CREATED QUEUED RUNNING FAILED");
  EXPECT_EQ(life.job.retry_count, 0);
}

TEST(DocumentContract, WaitsASecondAfterALostLeaseToo) {
  Life life("document");
  life.create().claim().wait(seconds(30));
  EXPECT_EQ(life.word(), "RETRYING");
  EXPECT_EQ(life.job.run_at, life.now + seconds(1));
}

TEST(DocumentContract, TreatsACancelAsAFailure) {
  Life life("document");
  life.create().cancel();
  EXPECT_EQ(life.words(), "CREATED QUEUED FAILED");
  EXPECT_EQ(life.job.state, JobState::kCancelled);
}

}  // namespace
}  // namespace baton::lifecycle::testbed
