// What is still there after a store was closed and opened again: everything that was acknowledged.
// Recovery is for every store that survives a restart; LeaseRecovery for those of one machine,
// where a restart gives each unfinished lease a full term.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using States = std::vector<std::string>;

// A record as text, so that one that belonged to a closed store can be compared.
std::string text_of(const JobRecord& record) {
  std::string text = describe(record) + " payload " + record.spec->payload + " progress " +
                     std::to_string(record.facts.progress) + " " + record.progress_message + " " +
                     record.checkpoint + " held " + std::to_string(record.facts.held) + " run_at " +
                     std::to_string(record.facts.run_at.ms) + " priority " +
                     std::string(name(record.facts.priority)) + " correlation " +
                     record.labels.correlation_id + " parent " + to_string(record.parent) +
                     " from " + to_string(record.redriven_from);
  for (const auto& [key, value] : record.labels.tags)
    text += " tag " + key + "=" + value;
  if (record.result) text += " result " + record.result->content_type + record.result->bytes;
  if (record.last_failure) text += " failure " + record.last_failure->code;
  for (const ExecutionRecord& execution : record.executions) {
    text += " execution " + execution.worker + " " + std::string(name(execution.facts.status)) +
            " " + std::to_string(execution.facts.claimed_at.ms) + "-" +
            std::to_string(execution.facts.finished_at.ms);
    if (execution.failure) text += " " + execution.failure->code + " " + execution.failure->cause;
  }
  for (const JobId& child : record.children)
    text += " child " + to_string(child);
  return text + " staged " + std::to_string(record.staged.size());
}

TEST_P(Recovery, EveryRecordComesBackAsItWas) {
  const std::string document = use_profile("document");
  give("ann", 50);
  std::vector<JobId> ids = {
      make(Spec("draft").queue(document).draft()),
      make(Spec("delayed").delay(hours(1)).tag("k", "v").correlation("c")),
      make(Spec("scheduled").payload("p").priority(Priority::kHigh).account("ann").cost(3)),
      completed(Spec("completed")),
      failed(Spec("failed")),
      dead_lettered(Spec("dead")),
      cancelled(Spec("cancelled")),
  };
  ids.push_back(make(Spec("pending").after({ids[1]})));
  const ClaimedJob retrying = running(Spec("retrying"));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  ids.push_back(retrying.job);
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child")})), "ok");
  ids.push_back(parent.job);
  ids.push_back(get(parent.job)->children.at(0));
  std::vector<std::string> before;
  for (const JobId& id : ids)
    before.push_back(text_of(*get(id)));
  restart();
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(text_of(*get(ids[i])), before[i]);
  audit(true);
}

TEST_P(Recovery, ClaimsGoOnInTheSameOrder) {
  const auto ids = make_all({Spec(), Spec().priority(Priority::kHigh), Spec(), Spec("other")});
  const ClaimedJob claimed = running(Spec("retried").constant(Duration{}));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  restart();
  const JobId late = make();
  EXPECT_EQ(claim_ids({.max = 10}),
            (std::vector<JobId>{ids[1], ids[0], ids[2], ids[3], claimed.job, late}));
}

TEST_P(Recovery, TimersGoOn) {
  const JobId delayed = make(Spec("delayed").delay(seconds(10)));
  const JobId mortal = make(Spec("mortal").lifetime(seconds(20)));
  const ClaimedJob retrying = running(Spec("retrying").constant(seconds(10)));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  advance(seconds(4));
  restart();
  advance(seconds(6) + milliseconds(-1));
  EXPECT_EQ(states_of({delayed, retrying.job, mortal}),
            (States{"DELAYED", "RETRYING", "SCHEDULED"}));
  advance(milliseconds(1));
  EXPECT_EQ(states_of({delayed, retrying.job, mortal}),
            (States{"SCHEDULED", "SCHEDULED", "SCHEDULED"}));
  advance(seconds(10));
  EXPECT_EQ(state_of(mortal), "DEAD_LETTER");
}

TEST_P(Recovery, WhatFellDueWhileClosedAppliesAtTheOpening) {
  const JobId delayed = make(Spec("delayed").delay(seconds(10)));
  const JobId mortal = make(Spec("mortal").lifetime(seconds(10)));
  restart(seconds(10));
  run_timers();
  EXPECT_EQ(states_of({delayed, mortal}), (States{"SCHEDULED", "DEAD_LETTER"}));
}

TEST_P(Recovery, TokensStayGoodAndFormerOnesBad) {
  const ClaimedJob old = running(Spec("a").constant(Duration{}));
  ASSERT_EQ(code_of(nack(old)), "ok");
  const ClaimedJob current = claim_job(old.job);
  restart();
  EXPECT_EQ(code_of(heartbeat(old)), "stale_lease");
  EXPECT_EQ(code_of(heartbeat(current)), "ok");
  EXPECT_EQ(code_of(ack(current)), "ok");
}

TEST_P(Recovery, ACommitIsNeverTakenBack) {
  const ClaimedJob claimed = committed(Spec().lease(seconds(10)));
  restart();
  EXPECT_EQ(get(claimed.job)->result->bytes, "{}");
  EXPECT_EQ(code_of(nack(claimed)), "already_committed");
  const auto again = commit(claimed, "second");
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_TRUE(again->repeated);
  advance(seconds(10));
  EXPECT_EQ(state_of(claimed.job), "COMPLETED") << "recovery finishes it";
}

TEST_P(Recovery, ARepeatedAckAfterALostAnswerIsARepeat) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(ack(claimed, "first")), "ok");
  restart();
  const auto again = ack(claimed, "first");
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_TRUE(again->repeated);
}

TEST_P(Recovery, KeysStillHold) {
  const JobId live = make(Spec("live").key("k"));
  const JobId ended = completed(Spec("ended").key("k"));
  advance(hours(23));
  restart();
  EXPECT_EQ(submit(Spec("live").key("k"))->id, live);
  EXPECT_EQ(submit(Spec("ended").key("k"))->id, ended);
  advance(hours(1));
  EXPECT_NE(submit(Spec("live").key("k"))->id, live);
  EXPECT_NE(submit(Spec("ended").key("k"))->id, ended);
}

TEST_P(Recovery, AFreedKeyStaysFree) {
  const std::string queue = use_profile("generation");
  const JobId old = failed(Spec().queue(queue).key("k"));
  restart();
  EXPECT_NE(submit(Spec().queue(queue).key("k"))->id, old);
}

TEST_P(Recovery, DependenciesGoOnWhereTheyWere) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b"));
  const JobId waits = make(Spec("waits").after({a, b}));
  const JobId any = make(Spec("any").after_any({b}));
  complete(a);
  restart();
  EXPECT_EQ(states_of({waits, any}), (States{"PENDING", "PENDING"}));
  fail(b);
  EXPECT_EQ(states_of({waits, any}), (States{"FAILED", "SCHEDULED"}));
}

TEST_P(Recovery, AFanInRemembersWhichOfItsJobsHaveEnded) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in_whatever_happens({parent.job}));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("a"), Spec("b")})), "ok");
  const auto children = get(parent.job)->children;
  fail(children[0]);
  restart();
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(children[1]);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Recovery, DepthIsStillCounted) {
  const auto ids = make_all(times(100, Spec()), {.chain = true});
  restart();
  EXPECT_EQ(code_of(submit(Spec("tail").after({ids.back()}))), "dependency_too_deep");
  complete(ids.front());
  EXPECT_EQ(code_of(submit(Spec("tail").after({ids.back()}))), "ok");
}

TEST_P(Recovery, StagedChildrenWaitForTheCommit) {
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(spawn(claimed, {Spec("child")})), "ok");
  restart();
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(get(claimed.job)->children.size(), 1u);
}

TEST_P(Recovery, ARequestedCancelIsNotForgotten) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  restart();
  const auto answer = heartbeat(claimed);
  ASSERT_EQ(code_of(answer), "ok");
  EXPECT_TRUE(answer->facts.cancel_requested);
}

TEST_P(Recovery, ProgressAndCheckpointAreKept) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kHeartbeat, claimed);
  std::get<HeartbeatCall>(call.call).progress = 60;
  std::get<HeartbeatCall>(call.call).checkpoint = "c";
  ASSERT_EQ(code_of(work(call)), "ok");
  restart();
  EXPECT_EQ(facts_of(claimed.job).progress, 60);
  EXPECT_EQ(get(claimed.job)->checkpoint, "c");
}

TEST_P(Recovery, QueuesKeepTheirSettings) {
  QueueUpdate update = update_of("q");
  update.profile = "lease";
  update.paused = true;
  update.max_running = 3;
  update.retry.emplace().max_attempts = 9;
  const auto before = set_queue(update);
  ASSERT_EQ(code_of(before), "ok");
  restart();
  const auto after = get_queue("q");
  ASSERT_EQ(code_of(after), "ok");
  EXPECT_TRUE(after->settings == before->settings);
  make(Spec().queue("q"));
  EXPECT_TRUE(claim({.queues = {"q"}}).empty()) << "still paused";
}

TEST_P(Recovery, ADeletedQueueStaysDeleted) {
  QueueUpdate update = update_of("q");
  update.profile = "lease";
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId id = make(Spec().queue("q"));
  ASSERT_EQ(code_of(cancel(id)), "ok");
  restart();
  ASSERT_EQ(code_of(remove(id)), "ok");
  ASSERT_EQ(code_of(remove_queue("q")), "ok");
  restart();
  EXPECT_EQ(code_of(get_queue("q")), "not_found");
  const JobId again = make(Spec().queue("q"));
  restart();
  EXPECT_EQ(facts_of(again).terms->profile->name, "standard");
  EXPECT_EQ(code_of(remove_queue("q")), "conflict");
}

TEST_P(Recovery, JobsKeepTheTermsTheyWereMadeWith) {
  const JobId id = make(Spec().queue("q").attempts(7).table({seconds(3), seconds(9)}));
  QueueUpdate update = update_of("q");
  update.timeouts.emplace().lease = seconds(1);
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  restart();
  const auto record = get(id);
  EXPECT_EQ(record->facts.terms->retry.max_attempts, 7);
  EXPECT_EQ(record->facts.terms->retry.table, (std::vector<Duration>{seconds(3), seconds(9)}));
  EXPECT_EQ(record->facts.terms->lease, minutes(5));
}

TEST_P(Recovery, LimitsStillCount) {
  QueueUpdate update = update_of("default");
  update.max_running = 1;
  update.max_pending = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const ClaimedJob claimed = running();
  make();
  restart();
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(code_of(submit(Spec())), "queue_full");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(Recovery, LedgersBalance) {
  give("ann", 100);
  make(Spec("held").account("ann").cost(10));
  completed(Spec("captured").account("ann").cost(20));
  failed(Spec("released").account("ann").cost(30));
  GrantCredits keyed;
  keyed.account = "ann";
  keyed.amount = 5;
  keyed.idempotency_key = "order";
  ASSERT_EQ(code_of(grant(keyed)), "ok");
  const auto before = account("ann").balance;
  const auto entries_before = entries("ann");
  restart();
  EXPECT_TRUE(account("ann").balance == before);
  EXPECT_EQ(entries("ann"), entries_before);
  EXPECT_EQ(account("ann").tier, Tier::kUser);
  ASSERT_EQ(code_of(grant(keyed)), "ok");
  EXPECT_TRUE(account("ann").balance == before) << "the grant's key still holds";
  audit(true);
}

TEST_P(Recovery, QuotasStillCount) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  for (int i = 0; i < 3; ++i)
    make(spec);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(code_of(ack(claim_one(queue))), "ok");
  make(spec);
  make(spec);
  restart();
  EXPECT_EQ(account("ann").active_jobs, 3);
  EXPECT_EQ(code_of(submit(spec)), "quota_exceeded") << "five within the hour";
  advance(hours(1));
  EXPECT_EQ(code_of(submit(spec)), "ok");
}

TEST_P(Recovery, NumbersGoOnRising) {
  const std::int64_t before = get(make())->number;
  restart();
  EXPECT_GT(get(make())->number, before);
}

TEST_P(Recovery, ADeletedJobStaysDeleted) {
  const JobId id = completed();
  ASSERT_EQ(code_of(remove(id)), "ok");
  restart();
  EXPECT_EQ(code_of(try_get(id)), "not_found");
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Recovery, ManyRestartsChangeNothing) {
  const ClaimedJob claimed = running(Spec("running"));
  const JobId waiting = make(Spec("waiting"));
  for (int i = 0; i < 5; ++i) {
    restart();
    ASSERT_EQ(code_of(heartbeat(claimed)), "ok");
    audit(true);
  }
  EXPECT_EQ(states_of({claimed.job, waiting}), (States{"RUNNING", "SCHEDULED"}));
}

// ---- Leases of a store on one machine ---------------------------------------------------------

TEST_P(LeaseRecovery, AnUnfinishedLeaseGetsAFullTerm) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  restart(seconds(9));
  run_timers();
  EXPECT_EQ(facts_of(claimed.job).execution.lease_expires_at, now() + seconds(10));
  advance(milliseconds(9'999));
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  advance(milliseconds(1));
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(LeaseRecovery, ALeaseThatEndedWhileClosedGetsAFullTermToo) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  restart(minutes(5));
  EXPECT_EQ(code_of(heartbeat(claimed)), "ok");
  EXPECT_EQ(code_of(ack(claimed)), "ok");
}

TEST_P(LeaseRecovery, TheDeadlineDoesNotMove) {
  const ClaimedJob claimed = running(Spec().execution(seconds(15)).lease(seconds(10)));
  restart(seconds(9));
  run_timers();
  EXPECT_EQ(facts_of(claimed.job).execution.lease_expires_at, claimed.facts.execution.deadline_at);
  advance(seconds(6));
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT execution_timeout");
}

TEST_P(LeaseRecovery, ADeadlineThatPassedWhileClosedEndsTheExecution) {
  const ClaimedJob claimed = running(Spec().execution(seconds(15)));
  restart(seconds(15));
  EXPECT_EQ(code_of(ack(claimed)), "stale_lease");
  EXPECT_EQ(failure_of(claimed.job), "TIMEOUT execution_timeout");
}

TEST_P(LeaseRecovery, TheTermIsTheClaimsOwn) {
  make();
  const auto claimed = claim({.lease = seconds(3)});
  ASSERT_EQ(claimed.size(), 1u);
  restart();
  run_timers();
  EXPECT_EQ(facts_of(claimed[0].job).execution.lease_expires_at, now() + seconds(3));
}

TEST_P(LeaseRecovery, ACommittedExecutionIsFinishedAfterAFullTerm) {
  const ClaimedJob claimed = committed(Spec().lease(seconds(10)));
  restart(minutes(1));
  run_timers();
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  advance(seconds(10));
  EXPECT_EQ(state_of(claimed.job), "COMPLETED");
}

TEST_P(LeaseRecovery, TimeNeverFalls) {
  const JobId before = make();
  const Time time = now();
  subject().clock().jump_wall(time + Duration{-3'600'000});
  restart();
  const JobId after = make();
  EXPECT_GE(facts_of(after).created_at, facts_of(before).created_at);
  end_watch();  // the test's own clock is behind the store's now
}

}  // namespace
}  // namespace baton::store::conformance
