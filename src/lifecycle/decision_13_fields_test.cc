// Decision 13: what the fields of a job and of its execution say, and who may change them.
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

TEST(Decision13Fields, AJobBeginsAsItWasSubmitted) {
  Life life("generation");
  Create event;
  event.priority = Priority::kLow;
  event.delay = seconds(3);
  event.cost = 12;
  event.has_callback = true;
  event.payload_class = 3;
  event.has_account = true;
  life.create(event);
  JobFacts expected;
  expected.terms = life.terms.get();
  expected.state = JobState::kDelayed;
  expected.priority = Priority::kLow;
  expected.has_callback = true;
  expected.payload_class = 3;
  expected.has_account = true;
  expected.version = 1;
  expected.history_count = 2;
  expected.held = 12;
  expected.not_before = kStart + seconds(3);
  expected.created_at = kStart;
  expected.updated_at = kStart;
  expected.run_at = kStart + seconds(3);
  EXPECT_EQ(life.job, expected);
  EXPECT_TRUE(life.last.job_changed);
  EXPECT_FALSE(life.last.execution_changed);
  EXPECT_TRUE(life.last.effects.empty());
}

TEST(Decision13Fields, APlainJobHasNothingSpecial) {
  Life life("standard");
  life.create();
  JobFacts expected;
  expected.terms = life.terms.get();
  expected.state = JobState::kScheduled;
  expected.version = 1;
  expected.history_count = 2;
  expected.created_at = expected.updated_at = expected.scheduled_at = kStart;
  EXPECT_EQ(life.job, expected);
}

TEST(Decision13Fields, ADraftKeepsItsDelayUntilItIsSubmitted) {
  Life life("document");
  Create event = as_draft();
  event.delay = seconds(3);
  life.create(event);
  EXPECT_EQ(life.job.delay, seconds(3));
  EXPECT_FALSE(life.job.not_before.is_set());
  life.wait(seconds(1)).then(Submit{});
  EXPECT_EQ(life.job.delay, Duration{});
  EXPECT_EQ(life.job.not_before, kStart + seconds(4));
}

TEST(Decision13Fields, AJobMayNameTheTimeBeforeWhichItDoesNotRun) {
  struct {
    Duration ahead;
    JobState state;
  } const rows[] = {{milliseconds(-1), JobState::kScheduled},
                    {milliseconds(0), JobState::kScheduled},
                    {milliseconds(1), JobState::kDelayed}};
  for (const auto& row : rows) {
    Life life("standard");
    Create event;
    event.not_before = kStart + row.ahead;
    life.create(event);
    EXPECT_EQ(life.job.state, row.state) << row.ahead.ms;
    EXPECT_EQ(life.job.not_before, kStart + row.ahead) << row.ahead.ms;
    const Time run_at = row.state == JobState::kDelayed ? kStart + row.ahead : Time{};
    EXPECT_EQ(life.job.run_at, run_at) << row.ahead.ms;
  }
}

TEST(Decision13Fields, StartedAtIsTheClaimOfTheCurrentAttempt) {
  Life life("standard");
  life.create();
  EXPECT_FALSE(life.job.started_at.is_set());
  life.wait(seconds(1)).claim();
  EXPECT_EQ(life.job.started_at, kStart + seconds(1));
  life.wait(seconds(1)).start().nack();
  EXPECT_EQ(life.job.started_at, kStart + seconds(1));
  life.wait(seconds(5)).claim();
  EXPECT_EQ(life.job.started_at, kStart + seconds(7));
}

TEST(Decision13Fields, ScheduledAtIsTheLastEntryIntoScheduled) {
  Life life("standard");
  life.create(delayed(seconds(2)));
  EXPECT_FALSE(life.job.scheduled_at.is_set());
  life.wait(seconds(2));
  EXPECT_EQ(life.job.scheduled_at, kStart + seconds(2));
  life.wait(seconds(1)).claim();
  EXPECT_EQ(life.job.scheduled_at, kStart + seconds(2));
  life.nack().wait(seconds(1));
  EXPECT_EQ(life.job.scheduled_at, kStart + seconds(4));
}

TEST(Decision13Fields, UpdatedAtIsTheLastChangeOfState) {
  Life life("standard");
  life.create().wait(seconds(1)).claim();
  EXPECT_EQ(life.job.updated_at, kStart + seconds(1));
  life.wait(seconds(1)).start();
  life.wait(seconds(1)).then(Patch{{}, true, true, {}});
  Call heartbeat = life.call_of(CallKind::kHeartbeat);
  heartbeat.progress = 5;
  life.wait(seconds(1)).then(heartbeat).commit();
  EXPECT_EQ(life.job.updated_at, kStart + seconds(1));
  life.done();
  EXPECT_EQ(life.job.updated_at, kStart + seconds(4));
}

TEST(Decision13Fields, RunAtIsSetOnlyWhileDelayedOrRetrying) {
  Life life("standard");
  life.create(delayed(seconds(2), Verdict::waiting()));
  EXPECT_FALSE(life.job.run_at.is_set());
  life.then(DependenciesSettled{Verdict::ready()});
  EXPECT_EQ(life.job.run_at, kStart + seconds(2));
  life.wait(seconds(2));
  EXPECT_FALSE(life.job.run_at.is_set());
  life.claim().nack();
  EXPECT_EQ(life.job.run_at, kStart + seconds(3));
  life.wait(seconds(1));
  EXPECT_FALSE(life.job.run_at.is_set());
}

TEST(Decision13Fields, CompletedAtIsTheEntryIntoATerminalState) {
  Life life("standard");
  life.create().claim().nack();
  EXPECT_FALSE(life.job.completed_at.is_set());
  life.wait(seconds(1)).claim().start().commit();
  EXPECT_FALSE(life.job.completed_at.is_set());
  life.wait(seconds(1)).done();
  EXPECT_EQ(life.job.completed_at, kStart + seconds(2));
}

TEST(Decision13Fields, ProgressResetsAtAClaim) {
  Life life("standard");
  life.create().claim();
  EXPECT_EQ(life.job.progress, kNoProgress);
  Call heartbeat = life.call_of(CallKind::kHeartbeat);
  heartbeat.progress = 60;
  life.then(heartbeat);
  EXPECT_EQ(life.job.progress, 60);
  life.call(CallKind::kHeartbeat);
  EXPECT_EQ(life.job.progress, 60);
  life.nack().wait(seconds(1));
  EXPECT_EQ(life.job.progress, 60);
  life.claim();
  EXPECT_EQ(life.job.progress, kNoProgress);
}

TEST(Decision13Fields, PriorityMayChangeWhileAJobWaits) {
  Life life("standard");
  const Patch urgent{Priority::kCritical, {}, false, {}};
  life.create().then(urgent);
  EXPECT_EQ(life.job.priority, Priority::kCritical);
  EXPECT_TRUE(life.last.job_changed);
  EXPECT_EQ(life.job.version, 2);
  life.claim();
  const auto result = life.try_to(urgent);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::kInvalidTransition);
  EXPECT_EQ(result.error().field, "priority");
}

TEST(Decision13Fields, LabelsAndCallbackMayChangeWhileAJobLives) {
  Life life("standard");
  life.create().claim();
  const std::int64_t version = life.job.version;
  life.then(Patch{{}, {}, true, {}});
  EXPECT_EQ(life.job.version, version + 1);
  EXPECT_FALSE(life.job.has_callback);
  life.then(Patch{{}, true, false, {}});
  EXPECT_EQ(life.job.version, version + 2);
  EXPECT_TRUE(life.job.has_callback);
  life.then(Patch{{}, false, false, {}});
  EXPECT_FALSE(life.job.has_callback);
  life.ack();
  EXPECT_EQ(life.refusal(Patch{{}, {}, true, {}}), "invalid_transition");
}

TEST(Decision13Fields, APatchOfNothingChangesNothing) {
  Life life("standard");
  life.create();
  const JobFacts before = life.job;
  life.then(Patch{});
  EXPECT_EQ(life.job, before);
  EXPECT_FALSE(life.last.job_changed);
}

TEST(Decision13Fields, APatchOfSeveralThingsCountsOnce) {
  Life life("standard");
  life.create().then(Patch{Priority::kBulk, true, true, 1});
  EXPECT_EQ(life.job.version, 2);
  EXPECT_EQ(life.job.priority, Priority::kBulk);
  EXPECT_TRUE(life.job.has_callback);
}

TEST(Decision13Fields, APatchMayInsistOnAVersion) {
  Life life("standard");
  life.create();
  for (std::int64_t version : {0, 2}) {
    const auto result = life.try_to(Patch{{}, {}, true, version});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, Code::kConflict);
    EXPECT_EQ(result.error().field, "version");
    EXPECT_EQ(result.error().message, "the job has version 1");
  }
  EXPECT_EQ(life.refusal(Patch{{}, {}, true, 1}), "accepted");
}

Patch to_run_at(Time at) {
  Patch patch;
  patch.run_at = at;
  return patch;
}

TEST(Decision13Fields, ADelayedJobMayBeGivenAnotherTime) {
  Life life("standard");
  life.create(delayed(minutes(5)));
  const Time updated = life.job.updated_at;
  life.wait(seconds(1)).then(to_run_at(life.now + minutes(9)));
  EXPECT_EQ(life.job.state, JobState::kDelayed);
  EXPECT_EQ(life.job.run_at, life.now + minutes(9));
  EXPECT_EQ(life.job.updated_at, updated);
  EXPECT_TRUE(life.last.history.empty());
  life.wait(minutes(9));
  EXPECT_EQ(life.job.state, JobState::kScheduled);
}

TEST(Decision13Fields, ATimeThatIsNotAheadMeansNow) {
  for (const Duration before : {Duration{}, hours(3)}) {
    Life life("standard");
    life.create(delayed(minutes(5)))
        .wait(seconds(1))
        .then(to_run_at(Time{life.now.ms - before.ms}));
    EXPECT_EQ(life.job.state, JobState::kScheduled);
    EXPECT_FALSE(life.job.run_at.is_set());
    EXPECT_EQ(life.last.history.begin()->trigger, Trigger::kDue);
  }
}

TEST(Decision13Fields, ABackoffMayBeCutShortOrMadeLonger) {
  Life life("standard");
  life.create().claim().nack().then(to_run_at(life.now + hours(1)));
  EXPECT_EQ(life.job.state, JobState::kRetrying);
  EXPECT_EQ(life.job.run_at, life.now + hours(1));
  life.then(to_run_at(life.now));
  EXPECT_EQ(life.job.state, JobState::kScheduled);
  EXPECT_EQ(life.last.history.begin()->trigger, Trigger::kBackoff);
}

TEST(Decision13Fields, ATimeBeyondTheLifetimeIsRefusedWithItsField) {
  Life life("standard");
  life.create(delayed(minutes(5)));
  const auto refused = decide(life.job, to_run_at(lifetime_end(life.job)), life.now, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kInvalidJob);
  EXPECT_EQ(refused.error().field, "run_at");
  EXPECT_EQ(refused.error().message,
            "run_at must end before the job's lifetime of 604800000 milliseconds does");
  life.then(to_run_at(Time{lifetime_end(life.job).ms - 1}));
  EXPECT_EQ(life.job.state, JobState::kDelayed);
}

TEST(Decision13Fields, ADraftIsJudgedAgainWhenItIsSubmitted) {
  Life life("document");
  Create create = as_draft();
  create.delay = base::days(6);
  life.create(create).wait(base::days(1) - milliseconds(1));
  const auto in_time = decide(life.job, Submit{}, life.now, 0);
  EXPECT_TRUE(in_time.ok());
  life.wait(milliseconds(1));
  const auto refused = decide(life.job, Submit{}, life.now, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kInvalidJob);
  EXPECT_EQ(refused.error().field, "delay_ms");
}

TEST(Decision13Fields, TheVersionRisesByOneForEachChangeAReaderCanSee) {
  Life life("document");
  std::int64_t version = 0;
  const auto rises = [&] { return life.job.version == ++version; };
  life.create();
  EXPECT_TRUE(rises());
  life.claim();
  EXPECT_TRUE(rises());
  life.start();
  EXPECT_TRUE(rises());
  life.call(CallKind::kSpawn);
  EXPECT_TRUE(rises());
  life.call(CallKind::kAsset);
  EXPECT_TRUE(rises());
  life.nack();
  EXPECT_TRUE(rises());
  life.wait(seconds(1));
  EXPECT_TRUE(rises());
  life.claim().call(CallKind::kHeartbeat);
  EXPECT_TRUE(rises());  // the claim; a bare heartbeat does not count
  life.ack();
  EXPECT_TRUE(rises());
}

TEST(Decision13Fields, HistoryCountsFromOneAndNamesWhoAndWhichExecution) {
  Life life("document");
  life.create().claim().nack().wait(seconds(1)).claim().ack();
  const HistoryEntry expected[] = {
      {1, JobState::kNone, JobState::kCreated, Trigger::kCreate, kStart, 0, Actor::kClient},
      {2, JobState::kCreated, JobState::kPending, Trigger::kSubmit, kStart, 0, Actor::kClient},
      {3, JobState::kPending, JobState::kScheduled, Trigger::kReady, kStart, 0, Actor::kClient},
      {4, JobState::kScheduled, JobState::kRunning, Trigger::kClaim, kStart, 1, Actor::kWorker},
      {5, JobState::kRunning, JobState::kRetrying, Trigger::kFailure, kStart, 1, Actor::kWorker},
      {6, JobState::kRetrying, JobState::kScheduled, Trigger::kBackoff, kStart + seconds(1), 0,
       Actor::kSystem},
      {7, JobState::kScheduled, JobState::kRunning, Trigger::kClaim, kStart + seconds(1), 2,
       Actor::kWorker},
      {8, JobState::kRunning, JobState::kCompleted, Trigger::kDone, kStart + seconds(1), 2,
       Actor::kWorker},
  };
  ASSERT_EQ(life.history.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(life.history[i], expected[i]) << i;
  EXPECT_EQ(life.job.history_count, 8);
}

ExecutionFacts execution_of(const Life& life) { return life.job.execution; }

TEST(ExecutionFields, OfAClaim) {
  Life life("commit");
  life.create().wait(seconds(1)).claim();
  const Time now = kStart + seconds(1);
  ExecutionFacts expected;
  expected.attempt = 1;
  expected.status = ExecutionStatus::kLeased;
  expected.token = token_of(1);
  expected.lease = seconds(30);
  expected.claimed_at = now;
  expected.lease_expires_at = now + seconds(30);
  expected.deadline_at = now + minutes(30);
  EXPECT_EQ(execution_of(life), expected);
  EXPECT_TRUE(life.last.execution_changed);
}

TEST(ExecutionFields, OfEachStepToDone) {
  Life life("commit");
  life.create().claim();
  ExecutionFacts expected = execution_of(life);
  life.wait(seconds(1)).start();
  expected.status = ExecutionStatus::kInProgress;
  expected.started_at = kStart + seconds(1);
  EXPECT_EQ(execution_of(life), expected);
  EXPECT_TRUE(life.last.execution_changed);
  EXPECT_TRUE(life.last.job_changed);
  life.wait(seconds(1)).commit();
  expected.status = ExecutionStatus::kCommitted;
  expected.committed_at = kStart + seconds(2);
  EXPECT_EQ(execution_of(life), expected);
  EXPECT_TRUE(life.last.execution_changed);
  EXPECT_TRUE(life.last.job_changed);
  EXPECT_TRUE(life.last.result_stored);
  life.wait(seconds(1)).done();
  expected.status = ExecutionStatus::kDone;
  expected.finished_at = kStart + seconds(3);
  EXPECT_EQ(execution_of(life), expected);
  EXPECT_TRUE(life.last.execution_changed);
  EXPECT_FALSE(life.last.result_stored);
}

TEST(ExecutionFields, OfAnAckAreThoseOfTheStepsItStandsFor) {
  Life at_once("commit");
  at_once.create().claim().wait(seconds(1)).ack();
  ExecutionFacts expected = execution_of(at_once);
  EXPECT_EQ(expected.status, ExecutionStatus::kDone);
  EXPECT_EQ(expected.started_at, kStart + seconds(1));
  EXPECT_EQ(expected.committed_at, kStart + seconds(1));
  EXPECT_EQ(expected.finished_at, kStart + seconds(1));
  EXPECT_TRUE(at_once.last.result_stored);
  Life started("commit");
  started.create().claim().start().wait(seconds(1)).ack();
  expected.started_at = kStart;
  EXPECT_EQ(execution_of(started), expected);
  EXPECT_TRUE(started.last.result_stored);
}

TEST(ExecutionFields, OfAnAckAfterTheCommitKeepTheCommit) {
  Life life("commit");
  life.create().claim().start().commit().wait(seconds(1)).ack();
  EXPECT_EQ(execution_of(life).committed_at, kStart);
  EXPECT_EQ(execution_of(life).finished_at, kStart + seconds(1));
  EXPECT_FALSE(life.last.result_stored);
}

TEST(ExecutionFields, OfAnAbort) {
  Life life("commit");
  life.create().claim().start();
  ExecutionFacts expected = execution_of(life);
  life.wait(seconds(1)).nack();
  expected.status = ExecutionStatus::kAborted;
  expected.finished_at = kStart + seconds(1);
  EXPECT_EQ(execution_of(life), expected);
  EXPECT_TRUE(life.last.execution_changed);
  EXPECT_EQ(life.last.execution_failure, failure_of(FailureCategory::kTemporary));
}

TEST(ExecutionFields, OfTheNextClaimBeginAnew) {
  Life life("commit");
  life.create().claim().start().nack().wait(seconds(1)).claim();
  ExecutionFacts expected;
  expected.attempt = 2;
  expected.token = token_of(2);
  expected.lease = seconds(30);
  expected.claimed_at = kStart + seconds(1);
  expected.lease_expires_at = kStart + seconds(31);
  expected.deadline_at = kStart + seconds(1) + minutes(30);
  EXPECT_EQ(execution_of(life), expected);
}

TEST(ExecutionFields, OfAHeartbeatAreTheLeaseAlone) {
  Life life("commit");
  life.create().claim().start();
  ExecutionFacts expected = execution_of(life);
  life.wait(seconds(1)).call(CallKind::kHeartbeat);
  expected.lease_expires_at = kStart + seconds(31);
  EXPECT_EQ(execution_of(life), expected);
}

TEST(ExecutionFields, OfARepeatedCallDoNotChange) {
  Life life("commit");
  life.create().claim().start().wait(seconds(1));
  const JobFacts before = life.job;
  life.start();
  EXPECT_EQ(life.job, before);
  EXPECT_TRUE(life.last.repeated);
  EXPECT_FALSE(life.last.execution_changed);
  life.commit();
  const JobFacts committed = life.job;
  life.wait(seconds(1)).commit();
  EXPECT_EQ(life.job, committed);
  EXPECT_TRUE(life.last.repeated);
  EXPECT_FALSE(life.last.result_stored);
  EXPECT_TRUE(life.last.effects.empty());
}

}  // namespace
}  // namespace baton::lifecycle::testbed
