// Deadlines, lifetimes, delays; and what happens when several fall due at one instant.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

// A job whose deadline does not come with its lease: leases are extended until just before.
constexpr Duration kExecution = seconds(60);

TEST_P(Timeouts, TheDeadlineEndsAnExecution) {
  const ClaimedJob claimed = running(Spec().execution(kExecution));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  advance(kExecution + milliseconds(-1));
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  advance(milliseconds(1));
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT execution_timeout");
  EXPECT_EQ(facts_of(claimed.job).run_at, now() + seconds(1)) << "the usual backoff";
  const auto record = get(claimed.job);
  EXPECT_EQ(record->executions[0].facts.status, ExecutionStatus::kAborted);
  EXPECT_EQ(record->executions[0].failure->category, FailureCategory::kTimeout);
}

TEST_P(Timeouts, ADeadlineAlsoEndsAnExecutionThatNeverStarted) {
  const ClaimedJob claimed = running(Spec().execution(kExecution));
  advance(kExecution);
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
}

TEST_P(Timeouts, HeartbeatsDoNotMoveTheDeadline) {
  const ClaimedJob claimed = running(Spec().execution(kExecution).lease(seconds(30)));
  for (int i = 0; i < 5; ++i) {
    advance(seconds(10));
    ASSERT_EQ(code_of(heartbeat(claimed)), "ok");
  }
  advance(seconds(10));
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT execution_timeout");
}

TEST_P(Timeouts, EveryAttemptHasADeadlineOfItsOwn) {
  const ClaimedJob first = running(Spec().execution(kExecution).constant(seconds(1)));
  advance(kExecution);
  advance(seconds(1));
  EXPECT_EQ(claim_job(first.job).facts.execution.deadline_at, now() + kExecution);
}

TEST_P(Timeouts, ATimeoutMayBeTerminal) {
  const ClaimedJob claimed = running(Spec().execution(kExecution).timeout_is(FailureIs::kTerminal));
  advance(kExecution);
  EXPECT_EQ(state_of(claimed.job), "FAILED");
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT execution_timeout");
}

TEST_P(Timeouts, TimeoutsUseUpTheAttempts) {
  const JobId id = make(Spec().execution(kExecution).constant(Duration{}).attempts(2));
  claim_job(id);
  advance(kExecution);
  claim_job(id);
  advance(kExecution);
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
}

TEST_P(Timeouts, AShortenedDeadlineCounts) {
  const ClaimedJob claimed = running(Spec().execution(kExecution));
  ASSERT_EQ(code_of(start(claimed, seconds(5))), "ok");
  advance(seconds(5));
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT execution_timeout");
}

TEST_P(Timeouts, ACommitAtTheInstantOfTheDeadlineIsTooLate) {
  const ClaimedJob claimed = running(Spec().execution(kExecution));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  pass(kExecution);
  EXPECT_EQ(code_of(commit(claimed)), "stale_lease");
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
  EXPECT_FALSE(get(claimed.job)->result);
}

TEST_P(Timeouts, ACommitJustBeforeTheDeadlineIsInTime) {
  const ClaimedJob claimed = running(Spec().execution(kExecution));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  pass(kExecution + milliseconds(-1));
  EXPECT_EQ(code_of(commit(claimed)), "ok");
}

TEST_P(Timeouts, TheDeadlineBeatsTheLeaseAtOneInstant) {
  const ClaimedJob claimed = running(Spec().execution(kExecution).lease(kExecution));
  ASSERT_EQ(claimed.facts.execution.lease_expires_at, claimed.facts.execution.deadline_at);
  advance(kExecution);
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT execution_timeout");
  EXPECT_EQ(state_of(claimed.job), "RETRYING") << "a lost lease would not wait";
}

TEST_P(Timeouts, TheLifetimeBeatsTheDeadlineAndTheLeaseAtOneInstant) {
  const ClaimedJob claimed =
      running(Spec().execution(kExecution).lease(kExecution).lifetime(kExecution));
  advance(kExecution);
  EXPECT_EQ(state_of(claimed.job), "DEAD_LETTER");
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT lifetime_exceeded");
}

TEST_P(Timeouts, TheLifetimeBeatsADelayWhenBothArePast) {
  const JobId id = make(Spec().delay(seconds(9)).lifetime(seconds(10)));
  advance(seconds(10));
  EXPECT_EQ(steps_of(id), "create:PENDING delay:DELAYED lifetime:DEAD_LETTER");
}

TEST_P(Timeouts, TheLifetimeBeatsABackoffAtOneInstant) {
  const ClaimedJob claimed = running(Spec().constant(seconds(10)).lifetime(seconds(10)));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  advance(seconds(10));
  EXPECT_EQ(state_of(claimed.job), "DEAD_LETTER");
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT lifetime_exceeded");
}

TEST_P(Timeouts, TheLifetimeEndsAJobInAnyWaitingState) {
  const std::string document = use_profile("document");
  const JobId other = make(Spec("other").delay(days(1)));
  const JobId scheduled = make(Spec("scheduled").lifetime(minutes(1)));
  const JobId pending = make(Spec("pending").lifetime(minutes(1)).after({other}));
  const JobId draft = make(Spec("draft").queue(document).lifetime(minutes(1)).draft());
  const ClaimedJob retrying = running(Spec("retrying").lifetime(minutes(1)).constant(hours(1)));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  const std::vector<JobId> mortal = {scheduled, pending, retrying.job};
  advance(minutes(1) + milliseconds(-1));
  EXPECT_EQ(states_of(mortal), (std::vector<std::string>{"SCHEDULED", "PENDING", "RETRYING"}));
  EXPECT_EQ(state_of(draft), "CREATED");
  advance(milliseconds(1));
  for (const JobId& id : mortal) {
    EXPECT_EQ(state_of(id), "DEAD_LETTER");
    EXPECT_EQ(failure_of(id), "TIMEOUT lifetime_exceeded");
  }
  EXPECT_EQ(state_of(draft), "FAILED");
  EXPECT_TRUE(claim({.queues = {"default", document}, .max = 10}).empty());
}

TEST_P(Timeouts, TheLifetimeEndsARunningJob) {
  const ClaimedJob claimed = running(Spec().lifetime(minutes(1)));
  advance(minutes(1));
  EXPECT_EQ(state_of(claimed.job), "DEAD_LETTER");
  EXPECT_EQ(get(claimed.job)->executions[0].facts.status, ExecutionStatus::kAborted);
  EXPECT_EQ(code_of(ack(claimed)), "stale_lease");
}

TEST_P(Timeouts, TheLifetimeLeadsToTheProfilesExhaustedState) {
  for (const auto& [profile, word] :
       std::vector<std::pair<std::string, std::string>>{{"standard", "DEAD_LETTER"},
                                                        {"document", "FAILED"},
                                                        {"commit", "FAILED"},
                                                        {"generation", "dead_letter"},
                                                        {"lease", "Failed"}}) {
    const JobId id = make(Spec().queue(use_profile(profile)).lifetime(seconds(1)));
    advance(seconds(1));
    EXPECT_EQ(word_of(id), word) << profile;
  }
}

TEST_P(Timeouts, TheLifetimeCountsFromCreationThroughEveryRetry) {
  const JobId id = make(Spec().lifetime(seconds(10)).constant(seconds(4)).attempts(9));
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
    advance(seconds(4));
  }
  ASSERT_EQ(state_of(id), "SCHEDULED");
  advance(seconds(2));
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
}

TEST_P(Timeouts, SevenDaysAreTheUsualLifetime) {
  const JobId id = make();
  advance(days(7) + milliseconds(-1));
  EXPECT_EQ(state_of(id), "SCHEDULED");
  advance(milliseconds(1));
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
}

TEST_P(Timeouts, NothingButTheLeaseAppliesAfterTheCommit) {
  const ClaimedJob claimed =
      committed(Spec().execution(seconds(10)).lifetime(seconds(10)).lease(seconds(8)));
  for (int i = 0; i < 5; ++i) {
    advance(seconds(7));
    ASSERT_EQ(code_of(heartbeat(claimed)), "ok") << "beyond deadline and lifetime";
  }
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  ASSERT_EQ(code_of(done(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "COMPLETED");
}

TEST_P(Timeouts, AClaimAtTheInstantOfADelaysEndGetsTheJob) {
  const JobId id = make(Spec().delay(seconds(5)));
  pass(seconds(5));
  EXPECT_EQ(claim_ids({}), std::vector<JobId>{id});
}

TEST_P(Timeouts, AClaimAtTheInstantOfALifetimesEndGetsNothing) {
  const JobId id = make(Spec().lifetime(seconds(5)));
  pass(seconds(5));
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
}

TEST_P(Timeouts, AClaimAtTheInstantOfALeasesEndGetsTheJobAgain) {
  const ClaimedJob first = running(Spec().lease(seconds(5)));
  pass(seconds(5));
  const ClaimedJob second = claim_one();
  EXPECT_EQ(second.job, first.job);
  EXPECT_EQ(second.facts.attempt, 2);
}

TEST_P(Timeouts, ACommandMeetsAJobWhoseTimersHaveBeenApplied) {
  const JobId cancelled = make(Spec("a").lifetime(seconds(5)));
  const JobId patched = make(Spec("b").lifetime(seconds(5)));
  const JobId redriven = make(Spec("c").lifetime(seconds(5)));
  const JobId deleted = make(Spec("d").lifetime(seconds(5)));
  pass(seconds(5));
  EXPECT_EQ(code_of(cancel(cancelled)), "invalid_transition");
  PatchJob change = patch_of(patched);
  change.priority = Priority::kHigh;
  EXPECT_EQ(code_of(patch(change)), "invalid_transition");
  EXPECT_EQ(code_of(redrive(redriven)), "ok");
  EXPECT_EQ(code_of(remove(deleted)), "ok");
}

TEST_P(Timeouts, ALateTimerCountsFromWhenItIsApplied) {
  const ClaimedJob claimed = running(Spec().execution(kExecution).constant(seconds(10)));
  advance(hours(1));
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
  EXPECT_EQ(facts_of(claimed.job).run_at, now() + seconds(10));
}

TEST_P(Timeouts, MuchTimeInOneStepEndsEverythingMortal) {
  const JobId scheduled = make(Spec("a"));
  const JobId delayed = make(Spec("b").delay(days(1)));
  const ClaimedJob claimed = running(Spec("c"));
  const JobId after = make(Spec("d").after({scheduled}));
  advance(days(30));
  EXPECT_EQ(states_of({scheduled, delayed, claimed.job, after}),
            (std::vector<std::string>(4, "DEAD_LETTER")));
}

// A store may look earlier than it must, never later.
TEST_P(Timeouts, TheStoreSaysWhenToLookAgain) {
  const auto looks_by = [&](Time due) {
    const Time next = run_timers().next;
    return next > now() && next <= due;
  };
  EXPECT_FALSE(run_timers().next.is_set());
  const JobId late = make(Spec("late").delay(hours(2)));
  EXPECT_TRUE(looks_by(now() + hours(2)));
  const JobId early = make(Spec("early").delay(hours(1)));
  EXPECT_TRUE(looks_by(now() + hours(1)));
  advance(hours(1));
  EXPECT_TRUE(looks_by(now() + hours(1)));
  ASSERT_EQ(code_of(cancel(late)), "ok");
  EXPECT_TRUE(looks_by(facts_of(early).created_at + days(7))) << "a lifetime is left";
  ASSERT_EQ(code_of(cancel(early)), "ok");
  EXPECT_FALSE(run_timers().next.is_set());
}

TEST_P(Timeouts, LookingWhenTheStoreSaysFindsEveryTimerOnTime) {
  const JobId delayed = make(Spec("delayed").delay(hours(3) + milliseconds(7)));
  const ClaimedJob leased = running(Spec("leased").lease(seconds(77)));
  const JobId mortal = make(Spec("mortal").lifetime(days(2) + milliseconds(3)));
  const Time start = now();
  for (int looks = 0; looks < 1000; ++looks) {
    const Time next = run_timers().next;
    if (!next.is_set() || next > start + days(3)) break;
    advance_to(next);
  }
  EXPECT_EQ(facts_of(delayed).scheduled_at, start + hours(3) + milliseconds(7));
  EXPECT_EQ(get(leased.job)->executions[0].facts.finished_at, start + seconds(77));
  EXPECT_EQ(facts_of(mortal).completed_at, start + days(2) + milliseconds(3));
}

TEST_P(Timeouts, TimersGoOnInAPausedQueue) {
  const JobId delayed = make(Spec("delayed").delay(seconds(5)));
  const ClaimedJob lost = running(Spec("lost").lease(seconds(5)));
  const JobId mortal = make(Spec("mortal").lifetime(seconds(5)));
  QueueUpdate update = update_of("default");
  update.paused = true;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  advance(seconds(5));
  EXPECT_EQ(states_of({delayed, lost.job, mortal}),
            (std::vector<std::string>{"SCHEDULED", "SCHEDULED", "DEAD_LETTER"}));
}

TEST_P(Timeouts, RunningTimersTwiceChangesNothingMore) {
  const ClaimedJob claimed = running(Spec().lease(seconds(5)));
  advance(seconds(5));
  const auto version = facts_of(claimed.job).version;
  EXPECT_EQ(run_timers().fired, 0);
  EXPECT_EQ(facts_of(claimed.job).version, version);
}

TEST_P(Timeouts, TimesOfManyJobsAreKeptApart) {
  std::vector<Spec> specs;
  for (int i = 0; i < 300; ++i)
    specs.push_back(Spec().delay(milliseconds(1 + 37 * i)));
  const auto ids = make_all(specs);
  end_watch();
  for (int i = 0; i < 300; i += 50) {
    advance_to(facts_of(ids[static_cast<std::size_t>(i)]).created_at + milliseconds(37 * i));
    for (int j = 0; j < 300; ++j) {
      const std::string expected = j < i ? "SCHEDULED" : "DELAYED";
      ASSERT_EQ(state_of(ids[static_cast<std::size_t>(j)]), expected) << j << " at " << i;
    }
  }
}

}  // namespace
}  // namespace baton::store::conformance
