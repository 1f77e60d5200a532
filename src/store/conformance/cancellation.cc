// Cancelling: at once while a job waits, by agreement while it runs, never after a commit.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

TEST_P(Cancellation, AWaitingJobIsCancelledAtOnce) {
  const JobId other = make(Spec("other").delay(days(1)));
  const JobId scheduled = make(Spec("scheduled"));
  const JobId delayed = make(Spec("delayed").delay(hours(1)));
  const JobId pending = make(Spec("pending").after({other}));
  const JobId draft = make(Spec("draft").queue(use_profile("document")).draft());
  const ClaimedJob retrying = running(Spec("retrying").constant(hours(1)));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  for (const JobId& id : {scheduled, delayed, pending, draft, retrying.job}) {
    const auto answer = cancel(id, false, "changed my mind");
    ASSERT_EQ(code_of(answer), "ok");
    EXPECT_EQ(answer->facts.state, JobState::kCancelled);
    EXPECT_EQ(failure_of(id), "CANCELLED cancelled");
    EXPECT_EQ(get(id)->last_failure->message, "changed my mind");
    EXPECT_EQ(facts_of(id).error_type, ErrorType::kTerminal);
  }
  EXPECT_TRUE(claim({.queues = {"default", "document"}, .max = 10}).empty());
}

TEST_P(Cancellation, ACancelledJobNeverWakes) {
  const JobId delayed = make(Spec("delayed").delay(seconds(10)));
  const ClaimedJob retrying = running(Spec("retrying").constant(seconds(10)));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  ASSERT_EQ(code_of(cancel(delayed)), "ok");
  ASSERT_EQ(code_of(cancel(retrying.job)), "ok");
  advance(days(8));
  EXPECT_EQ(state_of(delayed), "CANCELLED");
  EXPECT_EQ(state_of(retrying.job), "CANCELLED");
}

TEST_P(Cancellation, ARunningJobIsAskedThroughItsHeartbeat) {
  const ClaimedJob claimed = running();
  const auto before = heartbeat(claimed);
  ASSERT_EQ(code_of(before), "ok");
  EXPECT_FALSE(before->facts.cancel_requested);
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  const auto after = heartbeat(claimed);
  ASSERT_EQ(code_of(after), "ok");
  EXPECT_TRUE(after->facts.cancel_requested);
}

TEST_P(Cancellation, TheWorkersConfirmationEndsIt) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  ASSERT_EQ(code_of(confirm_cancel(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "CANCELLED");
  EXPECT_EQ(get(claimed.job)->executions[0].facts.status, ExecutionStatus::kAborted);
  EXPECT_EQ(code_of(confirm_cancel(claimed)), "stale_lease") << "the caller treats it as done";
}

TEST_P(Cancellation, EveryOtherEndOfTheExecutionCancelsToo) {
  const std::vector<FailureCategory> categories = {
      FailureCategory::kTemporary, FailureCategory::kPermanent, FailureCategory::kTimeout,
      FailureCategory::kCancelled, FailureCategory::kSystem};
  for (const FailureCategory category : categories) {
    const ClaimedJob claimed = running();
    ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
    ASSERT_EQ(code_of(nack(claimed, category)), "ok");
    EXPECT_EQ(state_of(claimed.job), "CANCELLED") << name(category);
    EXPECT_EQ(get(claimed.job)->executions[0].failure->category, category)
        << "the attempt keeps what the worker said";
  }
}

TEST_P(Cancellation, ALostLeaseCancelsAJobThatWasAsked) {
  const ClaimedJob claimed = running(Spec().lease(seconds(5)));
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  advance(seconds(5));
  EXPECT_EQ(state_of(claimed.job), "CANCELLED");
}

TEST_P(Cancellation, ADeadlineCancelsAJobThatWasAsked) {
  const ClaimedJob claimed = running(Spec().execution(seconds(5)));
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  advance(seconds(5));
  EXPECT_EQ(state_of(claimed.job), "CANCELLED");
}

TEST_P(Cancellation, TheLifetimeBeatsARequest) {
  const ClaimedJob claimed = running(Spec().lifetime(seconds(5)));
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  advance(seconds(5));
  EXPECT_EQ(state_of(claimed.job), "DEAD_LETTER");
  EXPECT_TRUE(facts_of(claimed.job).cancel_requested);
}

TEST_P(Cancellation, AWorkersRejectBeatsARequest) {
  const ClaimedJob claimed = running(Spec().queue(use_profile("generation")));
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  ASSERT_EQ(code_of(reject(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "REJECTED");
}

TEST_P(Cancellation, ACommitThatComesFirstWins) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(start(claimed)), "ok");
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  ASSERT_EQ(code_of(commit(claimed)), "ok");
  ASSERT_EQ(code_of(done(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "COMPLETED");
}

TEST_P(Cancellation, AnAckThatComesFirstWins) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "COMPLETED");
}

TEST_P(Cancellation, ForceEndsARunningJobAtOnce) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job, true)), "ok");
  EXPECT_EQ(state_of(claimed.job), "CANCELLED");
  EXPECT_EQ(code_of(heartbeat(claimed)), "stale_lease");
  EXPECT_EQ(code_of(ack(claimed)), "stale_lease");
}

TEST_P(Cancellation, ForceAfterARequestEndsIt) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  ASSERT_EQ(code_of(cancel(claimed.job, true)), "ok");
  EXPECT_EQ(state_of(claimed.job), "CANCELLED");
}

TEST_P(Cancellation, AfterTheCommitNothingIsCancelled) {
  const ClaimedJob claimed = committed();
  EXPECT_EQ(code_of(cancel(claimed.job)), "already_committed");
  EXPECT_EQ(code_of(cancel(claimed.job, true)), "already_committed");
  EXPECT_FALSE(facts_of(claimed.job).cancel_requested);
  ASSERT_EQ(code_of(done(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "COMPLETED");
}

TEST_P(Cancellation, ACancelledJobMayBeCancelledAgain) {
  const JobId id = cancelled();
  const auto version = facts_of(id).version;
  EXPECT_EQ(code_of(cancel(id)), "ok");
  EXPECT_EQ(code_of(cancel(id, true)), "ok");
  EXPECT_EQ(facts_of(id).version, version) << "nothing changes";
}

TEST_P(Cancellation, ARequestMayBeRepeated) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  const auto version = facts_of(claimed.job).version;
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  EXPECT_EQ(facts_of(claimed.job).version, version);
}

TEST_P(Cancellation, AnotherEndIsNotCancelled) {
  EXPECT_EQ(code_of(cancel(completed(Spec("a")))), "invalid_transition");
  EXPECT_EQ(code_of(cancel(failed(Spec("b")))), "invalid_transition");
  EXPECT_EQ(code_of(cancel(dead_lettered(Spec("c")), true)), "invalid_transition");
}

TEST_P(Cancellation, EveryProfileHasAWordForIt) {
  for (const auto& [profile, word] :
       std::vector<std::pair<std::string, std::string>>{{"standard", "CANCELLED"},
                                                        {"document", "FAILED"},
                                                        {"commit", "FAILED"},
                                                        {"generation", "cancelled"},
                                                        {"lease", "Failed"}}) {
    const JobId id = cancelled(Spec().queue(use_profile(profile)));
    EXPECT_EQ(word_of(id), word) << profile;
    EXPECT_EQ(state_of(id), "CANCELLED") << profile;
  }
}

TEST_P(Cancellation, ARequestDoesNotOutliveTheExecutionItWasMadeFor) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  const auto copy = redrive(claimed.job);
  ASSERT_EQ(code_of(copy), "ok");
  EXPECT_FALSE(copy->facts.cancel_requested);
  complete(copy->id);
  EXPECT_EQ(state_of(copy->id), "COMPLETED");
}

TEST_P(Cancellation, ACancelReachesTheDependents) {
  const JobId first = make(Spec("first"));
  const JobId second = make(Spec("second").after({first}));
  const JobId third = make(Spec("third").after({second}));
  ASSERT_EQ(code_of(cancel(first)), "ok");
  EXPECT_EQ(states_of({second, third}), (std::vector<std::string>{"CANCELLED", "CANCELLED"}));
  EXPECT_EQ(failure_of(second), "PERMANENT dependency_failed");
}

}  // namespace
}  // namespace baton::store::conformance
