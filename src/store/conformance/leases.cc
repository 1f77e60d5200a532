// Leases: how long they last, what extends them, what happens when they end; and fencing, by which
// a worker that lost its lease can do nothing any more.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

TEST_P(Leases, AClaimOpensAnExecution) {
  const JobId id = make();
  const auto claimed = claim({.worker = "worker 7"});
  ASSERT_EQ(claimed.size(), 1u);
  EXPECT_EQ(claimed[0].job, id);
  const auto record = get(id);
  EXPECT_EQ(record->facts.state, JobState::kRunning);
  EXPECT_EQ(record->facts.attempt, 1);
  ASSERT_EQ(record->executions.size(), 1u);
  const ExecutionRecord& execution = record->executions[0];
  EXPECT_EQ(execution.worker, "worker 7");
  EXPECT_EQ(execution.facts.status, ExecutionStatus::kLeased);
  EXPECT_EQ(execution.facts.claimed_at, now());
  EXPECT_EQ(execution.facts.lease_expires_at, now() + minutes(5));
  EXPECT_EQ(execution.facts.deadline_at, now() + minutes(30));
  EXPECT_FALSE(execution.facts.token == LeaseToken{}) << "a token is not guessable";
}

TEST_P(Leases, AClaimBringsTheWholeJob) {
  const JobId id = make(Spec("a").payload("{\"n\":1}").tag("k", "v").constant(Duration{}));
  const ClaimedJob first = claim_one();
  ASSERT_NE(first.record, nullptr);
  EXPECT_EQ(first.record->id, id);
  EXPECT_EQ(first.record->spec->payload, "{\"n\":1}");
  EXPECT_EQ(first.record->facts, first.facts);
  EXPECT_EQ(first.record->labels.tags.size(), 1u);
  EXPECT_EQ(first.record->executions.size(), 1u);
  WorkCall beat = call_of(CallKind::kHeartbeat, first);
  std::get<HeartbeatCall>(beat.call).checkpoint = "page 7";
  ASSERT_EQ(code_of(work(beat)), "ok");
  ASSERT_EQ(code_of(nack(first)), "ok");
  const ClaimedJob second = claim_one();
  EXPECT_EQ(second.record->checkpoint, "page 7");
  EXPECT_EQ(second.record->executions.size(), 2u);
  EXPECT_EQ(second.record->executions.back().worker, "w1");
}

TEST_P(Leases, TheLeaseIsTheClaimsThenTheJobsThenTheQueuesThenTheProfiles) {
  make(Spec("profile").queue("plain"));
  EXPECT_EQ(claim_one("plain").facts.execution.lease_expires_at, now() + minutes(5));
  QueueUpdate update = update_of("q");
  update.timeouts.emplace().lease = seconds(40);
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make_all({Spec("queue").queue("q"), Spec("job").queue("q").lease(seconds(30)),
            Spec("claim").queue("q").lease(seconds(30))});
  EXPECT_EQ(claim_one("q").facts.execution.lease_expires_at, now() + seconds(40));
  EXPECT_EQ(claim_one("q").facts.execution.lease_expires_at, now() + seconds(30));
  const auto claimed = claim({.queues = {"q"}, .lease = seconds(20)});
  ASSERT_EQ(claimed.size(), 1u);
  EXPECT_EQ(claimed[0].facts.execution.lease_expires_at, now() + seconds(20));
}

TEST_P(Leases, EveryProfileHasItsOwnLease) {
  const std::vector<std::pair<std::string, Duration>> leases = {{"standard", minutes(5)},
                                                                {"document", seconds(30)},
                                                                {"commit", seconds(30)},
                                                                {"generation", seconds(30)},
                                                                {"lease", seconds(5)}};
  for (const auto& [profile, lease] : leases) {
    const ClaimedJob claimed = running(Spec().queue(use_profile(profile)));
    EXPECT_EQ(claimed.facts.execution.lease_expires_at, now() + lease) << profile;
  }
}

TEST_P(Leases, ALeaseNeverOutlivesTheDeadline) {
  const ClaimedJob claimed = running(Spec().execution(seconds(10)).lease(minutes(5)));
  EXPECT_EQ(claimed.facts.execution.lease_expires_at, now() + seconds(10));
  pass(seconds(4));
  ASSERT_EQ(code_of(heartbeat(claimed)), "ok");
  EXPECT_EQ(facts_of(claimed.job).execution.lease_expires_at, now() + seconds(6));
}

TEST_P(Leases, AHeartbeatExtendsTheLeaseFromNow) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  pass(seconds(7));
  const auto answer = heartbeat(claimed);
  ASSERT_EQ(code_of(answer), "ok");
  EXPECT_EQ(answer->facts.execution.lease_expires_at, now() + seconds(10));
  advance(seconds(9));
  EXPECT_EQ(state_of(claimed.job), "RUNNING") << "16 s after the claim";
  advance(seconds(1));
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(Leases, AHeartbeatExtendsByTheClaimsOwnLease) {
  make(Spec().lease(minutes(1)));
  const auto claimed = claim({.lease = seconds(2)});
  ASSERT_EQ(claimed.size(), 1u);
  pass(seconds(1));
  ASSERT_EQ(code_of(heartbeat(claimed[0])), "ok");
  EXPECT_EQ(facts_of(claimed[0].job).execution.lease_expires_at, now() + seconds(2));
}

TEST_P(Leases, AHeartbeatNeitherStartsNorMovesTheJob) {
  const ClaimedJob claimed = running();
  const auto before = get(claimed.job);
  pass(seconds(1));
  ASSERT_EQ(code_of(heartbeat(claimed)), "ok");
  const auto after = get(claimed.job);
  EXPECT_EQ(after->facts.execution.status, ExecutionStatus::kLeased);
  EXPECT_EQ(after->facts.version, before->facts.version) << "a bare heartbeat is no change";
  EXPECT_EQ(after->history.size(), before->history.size());
}

TEST_P(Leases, ALeaseEndsExactlyAtItsEnd) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  advance(milliseconds(9999));
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  advance(milliseconds(1));
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(Leases, ALostLeaseGoesThroughRetryingInOneStep) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  advance(seconds(10));
  EXPECT_EQ(steps_of(claimed.job),
            "create:PENDING ready:SCHEDULED claim:RUNNING lease_lost:RETRYING backoff:SCHEDULED");
  const auto record = get(claimed.job);
  EXPECT_EQ(record->facts.retry_count, 1);
  EXPECT_EQ(failure_of(claimed.job), "SYSTEM lease_lost");
  EXPECT_EQ(record->facts.error_type, ErrorType::kRetryable);
  ASSERT_EQ(record->executions.size(), 1u);
  EXPECT_EQ(record->executions[0].facts.status, ExecutionStatus::kAborted);
  EXPECT_EQ(record->executions[0].facts.finished_at, now());
  ASSERT_TRUE(record->executions[0].failure);
  EXPECT_EQ(record->executions[0].failure->code, "lease_lost");
}

TEST_P(Leases, ALostLeaseWaitsASecondInDocument) {
  const std::string queue = use_profile("document");
  const ClaimedJob claimed = running(Spec().queue(queue));
  advance(seconds(30));
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
  EXPECT_EQ(facts_of(claimed.job).run_at, now() + seconds(1));
  advance(seconds(1));
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(Leases, ALostLeaseIsNotDelayedByTheBackoff) {
  const ClaimedJob claimed = running(Spec().lease(seconds(1)).constant(hours(1)));
  advance(seconds(1));
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(Leases, AJobThatKillsItsWorkersEnds) {
  const JobId id = make(Spec().lease(seconds(1)));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(claim_job(id).facts.attempt, attempt);
    advance(seconds(1));
  }
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
  EXPECT_EQ(failure_of(id), "SYSTEM lease_lost");
  EXPECT_EQ(facts_of(id).error_type, ErrorType::kTerminal);
}

TEST_P(Leases, ALostLeaseIsRetriedEvenWhereSystemFailuresAreTerminal) {
  const ClaimedJob claimed = running(Spec().lease(seconds(1)).system_is(FailureIs::kTerminal));
  advance(seconds(1));
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(Leases, ACallAtTheInstantOfTheEndIsTooLate) {
  for (const CallKind kind : {CallKind::kStart, CallKind::kHeartbeat, CallKind::kAck,
                              CallKind::kNack, CallKind::kSpawn}) {
    SCOPED_TRACE(name(kind));
    const ClaimedJob claimed = running(Spec(std::string(name(kind))).lease(seconds(1)));
    pass(seconds(1));
    EXPECT_EQ(code_of(work(call_of(kind, claimed))), "stale_lease");
    EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
  }
}

TEST_P(Leases, ACallJustBeforeTheEndIsInTime) {
  const ClaimedJob claimed = running(Spec().lease(seconds(1)));
  pass(milliseconds(999));
  EXPECT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "COMPLETED");
}

TEST_P(Leases, TheOldWorkerCannotTouchTheNewExecution) {
  const ClaimedJob old = running(Spec().lease(seconds(10)));
  advance(seconds(10));
  const ClaimedJob fresh = claim_one();
  ASSERT_EQ(fresh.job, old.job);
  EXPECT_EQ(code_of(heartbeat(old)), "stale_lease");
  EXPECT_EQ(code_of(ack(old, "late")), "stale_lease");
  EXPECT_EQ(code_of(nack(old)), "stale_lease");
  EXPECT_EQ(state_of(old.job), "RUNNING");
  ASSERT_EQ(code_of(ack(fresh, "good")), "ok");
  EXPECT_EQ(get(old.job)->result->bytes, "good");
}

TEST_P(Leases, AStaleHeartbeatDoesNotExtendTheNewLease) {
  const ClaimedJob old = running(Spec().lease(seconds(10)));
  advance(seconds(10));
  const ClaimedJob fresh = claim_one();
  const Time end = fresh.facts.execution.lease_expires_at;
  pass(seconds(5));
  EXPECT_EQ(code_of(heartbeat(old)), "stale_lease");
  EXPECT_EQ(facts_of(old.job).execution.lease_expires_at, end);
}

TEST_P(Leases, ATokenBelongsToOneExecution) {
  const ClaimedJob old = running(Spec().lease(seconds(10)));
  advance(seconds(10));
  const ClaimedJob fresh = claim_one();
  WorkCall mixed = call_of(CallKind::kAck, fresh);
  mixed.token = old.facts.execution.token;
  EXPECT_EQ(code_of(work(mixed)), "stale_lease") << "the old token on the new execution";
  mixed = call_of(CallKind::kAck, old);
  mixed.token = fresh.facts.execution.token;
  EXPECT_EQ(code_of(work(mixed)), "stale_lease") << "the new token on the old execution";
  EXPECT_EQ(state_of(old.job), "RUNNING");
}

TEST_P(Leases, OneJobsTokenDoesNotOpenAnother) {
  const ClaimedJob one = running(Spec("one"));
  const ClaimedJob other = running(Spec("other"));
  WorkCall call = call_of(CallKind::kAck, one);
  call.token = other.facts.execution.token;
  EXPECT_EQ(code_of(work(call)), "stale_lease");
  call.token = LeaseToken{};
  EXPECT_EQ(code_of(work(call)), "stale_lease");
  EXPECT_EQ(state_of(one.job), "RUNNING");
}

TEST_P(Leases, AnExecutionThatNeverWasIsStaleAndAJobThatNeverWasIsNotFound) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kHeartbeat, claimed);
  call.execution = execution_id(claimed.job, 2);
  EXPECT_EQ(code_of(work(call)), "stale_lease");
  base::Random random(3);
  call.execution = execution_id(make_job_id(random), 1);
  EXPECT_EQ(code_of(work(call)), "not_found");
}

TEST_P(Leases, AnIdWithoutAnAttemptIsStale) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kAck, claimed);
  call.execution = ExecutionId{claimed.job.uuid};
  EXPECT_EQ(code_of(work(call)), "stale_lease");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(code_of(work(call)), "stale_lease") << "also after a commit";
}

TEST_P(Leases, ARunningJobIsNotGivenToAnother) {
  running();
  EXPECT_TRUE(claim({.max = 10, .worker = "another"}).empty());
}

TEST_P(Leases, ProgressMessageAndCheckpointAreKept) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kHeartbeat, claimed);
  std::get<HeartbeatCall>(call.call).progress = 40;
  std::get<HeartbeatCall>(call.call).message = "page 4 of 10";
  std::get<HeartbeatCall>(call.call).checkpoint = R"({"page":4})";
  ASSERT_EQ(code_of(work(call)), "ok");
  const auto record = get(claimed.job);
  EXPECT_EQ(record->facts.progress, 40);
  EXPECT_EQ(record->progress_message, "page 4 of 10");
  EXPECT_EQ(record->checkpoint, R"({"page":4})");
  EXPECT_GT(record->facts.version, claimed.facts.version) << "a reader can see it";
}

TEST_P(Leases, WhatAHeartbeatOmitsStays) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kHeartbeat, claimed);
  std::get<HeartbeatCall>(call.call).progress = 40;
  std::get<HeartbeatCall>(call.call).checkpoint = "c";
  ASSERT_EQ(code_of(work(call)), "ok");
  ASSERT_EQ(code_of(heartbeat(claimed)), "ok");
  WorkCall message = call_of(CallKind::kHeartbeat, claimed);
  std::get<HeartbeatCall>(message.call).message = "still here";
  ASSERT_EQ(code_of(work(message)), "ok");
  EXPECT_EQ(get(claimed.job)->facts.progress, 40);
  EXPECT_EQ(get(claimed.job)->checkpoint, "c");
  EXPECT_EQ(get(claimed.job)->progress_message, "still here");
}

TEST_P(Leases, ProgressBeginsAgainWithAClaimAndTheCheckpointStays) {
  const ClaimedJob claimed = running(Spec().constant(Duration{}));
  WorkCall call = call_of(CallKind::kHeartbeat, claimed);
  std::get<HeartbeatCall>(call.call).progress = 100;
  std::get<HeartbeatCall>(call.call).checkpoint = "half way";
  ASSERT_EQ(code_of(work(call)), "ok");
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  const ClaimedJob again = claim_one();
  EXPECT_EQ(again.facts.progress, lifecycle::kNoProgress);
  EXPECT_EQ(get(claimed.job)->checkpoint, "half way");
}

TEST_P(Leases, ProgressIsFrom0To100) {
  const ClaimedJob claimed = running();
  for (const int progress : {-1, 101}) {
    WorkCall call = call_of(CallKind::kHeartbeat, claimed);
    std::get<HeartbeatCall>(call.call).progress = progress;
    EXPECT_EQ(code_of(work(call)), "invalid_job") << progress;
  }
  for (const int progress : {0, 100}) {
    WorkCall call = call_of(CallKind::kHeartbeat, claimed);
    std::get<HeartbeatCall>(call.call).progress = progress;
    EXPECT_EQ(code_of(work(call)), "ok") << progress;
    EXPECT_EQ(facts_of(claimed.job).progress, progress);
  }
}

TEST_P(Leases, AStartMayShortenTheDeadline) {
  const ClaimedJob claimed = running(Spec().execution(seconds(60)).lease(seconds(50)));
  pass(seconds(1));
  ASSERT_EQ(code_of(start(claimed, seconds(20))), "ok");
  const auto facts = facts_of(claimed.job);
  EXPECT_EQ(facts.execution.status, ExecutionStatus::kInProgress);
  EXPECT_EQ(facts.execution.started_at, now());
  EXPECT_EQ(facts.execution.deadline_at, claimed.facts.execution.claimed_at + seconds(20));
  EXPECT_EQ(facts.execution.lease_expires_at, facts.execution.deadline_at);
}

TEST_P(Leases, AStartMayNotLengthenTheDeadline) {
  const ClaimedJob claimed = running(Spec().execution(seconds(60)));
  EXPECT_EQ(code_of(start(claimed, seconds(61))), "invalid_job");
  EXPECT_EQ(facts_of(claimed.job).execution.status, ExecutionStatus::kLeased);
  EXPECT_EQ(code_of(start(claimed, seconds(60))), "ok");
}

TEST_P(Leases, CallsOfOneRequestAreIndependentAndInOrder) {
  const ClaimedJob a = running(Spec("a"));
  const ClaimedJob b = running(Spec("b"));
  const ClaimedJob c = running(Spec("c"));
  WorkCall wrong = call_of(CallKind::kAck, b);
  wrong.token = a.facts.execution.token;
  const auto answers = work_all({call_of(CallKind::kAck, a), wrong, call_of(CallKind::kStart, c),
                                 call_of(CallKind::kCommit, c), call_of(CallKind::kDone, c),
                                 call_of(CallKind::kNack, b)});
  ASSERT_EQ(answers.size(), 6u);
  EXPECT_EQ(code_of(answers[0]), "ok");
  EXPECT_EQ(code_of(answers[1]), "stale_lease");
  EXPECT_EQ(code_of(answers[2]), "ok");
  EXPECT_EQ(code_of(answers[3]), "ok");
  EXPECT_EQ(code_of(answers[4]), "ok");
  EXPECT_EQ(code_of(answers[5]), "ok");
  EXPECT_EQ(state_of(a.job), "COMPLETED");
  EXPECT_EQ(state_of(b.job), "RETRYING");
  EXPECT_EQ(state_of(c.job), "COMPLETED");
}

TEST_P(Leases, ARequestWithoutCallsHasNoAnswers) { EXPECT_TRUE(work_all({}).empty()); }

TEST_P(Leases, TheSameCallTwiceInOneRequestIsARepeat) {
  const ClaimedJob claimed = running();
  const WorkCall call = call_of(CallKind::kAck, claimed);
  const auto answers = work_all({call, call});
  ASSERT_EQ(answers.size(), 2u);
  ASSERT_EQ(code_of(answers[0]), "ok");
  ASSERT_EQ(code_of(answers[1]), "ok");
  EXPECT_FALSE(answers[0]->repeated);
  EXPECT_TRUE(answers[1]->repeated);
}

TEST_P(Leases, TheMessageBelongsToItsExecution) {
  const ClaimedJob first = running(Spec().constant(Duration{}));
  WorkCall call = call_of(CallKind::kHeartbeat, first);
  std::get<HeartbeatCall>(call.call).message = "half way";
  ASSERT_EQ(code_of(work(call)), "ok");
  ASSERT_EQ(code_of(nack(first)), "ok");
  EXPECT_EQ(get(first.job)->progress_message, "half way");
  claim_job(first.job);
  EXPECT_EQ(get(first.job)->progress_message, "");
}

TEST_P(Leases, AStartMayLeaveAMillisecond) {
  const ClaimedJob claimed = running();
  EXPECT_EQ(code_of(start(claimed, Duration{})), "invalid_job");
  ASSERT_EQ(code_of(start(claimed, milliseconds(1))), "ok");
  EXPECT_EQ(facts_of(claimed.job).execution.deadline_at, now() + milliseconds(1));
}

TEST_P(Leases, ARejectionNeedsNoCode) {
  const ClaimedJob claimed = running(Spec().queue(use_profile("generation")));
  EXPECT_EQ(code_of(work(call_of(CallKind::kReject, claimed))), "ok")
      << "a PERMANENT failure would need one";
}

TEST_P(Leases, AnIdThatNamesNoExecutionOfACommittedJobIsStale) {
  const ClaimedJob claimed = committed();
  WorkCall call = call_of(CallKind::kHeartbeat, claimed);
  for (const int attempt : {0, 2, 255}) {
    call.execution.uuid.bytes[15] = static_cast<std::uint8_t>(attempt);
    EXPECT_EQ(code_of(work(call)), "stale_lease") << attempt;
  }
}

}  // namespace
}  // namespace baton::store::conformance
