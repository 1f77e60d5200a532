// One job of each profile walks through what its contract promises, in the contract's own words.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

// ---- standard ---------------------------------------------------------------------------------

TEST_P(Profiles, StandardSucceedsOnTheFirstAttempt) {
  const JobId id = make(Spec().queue(use_profile("standard")));
  EXPECT_EQ(word_of(id), "SCHEDULED");
  const ClaimedJob claimed = claim_job(id);
  EXPECT_EQ(word_of(id), "RUNNING");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(words_of(id), "PENDING SCHEDULED RUNNING COMPLETED");
}

TEST_P(Profiles, StandardWaitsForItsDelay) {
  const JobId id = make(Spec().queue(use_profile("standard")).delay(seconds(1)));
  advance(seconds(1));
  complete(id);
  EXPECT_EQ(words_of(id), "PENDING DELAYED SCHEDULED RUNNING COMPLETED");
}

TEST_P(Profiles, StandardRetriesTwiceAndIsDeadLettered) {
  const JobId id = make(Spec().queue(use_profile("standard")));
  for (const Duration wait : {seconds(1), seconds(2)}) {
    ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
    EXPECT_EQ(word_of(id), "RETRYING");
    advance(wait);
  }
  ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
  EXPECT_EQ(words_of(id),
            "PENDING SCHEDULED RUNNING RETRYING SCHEDULED RUNNING RETRYING SCHEDULED RUNNING "
            "DEAD_LETTER");
}

TEST_P(Profiles, StandardFailsForGood) {
  const JobId id = failed(Spec().queue(use_profile("standard")));
  EXPECT_EQ(words_of(id), "PENDING SCHEDULED RUNNING FAILED");
}

// ---- document ---------------------------------------------------------------------------------

TEST_P(Profiles, DocumentIsCreatedSubmittedAndSucceeds) {
  const JobId id = make(Spec().queue(use_profile("document")).draft());
  EXPECT_EQ(word_of(id), "CREATED");
  ASSERT_EQ(code_of(submit_draft(id)), "ok");
  EXPECT_EQ(word_of(id), "QUEUED");
  complete(id);
  EXPECT_EQ(words_of(id), "CREATED QUEUED RUNNING SUCCEEDED");
}

TEST_P(Profiles, DocumentRetriesThreeTimesASecondApartAndFails) {
  const JobId id = make(Spec().queue(use_profile("document")));
  for (int retry = 1; retry <= 3; ++retry) {
    ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
    EXPECT_EQ(word_of(id), "RETRYING");
    EXPECT_EQ(facts_of(id).retry_count, retry);
    advance(seconds(1));
    EXPECT_EQ(word_of(id), "QUEUED");
  }
  ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
  EXPECT_EQ(word_of(id), "FAILED");
  EXPECT_EQ(facts_of(id).retry_count, 3);
  EXPECT_EQ(facts_of(id).terms->profile->max_retries(facts_of(id).terms->retry.max_attempts), 3);
}

TEST_P(Profiles, DocumentKeepsAnOpaquePayload) {
  const std::string bytes("\x89PNG\r\n\x1a\n\0\0", 10);
  const JobId id =
      make(Spec().queue(use_profile("document")).payload(bytes).content_type("image/png"));
  complete(id);
  EXPECT_EQ(get(id)->spec->payload, bytes);
}

// ---- commit -----------------------------------------------------------------------------------

TEST_P(Profiles, CommitGoesFromLeasedToDone) {
  const JobId id = make(Spec().queue(use_profile("commit")));
  EXPECT_EQ(word_of(id), "PENDING");
  const ClaimedJob claimed = claim_job(id);
  EXPECT_EQ(facts_of(id).execution.status, ExecutionStatus::kLeased);
  EXPECT_EQ(word_of(id), "RUNNING");
  ASSERT_EQ(code_of(start(claimed)), "ok");
  EXPECT_EQ(facts_of(id).execution.status, ExecutionStatus::kInProgress);
  ASSERT_EQ(code_of(commit(claimed)), "ok");
  EXPECT_EQ(facts_of(id).execution.status, ExecutionStatus::kCommitted);
  EXPECT_EQ(word_of(id), "RUNNING");
  ASSERT_EQ(code_of(done(claimed)), "ok");
  EXPECT_EQ(facts_of(id).execution.status, ExecutionStatus::kDone);
  EXPECT_EQ(words_of(id), "PENDING RUNNING SUCCEEDED");
}

TEST_P(Profiles, CommitIsPendingAgainAfterALostLease) {
  const ClaimedJob first = running(Spec().queue(use_profile("commit")));
  advance(seconds(30));
  EXPECT_EQ(word_of(first.job), "PENDING");
  const ClaimedJob second = claim_job(first.job);
  EXPECT_EQ(code_of(ack(first)), "stale_lease");
  ASSERT_EQ(code_of(ack(second)), "ok");
  EXPECT_EQ(words_of(first.job), "PENDING RUNNING PENDING RUNNING SUCCEEDED");
}

TEST_P(Profiles, CommitFailsAfterFourExecutions) {
  const JobId id = make(Spec().queue(use_profile("commit")));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(word_of(id), "PENDING");
    ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
  }
  EXPECT_EQ(word_of(id), "FAILED");
  EXPECT_EQ(get(id)->executions.size(), 4u);
}

// ---- generation -------------------------------------------------------------------------------

TEST_P(Profiles, GenerationIsPaidForAndCompletes) {
  const std::string queue = use_profile("generation");
  give("ann", 20);
  const JobId id =
      make(Spec("image").queue(queue).account("ann").cost(8).payload(R"({"prompt":"a cat"})"));
  EXPECT_EQ(word_of(id), "queued");
  EXPECT_EQ(account("ann").balance.reserved, 8);
  complete(id);
  EXPECT_EQ(words_of(id), "queued running completed");
  EXPECT_EQ(account("ann").balance.captured, 8);
}

TEST_P(Profiles, GenerationRetriesThreeTimesAndIsDeadLettered) {
  const std::string queue = use_profile("generation");
  give("ann", 20);
  const JobId id = make(Spec("image").queue(queue).account("ann").cost(8));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
    advance(seconds(30));
  }
  EXPECT_EQ(words_of(id),
            "queued running failed queued running failed queued running failed dead_letter");
  EXPECT_EQ(facts_of(id).retry_count, 3);
  EXPECT_EQ(account("ann").balance.available, 20) << "nothing is paid for nothing";
}

TEST_P(Profiles, GenerationIsRejectedByModerationAndPaidFor) {
  const std::string queue = use_profile("generation");
  give("ann", 20);
  const ClaimedJob claimed = running(Spec("image").queue(queue).account("ann").cost(8));
  ASSERT_EQ(code_of(reject(claimed)), "ok");
  EXPECT_EQ(words_of(claimed.job), "queued running rejected");
  EXPECT_EQ(account("ann").balance.captured, 8);
  EXPECT_EQ(failure_of(claimed.job), "PERMANENT rejected");
}

TEST_P(Profiles, GenerationIsCancelledAndPaidBack) {
  const std::string queue = use_profile("generation");
  give("ann", 20);
  const JobId id = cancelled(Spec("image").queue(queue).account("ann").cost(8));
  EXPECT_EQ(words_of(id), "queued cancelled");
  EXPECT_EQ(account("ann").balance.available, 20);
}

// ---- lease ------------------------------------------------------------------------------------

TEST_P(Profiles, LeaseIsReadyInFlightAndSucceeds) {
  const JobId id = make(Spec().queue(use_profile("lease")));
  EXPECT_EQ(word_of(id), "Ready");
  const ClaimedJob claimed = claim_job(id);
  EXPECT_EQ(word_of(id), "InFlight");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(words_of(id), "Ready InFlight Succeeded");
}

TEST_P(Profiles, LeaseIsLostAfterFiveSecondsAndFencesTheOldWorker) {
  const ClaimedJob first = running(Spec().queue(use_profile("lease")));
  advance(seconds(5));
  EXPECT_EQ(word_of(first.job), "Ready");
  const ClaimedJob second = claim_job(first.job);
  EXPECT_EQ(second.facts.execution.attempt, first.facts.execution.attempt + 1);
  EXPECT_EQ(code_of(ack(first)), "stale_lease");
  EXPECT_EQ(code_of(heartbeat(second)), "ok");
  ASSERT_EQ(code_of(ack(second)), "ok");
  EXPECT_EQ(word_of(first.job), "Succeeded");
}

TEST_P(Profiles, LeaseFailsAfterFourAttempts) {
  const JobId id = make(Spec().queue(use_profile("lease")));
  for (int i = 0; i < 4; ++i) {
    claim_job(id);
    advance(seconds(5));
  }
  EXPECT_EQ(words_of(id), "Ready InFlight Ready InFlight Ready InFlight Ready InFlight Failed");
}

// ---- together ---------------------------------------------------------------------------------

TEST_P(Profiles, JobsOfAllProfilesLiveSideBySide) {
  std::vector<JobId> ids;
  std::vector<std::string> queues;
  for (const char* profile : {"standard", "document", "commit", "generation", "lease"}) {
    queues.push_back(use_profile(profile));
    ids.push_back(make(Spec().queue(queues.back())));
  }
  for (const ClaimedJob& claimed : claim({.queues = queues, .max = 10}))
    ASSERT_EQ(code_of(ack(claimed)), "ok");
  std::vector<std::string> words;
  for (const JobId& id : ids)
    words.push_back(word_of(id));
  EXPECT_EQ(words, (std::vector<std::string>{"COMPLETED", "SUCCEEDED", "SUCCEEDED", "completed",
                                             "Succeeded"}));
}

}  // namespace
}  // namespace baton::store::conformance
