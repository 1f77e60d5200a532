#include "lifecycle/derive.h"

#include <gtest/gtest.h>

#include <vector>

namespace baton::lifecycle {
namespace {

using Rows = std::vector<ExecutionEvidence>;
using Ended = ExecutionStatus;

Terms terms(std::string_view profile, int max_attempts = 3) {
  Terms made;
  made.profile = find_profile(profile);
  made.retry = made.profile->policy.retry;
  made.retry.max_attempts = max_attempts;
  return made;
}

JobEvidence facts(const Terms& terms) {
  JobEvidence made;
  made.terms = &terms;
  return made;
}

ExecutionEvidence aborted(FailureCategory category, std::string_view code = "x") {
  return {Ended::kAborted, category, code};
}

const ExecutionEvidence kTemporary = aborted(FailureCategory::kTemporary);
const ExecutionEvidence kPermanent = aborted(FailureCategory::kPermanent);

TEST(Derive, ADraftIsCreated) {
  const Terms document = terms("document");
  JobEvidence draft = facts(document);
  draft.submitted = false;
  EXPECT_EQ(derive({}, draft), JobState::kCreated);
  draft.dependencies = Verdict::waiting();
  draft.waits = true;
  EXPECT_EQ(derive({}, draft), JobState::kCreated);
}

TEST(Derive, AJobWhoseDependenciesAreOpenIsPending) {
  const Terms standard = terms("standard");
  JobEvidence waiting = facts(standard);
  waiting.dependencies = Verdict::waiting();
  EXPECT_EQ(derive({}, waiting), JobState::kPending);
  waiting.waits = true;
  EXPECT_EQ(derive({}, waiting), JobState::kPending);
}

TEST(Derive, AJobWithTimeAheadIsDelayedElseScheduled) {
  const Terms standard = terms("standard");
  JobEvidence ready = facts(standard);
  EXPECT_EQ(derive({}, ready), JobState::kScheduled);
  ready.waits = true;
  EXPECT_EQ(derive({}, ready), JobState::kDelayed);
}

TEST(Derive, AnOpenExecutionMeansRunning) {
  const Terms standard = terms("standard");
  for (const Ended status : {Ended::kLeased, Ended::kInProgress, Ended::kCommitted}) {
    EXPECT_EQ(derive(Rows{{status, {}, {}}}, facts(standard)), JobState::kRunning);
    EXPECT_EQ(derive(Rows{kTemporary, {status, {}, {}}}, facts(standard)), JobState::kRunning);
  }
}

TEST(Derive, AnOpenExecutionOutweighsTheOwnFacts) {
  const Terms standard = terms("standard");
  JobEvidence asked = facts(standard);
  asked.waits = true;
  EXPECT_EQ(derive(Rows{{Ended::kLeased, {}, {}}}, asked), JobState::kRunning);
}

TEST(Derive, ADoneExecutionMeansCompleted) {
  const Terms standard = terms("standard");
  EXPECT_EQ(derive(Rows{{Ended::kDone, {}, {}}}, facts(standard)), JobState::kCompleted);
  EXPECT_EQ(derive(Rows{kTemporary, kTemporary, {Ended::kDone, {}, {}}}, facts(standard)),
            JobState::kCompleted);
}

TEST(Derive, ATemporaryFailureWaitsOrIsScheduledAgain) {
  const Terms standard = terms("standard", 3);
  JobEvidence again = facts(standard);
  EXPECT_EQ(derive(Rows{kTemporary}, again), JobState::kScheduled);
  EXPECT_EQ(derive(Rows{kTemporary, kTemporary}, again), JobState::kScheduled);
  again.waits = true;
  EXPECT_EQ(derive(Rows{kTemporary}, again), JobState::kRetrying);
  EXPECT_EQ(derive(Rows{kTemporary, kTemporary}, again), JobState::kRetrying);
}

TEST(Derive, TheLastAttemptLeadsToTheExhaustedState) {
  for (const bool waits : {false, true}) {
    const Terms standard = terms("standard", 2);
    JobEvidence again = facts(standard);
    again.waits = waits;
    EXPECT_EQ(derive(Rows{kTemporary, kTemporary}, again), JobState::kDeadLetter);
    EXPECT_EQ(derive(Rows{kTemporary, kTemporary, kTemporary}, again), JobState::kDeadLetter);
    const Terms lease = terms("lease", 2);
    again.terms = &lease;
    EXPECT_EQ(derive(Rows{kTemporary, kTemporary}, again), JobState::kFailed);
    const Terms once = terms("standard", 1);
    again.terms = &once;
    EXPECT_EQ(derive(Rows{kTemporary}, again), JobState::kDeadLetter);
  }
}

TEST(Derive, APermanentFailureLeadsToThePermanentState) {
  const Terms standard = terms("standard");
  const Terms generation = terms("generation");
  EXPECT_EQ(derive(Rows{kPermanent}, facts(standard)), JobState::kFailed);
  EXPECT_EQ(derive(Rows{kPermanent}, facts(generation)), JobState::kDeadLetter);
  EXPECT_EQ(derive(Rows{kTemporary, kPermanent}, facts(standard)), JobState::kFailed);
}

TEST(Derive, OnlyTheLatestFailureCounts) {
  const Terms standard = terms("standard");
  EXPECT_EQ(derive(Rows{kPermanent, kTemporary}, facts(standard)), JobState::kScheduled);
}

TEST(Derive, TimeoutsAndSystemFailuresAreAsTheTermsSay) {
  Terms standard = terms("standard");
  const Rows timeout = {aborted(FailureCategory::kTimeout)};
  const Rows system = {aborted(FailureCategory::kSystem)};
  const Rows lost = {aborted(FailureCategory::kSystem, "lease_lost")};
  EXPECT_EQ(derive(timeout, facts(standard)), JobState::kScheduled);
  EXPECT_EQ(derive(system, facts(standard)), JobState::kScheduled);
  standard.timeout_is = FailureIs::kTerminal;
  standard.system_is = FailureIs::kTerminal;
  EXPECT_EQ(derive(timeout, facts(standard)), JobState::kFailed);
  EXPECT_EQ(derive(system, facts(standard)), JobState::kFailed);
  EXPECT_EQ(derive(lost, facts(standard)), JobState::kScheduled);
}

TEST(Derive, ACancelThatTookEffectEndsTheJob) {
  const Terms standard = terms("standard");
  JobEvidence cancelled = facts(standard);
  cancelled.cancelled = true;
  EXPECT_EQ(derive({}, cancelled), JobState::kCancelled);
  EXPECT_EQ(derive(Rows{kTemporary}, cancelled), JobState::kCancelled);
  EXPECT_EQ(derive(Rows{kPermanent}, cancelled), JobState::kCancelled);
}

TEST(Derive, ARejectionThatTookEffectEndsTheJob) {
  const Terms generation = terms("generation");
  JobEvidence rejected = facts(generation);
  rejected.rejected = true;
  EXPECT_EQ(derive({}, rejected), JobState::kRejected);
  EXPECT_EQ(derive(Rows{kPermanent}, rejected), JobState::kRejected);
}

TEST(Derive, ALifetimeThatTookEffectEndsTheJobExhausted) {
  const Terms standard = terms("standard");
  const Terms document = terms("document");
  JobEvidence expired = facts(standard);
  expired.expired = true;
  expired.dependencies = Verdict::waiting();
  EXPECT_EQ(derive({}, expired), JobState::kDeadLetter);
  EXPECT_EQ(derive(Rows{kTemporary}, expired), JobState::kDeadLetter);
  expired.terms = &document;
  expired.submitted = false;
  EXPECT_EQ(derive({}, expired), JobState::kFailed);
}

TEST(Derive, ABadDependencyEndsTheJobAsItsProfileCan) {
  const Terms standard = terms("standard");
  const Terms generation = terms("generation");
  JobEvidence bad = facts(standard);
  bad.dependencies = Verdict::bad(JobState::kCancelled);
  EXPECT_EQ(derive({}, bad), JobState::kCancelled);
  bad.dependencies = Verdict::bad(JobState::kFailed);
  EXPECT_EQ(derive({}, bad), JobState::kFailed);
  bad.terms = &generation;
  EXPECT_EQ(derive({}, bad), JobState::kDeadLetter);
}

}  // namespace
}  // namespace baton::lifecycle
