// A worker gives a job back; a client gives it another time; what a cancel said.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

TEST_P(Releases, AReleasedJobJoinsTheEndOfItsPriority) {
  const JobId first = make();
  const JobId second = make();
  ASSERT_EQ(code_of(release(claim_job(first))), "ok");
  EXPECT_EQ(claim_ids({.max = 2}), (std::vector<JobId>{second, first}));
  EXPECT_EQ(steps_of(first),
            "create:PENDING ready:SCHEDULED claim:RUNNING release:RETRYING backoff:SCHEDULED "
            "claim:RUNNING");
}

TEST_P(Releases, AReleaseIsNoFailure) {
  const JobId id = make(Spec().attempts(2));
  ASSERT_EQ(code_of(nack(claim_one())), "ok");
  advance(seconds(1));
  const ClaimedJob claimed = claim_one();
  ASSERT_EQ(code_of(release(claimed, {}, "deploy")), "ok");
  const auto record = get(id);
  EXPECT_EQ(record->facts.release_count, 1);
  EXPECT_EQ(record->facts.retry_count, 1);
  EXPECT_EQ(failure_of(id), "TEMPORARY E1");
  EXPECT_EQ(record->executions.back().failure,
            (Failure{FailureCategory::kSystem, "released", "deploy", ""}));
}

TEST_P(Releases, TenDeploysSpendNoAttempt) {
  const JobId id = make(Spec().attempts(1));
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(code_of(release(claim_one())), "ok");
  restart_if_possible();
  EXPECT_EQ(facts_of(id).release_count, 10);
  EXPECT_EQ(code_of(ack(claim_one())), "ok");
  EXPECT_EQ(state_of(id), "COMPLETED");
  EXPECT_EQ(facts_of(id).attempt, 11);
}

TEST_P(Releases, AfterAHundredTheyCount) {
  const JobId id = make(Spec().attempts(2));
  for (int i = 0; i < 101; ++i)
    ASSERT_EQ(code_of(release(claim_one())), "ok") << i;
  EXPECT_EQ(facts_of(id).retry_count, 1);
  ASSERT_EQ(code_of(release(claim_one(), {}, "again")), "ok");
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
  EXPECT_EQ(failure_of(id), "SYSTEM released");
  EXPECT_EQ(facts_of(id).attempt, 102);
}

TEST_P(Releases, InLeaseEveryOneCounts) {
  const std::string queue = use_profile("lease");
  const JobId id = make(Spec().queue(queue));
  for (int i = 0; i < 4; ++i)
    ASSERT_EQ(code_of(release(claim_one(queue))), "ok") << i;
  EXPECT_EQ(state_of(id), "FAILED");
  EXPECT_EQ(facts_of(id).retry_count, 3);
}

TEST_P(Releases, ADelayIsKept) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(release(claimed, seconds(10))), "ok");
  EXPECT_EQ(state_of(claimed.job), "RETRYING");
  advance(milliseconds(9'999));
  EXPECT_TRUE(claim().empty());
  advance(milliseconds(1));
  EXPECT_EQ(claim_ids({}), (std::vector<JobId>{claimed.job}));
}

TEST_P(Releases, DocumentTakesNoDelayAndWaitsASecond) {
  const std::string queue = use_profile("document");
  const ClaimedJob claimed = running(Spec().queue(queue));
  EXPECT_EQ(code_of(release(claimed, seconds(10))), "not_in_profile");
  ASSERT_EQ(code_of(release(claimed)), "ok");
  EXPECT_EQ(facts_of(claimed.job).run_at, now() + seconds(1));
}

TEST_P(Releases, ADelayThatReachesTheLifetimeLeavesTheLease) {
  const ClaimedJob claimed = running(Spec().lifetime(minutes(1)));
  EXPECT_EQ(code_of(release(claimed, minutes(1))), "invalid_job");
  EXPECT_EQ(code_of(release(claimed, days(400))), "invalid_job");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  EXPECT_EQ(code_of(heartbeat(claimed)), "ok");
  EXPECT_EQ(code_of(release(claimed, milliseconds(59'999))), "ok");
}

TEST_P(Releases, KeepReservationAndCheckpointAndDropWhatWasStaged) {
  give("a", 10);
  const ClaimedJob claimed = running(Spec().account("a").cost(4));
  WorkCall beat = call_of(CallKind::kHeartbeat, claimed);
  std::get<HeartbeatCall>(beat.call).checkpoint = "page 4";
  ASSERT_EQ(code_of(work(beat)), "ok");
  ASSERT_EQ(code_of(spawn(claimed, {Spec("child")})), "ok");
  ASSERT_EQ(code_of(release(claimed)), "ok");
  EXPECT_EQ(account("a").balance.reserved, 4);
  EXPECT_EQ(get(claimed.job)->checkpoint, "page 4");
  EXPECT_TRUE(get(claimed.job)->staged.empty());
  EXPECT_EQ(code_of(ack(claim_one())), "ok");
  EXPECT_TRUE(get(claimed.job)->children.empty());
  EXPECT_EQ(account("a").balance.captured, 4);
}

TEST_P(Releases, AReasonHasALimit) {
  const ClaimedJob claimed = running();
  EXPECT_EQ(code_of(release(claimed, {}, std::string(8193, 'x'))), "invalid_job");
  EXPECT_EQ(code_of(release(claimed, {}, std::string(8192, 'x'))), "ok");
}

TEST_P(Releases, AWorkerCannotCallAFailureARelease) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kNack, claimed);
  call.call = NackCall{.failure = {FailureCategory::kSystem, "released", "", ""}};
  EXPECT_EQ(code_of(work(call)), "invalid_job");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
}

// ---- Another time to run ----------------------------------------------------------------------

TEST_P(Releases, ADelayedJobMayBeMoved) {
  const JobId id = make(Spec().delay(hours(1)));
  ASSERT_EQ(code_of(patch({.id = id, .run_at = now() + minutes(1)})), "ok");
  advance(minutes(1) - milliseconds(1));
  EXPECT_TRUE(claim().empty());
  advance(milliseconds(1));
  EXPECT_EQ(claim_ids({}), (std::vector<JobId>{id}));
}

TEST_P(Releases, AJobMayBeRunNow) {
  const JobId delayed = make(Spec().delay(hours(1)));
  const JobId retrying = make();
  ASSERT_EQ(code_of(nack(claim_job(retrying))), "ok");
  for (const JobId& id : {delayed, retrying})
    EXPECT_EQ(code_of(patch({.id = id, .run_at = now()})), "ok");
  EXPECT_EQ(claim_ids({.max = 2}), (std::vector<JobId>{delayed, retrying}));
}

TEST_P(Releases, AMovedJobIsMovedAfterARestart) {
  const JobId id = make(Spec().delay(minutes(1)));
  ASSERT_EQ(code_of(patch({.id = id, .run_at = now() + hours(1)})), "ok");
  restart_if_possible();
  advance(minutes(2));
  EXPECT_EQ(state_of(id), "DELAYED");
  advance(hours(1));
  EXPECT_EQ(state_of(id), "SCHEDULED");
}

TEST_P(Releases, OnlyWhatWaitsForATimeIsMoved) {
  const JobId ready = make();
  EXPECT_EQ(code_of(patch({.id = ready, .run_at = now() + hours(1)})), "invalid_transition");
  const JobId delayed = make(Spec().delay(minutes(1)).lifetime(hours(1)));
  EXPECT_EQ(code_of(patch({.id = delayed, .run_at = now() + hours(1)})), "invalid_job");
}

TEST_P(Releases, AJobThatCouldNeverRunIsRefused) {
  const auto delayed = submit(Spec().delay(hours(1)).lifetime(hours(1)));
  ASSERT_EQ(code_of(delayed), "invalid_job");
  EXPECT_EQ(delayed.error().field, "delay_ms");
  const auto timed = submit(Spec().run_at(now() + hours(1)).lifetime(hours(1)));
  ASSERT_EQ(code_of(timed), "invalid_job");
  EXPECT_EQ(timed.error().field, "run_at");
  EXPECT_EQ(code_of(submit(Spec().delay(days(30)))), "invalid_job") << "a week by default";
  EXPECT_EQ(code_of(submit(Spec().delay(hours(1) - milliseconds(1)).lifetime(hours(1)))), "ok");
}

// ---- Reasons and leases -----------------------------------------------------------------------

TEST_P(Releases, TheReasonOfACancelIsKeptUntilItTakesEffect) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job, false, "wrong customer")), "ok");
  ASSERT_EQ(code_of(cancel(claimed.job, false, "another reason")), "ok");
  restart_if_possible();
  EXPECT_FALSE(get(claimed.job)->last_failure.has_value());
  ASSERT_EQ(code_of(confirm_cancel(claimed)), "ok");
  EXPECT_EQ(get(claimed.job)->last_failure->message, "wrong customer");
  EXPECT_EQ(get(claimed.job)->executions.back().failure->message, "wrong customer");
}

TEST_P(Releases, TheReasonOfACancelOutlivesTheLease) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job, false, "wrong customer")), "ok");
  advance(minutes(5));
  EXPECT_EQ(state_of(claimed.job), "CANCELLED");
  EXPECT_EQ(get(claimed.job)->last_failure->message, "wrong customer");
  EXPECT_EQ(get(claimed.job)->executions.back().failure->code, "lease_lost");
}

TEST_P(Releases, AClaimMayShortenTheLease) {
  make(Spec().lease(minutes(5)));
  make(Spec().lease(seconds(10)));
  ClaimRequest request{.queues = {"default"}, .max = 2, .worker = "w", .max_lease = seconds(30)};
  const auto claimed = try_claim(request);
  ASSERT_TRUE(claimed.ok());
  EXPECT_EQ(claimed->executions.at(0).facts.execution.lease, seconds(30));
  EXPECT_EQ(claimed->executions.at(1).facts.execution.lease, seconds(10));
  request.lease = seconds(30);
  EXPECT_EQ(try_claim(request).error().field, "max_lease_ms");
  EXPECT_EQ(code_of(try_claim(request)), "bad_request");
  request.lease.reset();
  request.max_lease = milliseconds(99);
  EXPECT_EQ(try_claim(request).error().field, "max_lease_ms");
  EXPECT_EQ(code_of(try_claim(request)), "invalid_job");
}

}  // namespace
}  // namespace baton::store::conformance
