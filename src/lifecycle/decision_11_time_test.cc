// Decision 11: what is due, in which order, and when nothing is due any more.
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

// Terms whose times are all ten seconds, so that everything falls due at once.
Terms all_at_once() {
  Terms terms = terms_of("standard");
  terms.lease = terms.execution = terms.lifetime = seconds(10);
  return terms;
}

constexpr Time kDue = kStart + seconds(10);

TEST(Decision11Time, DueMeansNotBeforeTheMoment) {
  Life life("standard");
  life.create(delayed(seconds(10)));
  EXPECT_EQ(first_due(life.job, kDue + milliseconds(-1)), std::nullopt);
  EXPECT_EQ(first_due(life.job, kDue), Timer::kWake);
  EXPECT_EQ(first_due(life.job, kDue + days(1)), Timer::kWake);
}

TEST(Decision11Time, LifetimeComesBeforeDeadlineAndLease) {
  Life life(all_at_once());
  life.create().claim();
  EXPECT_EQ(first_due(life.job, kDue + milliseconds(-1)), std::nullopt);
  EXPECT_EQ(first_due(life.job, kDue), Timer::kLifetime);
  life.at(kDue);
  EXPECT_EQ(describe(life.last), "DEAD_LETTER:lifetime");
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kAborted);
  EXPECT_EQ(life.last.execution_failure->code, "lifetime_exceeded");
}

TEST(Decision11Time, DeadlineComesBeforeLease) {
  Terms terms = all_at_once();
  terms.lifetime = days(1);
  Life life(terms);
  life.create().claim();
  EXPECT_EQ(first_due(life.job, kDue + milliseconds(-1)), std::nullopt);
  EXPECT_EQ(first_due(life.job, kDue), Timer::kDeadline);
  life.at(kDue);
  EXPECT_EQ(life.job.failure_category, FailureCategory::kTimeout);
}

TEST(Decision11Time, LeaseIsDueByItselfBeforeTheDeadline) {
  Terms terms = all_at_once();
  terms.execution = seconds(10) + milliseconds(1);
  terms.lifetime = days(1);
  Life life(terms);
  life.create().claim();
  EXPECT_EQ(first_due(life.job, kDue + milliseconds(-1)), std::nullopt);
  EXPECT_EQ(first_due(life.job, kDue), Timer::kLease);
  EXPECT_EQ(first_due(life.job, kDue + milliseconds(1)), Timer::kDeadline);
}

TEST(Decision11Time, LifetimeComesBeforeADelayAndABackoff) {
  Life waiting(all_at_once());
  waiting.create(delayed(seconds(10)));
  Terms slow = all_at_once();
  slow.retry.initial = seconds(10);
  Life retrying(slow);
  retrying.create().claim().nack();
  for (Life life : {waiting, retrying}) {
    EXPECT_EQ(life.job.run_at, kDue);
    EXPECT_EQ(first_due(life.job, kDue), Timer::kLifetime);
    life.at(kDue);
    EXPECT_EQ(describe(life.last), "DEAD_LETTER:lifetime");
  }
}

TEST(Decision11Time, ADelayLongerThanTheLifetimeIsEndedByIt) {
  Life life(all_at_once());
  life.create(delayed(days(300)));
  EXPECT_EQ(life.job.state, JobState::kDelayed);
  life.at(kDue);
  EXPECT_EQ(life.job.state, JobState::kDeadLetter);
}

TEST(Decision11Time, ADraftsLifetimeCountsFromItsCreation) {
  Life life("document");
  life.create(as_draft()).wait(days(7) + milliseconds(-1));
  EXPECT_EQ(life.job.state, JobState::kCreated);
  life.wait(milliseconds(1));
  EXPECT_EQ(describe(life.last), "FAILED:lifetime");
}

// Each command against a timer at the same instant, and one millisecond before it.
TEST(Decision11Time, ACommitIsInTimeOneMillisecondBeforeTheDeadline) {
  Terms terms = all_at_once();
  terms.lifetime = days(1);
  Life life(terms);
  life.create().claim().start().at(kDue + milliseconds(-1));
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kCommit)), "accepted");
  life.at(kDue);
  EXPECT_EQ(life.job.state, JobState::kRetrying);
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kCommit)), "stale_lease");
}

TEST(Decision11Time, AHeartbeatIsInTimeOneMillisecondBeforeTheLeaseEnds) {
  Life life("lease");
  life.create().claim();
  const Time end = life.job.execution.lease_expires_at;
  life.at(end + milliseconds(-1));
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kHeartbeat)), "accepted");
  life.at(end);
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kHeartbeat)), "stale_lease");
}

TEST(Decision11Time, EveryCallAtTheEndOfTheLeaseIsStale) {
  for (std::size_t kind = 0; kind < kCallKindCount; ++kind) {
    Life life("generation");
    life.create().claim().start().cancel();
    life.now = life.job.execution.lease_expires_at;
    const Call call = life.call_of(static_cast<CallKind>(kind));
    EXPECT_EQ(life.refusal(call), "stale_lease") << name(call.kind);
  }
}

TEST(Decision11Time, AClaimIsGrantedWhenTheBackoffIsOver) {
  Life life("document");
  life.create().claim().nack();
  life.now = life.job.run_at + milliseconds(-1);
  EXPECT_EQ(life.refusal(Claim{token_of(2), {}}), "invalid_transition");
  life.now = life.job.run_at;
  EXPECT_EQ(life.refusal(Claim{token_of(2), {}}), "accepted");
}

TEST(Decision11Time, ACancelAtTheEndOfTheLeaseFindsTheJobWaiting) {
  Life life("lease");
  life.create().claim();
  life.now = life.job.execution.lease_expires_at;
  life.cancel();
  EXPECT_EQ(life.words(), "Ready InFlight Ready Failed");
  EXPECT_EQ(life.job.state, JobState::kCancelled);
}

TEST(Decision11Time, ACancelAfterTheLifetimeIsTooLate) {
  Life life("standard");
  life.create();
  life.now = kStart + days(7);
  EXPECT_EQ(life.refusal(Cancel{}), "invalid_transition");
  EXPECT_EQ(life.job.state, JobState::kDeadLetter);
}

TEST(Decision11Time, CommandsApplyInTheOrderInWhichTheyArrive) {
  Life ack_first("standard");
  ack_first.create().claim().ack();
  EXPECT_EQ(ack_first.refusal(ack_first.nack_of(FailureCategory::kTemporary)), "already_committed");
  Life nack_first("standard");
  nack_first.create().claim().nack();
  EXPECT_EQ(nack_first.refusal(nack_first.call_of(CallKind::kAck)), "stale_lease");
}

TEST(Decision11Time, AfterTheCommitNeitherLifetimeNorDeadlineApplies) {
  Life life(all_at_once());
  life.create().claim().start().commit();
  EXPECT_EQ(first_due(life.job, kDue + milliseconds(-1)), std::nullopt);
  EXPECT_EQ(first_due(life.job, kDue), Timer::kLease);
  life.at(kDue + milliseconds(-1)).call(CallKind::kHeartbeat).at(kDue + seconds(9));
  EXPECT_EQ(life.job.state, JobState::kRunning);
  life.at(kDue + days(30));
  EXPECT_EQ(describe(life.last), "COMPLETED:done");
}

TEST(Decision11Time, NothingIsDueForAnEndedJobOrNone) {
  const Time forever{base::kMaxMs};
  EXPECT_EQ(first_due(JobFacts{}, forever), std::nullopt);
  EXPECT_EQ(settle(JobFacts{}, forever, 0), std::nullopt);
  Life done("standard");
  done.create().claim().ack();
  Life cancelled("standard");
  cancelled.create(delayed(seconds(5))).cancel();
  for (const Life& life : {done, cancelled}) {
    EXPECT_EQ(first_due(life.job, forever), std::nullopt);
    EXPECT_EQ(settle(life.job, forever, 0), std::nullopt);
  }
}

// What a store sets its clocks to, in each state.
TEST(Decision11Time, TimersOfAWaitingJob) {
  const Time lifetime = kStart + days(7);
  EXPECT_EQ(timers_of(JobFacts{}), (Timers{}));
  Life draft("document");
  draft.create(as_draft());
  EXPECT_EQ(timers_of(draft.job), (Timers{lifetime, {}}));
  Life pending("standard");
  pending.create(delayed(seconds(5), Verdict::waiting()));
  EXPECT_EQ(timers_of(pending.job), (Timers{lifetime, {}}));
  Life late("standard");
  late.create(delayed(seconds(5)));
  EXPECT_EQ(timers_of(late.job), (Timers{lifetime, kStart + seconds(5)}));
  late.wait(seconds(5));
  EXPECT_EQ(timers_of(late.job), (Timers{lifetime, {}}));
}

TEST(Decision11Time, TimersOfARunningJob) {
  const Time lifetime = kStart + days(7);
  Life life("generation");
  life.create().claim();
  EXPECT_EQ(timers_of(life.job), (Timers{lifetime, kStart + seconds(30)}));
  for (int beat = 0; beat < 29; ++beat)
    life.wait(seconds(10)).call(CallKind::kHeartbeat);
  EXPECT_EQ(timers_of(life.job), (Timers{lifetime, kStart + minutes(5)}));
  life.start().commit().call(CallKind::kHeartbeat);
  EXPECT_EQ(timers_of(life.job), (Timers{{}, kStart + minutes(5) + seconds(20)}));
  life.done();
  EXPECT_EQ(timers_of(life.job), (Timers{}));
}

TEST(Decision11Time, TimersOfARunningJobFollowTheDeadlineWhenItIsFirst) {
  Life life("standard");
  life.create().claim();
  life.job.execution.deadline_at = kStart + seconds(1);  // as a store may have kept it
  EXPECT_EQ(timers_of(life.job).next, kStart + seconds(1));
  life.job.execution.status = ExecutionStatus::kCommitted;
  EXPECT_EQ(timers_of(life.job).next, kStart + minutes(5));
}

TEST(Decision11Time, TimersOfAJobThatWaitsForItsRetry) {
  Life life("standard");
  life.create().claim().nack();
  EXPECT_EQ(timers_of(life.job), (Timers{kStart + days(7), kStart + seconds(1)}));
}

// A store that forgets to apply what is due has a bug, and does not get to write it down.
TEST(Decision11TimeDeathTest, DecidingOverADueTimerStopsTheProcess) {
  Life life("lease");
  life.create().claim();
  const Time end = life.job.execution.lease_expires_at;
  EXPECT_DEATH((void)decide(life.job, life.call_of(CallKind::kAck), end, 0), "first_due");
  EXPECT_TRUE(decide(life.job, Restart{}, end, 0).ok());
  EXPECT_TRUE(decide(life.job, TimerDue{Timer::kLease}, end, 0).ok());
}

TEST(Decision11Time, ATimerThatIsNotTheFirstDueIsRefused) {
  Life life(all_at_once());
  life.create().claim();
  for (Timer timer : {Timer::kDeadline, Timer::kLease, Timer::kWake}) {
    const auto result = decide(life.job, TimerDue{timer}, kDue, 0);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Code::kInvalidTransition);
  }
}

}  // namespace
}  // namespace baton::lifecycle::testbed
