// Commands that a store meets together. A store that joins waiting commands into one step joins
// these; each must still see what those before it did, as if it had come alone.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using Calls = std::vector<Result<CallAnswer>>;

// Gives commands to the store from within one of its answers: whoever answers is busy, and finds
// all of them waiting when it looks again.
void together(Store& store, const std::function<void()>& give) {
  Awaited<TimersAnswer> begun;
  const Done<TimersAnswer> done = begun.done();
  store.run_timers([&](Result<TimersAnswer> answer) {
    give();
    done(std::move(answer));
  });
  if (!begun.get("run_timers").ok()) throw CannotGoOn("run_timers was refused");
}

SubmitBatch batch_of(const Spec& spec) {
  SubmitBatch batch;
  batch.jobs = {spec.share()};
  return batch;
}

ClaimRequest claim_of(int max) {
  ClaimRequest request;
  request.queues = {"default"};
  request.max = max;
  request.worker = "w";
  return request;
}

// The only result of a batch of one.
Result<MadeJob> one(Awaited<SubmitAnswer>& awaited) {
  const auto answer = awaited.get("submit");
  if (!answer.ok()) return answer.error();
  if (answer->refused) return answer->refused->error;
  return answer->results.at(0);
}

std::string code_in(Awaited<Calls>& awaited) { return code_of(awaited.get("work")->at(0)); }

TEST_P(Together, ASubmissionIsThereForTheNextCommand) {
  Awaited<SubmitAnswer> first, second;
  Awaited<ClaimAnswer> claimed;
  together(store(), [&] {
    store().submit(batch_of(Spec().key("k")), first.done());
    store().submit(batch_of(Spec().key("k")), second.done());
    store().claim(claim_of(5), claimed.done());
  });
  const auto made = one(first);
  const auto again = one(second);
  ASSERT_TRUE(made.ok() && again.ok());
  EXPECT_FALSE(made->duplicate);
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->id, made->id);
  const auto given = claimed.get("claim");
  ASSERT_EQ(given->executions.size(), 1u);
  EXPECT_EQ(given->executions[0].job, made->id);
  audit();
}

TEST_P(Together, TwoClaimsShareTheJobs) {
  const auto ids = make_all(times(3, Spec()));
  Awaited<ClaimAnswer> first, second;
  together(store(), [&] {
    store().claim(claim_of(2), first.done());
    store().claim(claim_of(2), second.done());
  });
  EXPECT_EQ(first.get("claim")->executions.size(), 2u);
  const auto rest = second.get("claim");
  ASSERT_EQ(rest->executions.size(), 1u);
  EXPECT_EQ(rest->executions[0].job, ids[2]);
  audit();
}

TEST_P(Together, AnAckIsThereForItsRepeatAndForANack) {
  const ClaimedJob claimed = running();
  Awaited<Calls> first, second, third, fourth;
  together(store(), [&] {
    store().work({call_of(CallKind::kAck, claimed)}, first.done());
    store().work({call_of(CallKind::kAck, claimed)}, second.done());
    store().work({call_of(CallKind::kNack, claimed)}, third.done());
    store().work({call_of(CallKind::kHeartbeat, claimed)}, fourth.done());
  });
  const auto acked = first.get("work");
  const auto again = second.get("work");
  ASSERT_TRUE(acked->at(0).ok() && again->at(0).ok());
  EXPECT_FALSE(acked->at(0)->repeated);
  EXPECT_TRUE(again->at(0)->repeated);
  EXPECT_EQ(code_in(third), "already_committed");
  EXPECT_EQ(code_in(fourth), "stale_lease");
  audit();
}

TEST_P(Together, AFormerExecutionMeetsTheCommitThatCameJustBefore) {
  const ClaimedJob old = running(Spec().constant(Duration{}));
  ASSERT_EQ(code_of(nack(old)), "ok");
  const ClaimedJob fresh = claim_job(old.job);
  Awaited<Calls> first, second, third;
  together(store(), [&] {
    store().work({call_of(CallKind::kCommit, old)}, first.done());
    store().work({call_of(CallKind::kAck, fresh)}, second.done());
    store().work({call_of(CallKind::kCommit, old)}, third.done());
  });
  EXPECT_EQ(code_in(first), "stale_lease");
  EXPECT_EQ(code_in(second), "ok");
  EXPECT_EQ(code_in(third), "already_committed");
  audit();
}

TEST_P(Together, AJobThatFailedAMomentAgoIsClaimedAgain) {
  const ClaimedJob old = running(Spec().constant(Duration{}));
  Awaited<Calls> nacked, late;
  Awaited<ClaimAnswer> claimed;
  together(store(), [&] {
    store().work({call_of(CallKind::kNack, old)}, nacked.done());
    store().claim(claim_of(5), claimed.done());
    store().work({call_of(CallKind::kAck, old)}, late.done());
  });
  EXPECT_EQ(code_in(nacked), "ok");
  const auto given = claimed.get("claim");
  ASSERT_EQ(given->executions.size(), 1u);
  EXPECT_EQ(given->executions[0].facts.attempt, 2);
  EXPECT_EQ(code_in(late), "stale_lease");
  audit();
}

TEST_P(Together, AJobThatEndedAMomentAgoIsDeleted) {
  const ClaimedJob claimed = running(Spec().key("k"));
  Awaited<Calls> acked, late;
  Awaited<Deleted> removed, again;
  Awaited<SubmitAnswer> dependent, keyed;
  together(store(), [&] {
    store().work({call_of(CallKind::kAck, claimed)}, acked.done());
    store().remove({claimed.job}, removed.done());
    store().remove({claimed.job}, again.done());
    store().work({call_of(CallKind::kAck, claimed)}, late.done());
    store().submit(batch_of(Spec().after({claimed.job})), dependent.done());
    store().submit(batch_of(Spec().key("k")), keyed.done());
  });
  EXPECT_EQ(code_in(acked), "ok");
  EXPECT_EQ(code_of(removed.get("remove")), "ok");
  EXPECT_EQ(code_of(again.get("remove")), "not_found");
  EXPECT_EQ(code_in(late), "not_found");
  EXPECT_EQ(code_of(one(dependent)), "unknown_dependency");
  const auto made = one(keyed);
  ASSERT_EQ(code_of(made), "ok");
  EXPECT_FALSE(made->duplicate) << "the key went with the job";
  EXPECT_EQ(code_of(try_get(claimed.job)), "not_found");
  oracle().forget(claimed.job);
  audit();
}

TEST_P(Together, AJobThatEndedBeforeIsDeletedOnce) {
  const JobId id = completed(Spec().key("k"));
  Awaited<Deleted> first, second;
  Awaited<JobAnswer> redriven;
  Awaited<Explanation> explained;
  Awaited<SubmitAnswer> keyed;
  together(store(), [&] {
    store().remove({id}, first.done());
    store().remove({id}, second.done());
    store().redrive({id}, redriven.done());
    store().explain(id, explained.done());
    store().submit(batch_of(Spec().key("k")), keyed.done());
  });
  EXPECT_EQ(code_of(first.get("remove")), "ok");
  EXPECT_EQ(code_of(second.get("remove")), "not_found");
  EXPECT_EQ(code_of(redriven.get("redrive")), "not_found");
  EXPECT_EQ(code_of(explained.get("explain")), "not_found");
  EXPECT_FALSE(one(keyed)->duplicate);
  oracle().forget(id);
  audit();
}

TEST_P(Together, AJobThatEndedAMomentAgoIsRedrivenWithItsLatestLabels) {
  const JobId id = make(Spec("first").payload("p"));
  PatchJob change = patch_of(id);
  change.correlation_id = "patched";
  Awaited<JobAnswer> patched, cancelled, redriven;
  Awaited<Deleted> removed;
  together(store(), [&] {
    store().patch(change, patched.done());
    store().cancel({id, false, ""}, cancelled.done());
    store().redrive({id}, redriven.done());
    store().remove({id}, removed.done());
  });
  EXPECT_EQ(code_of(patched.get("patch")), "ok");
  EXPECT_EQ(code_of(cancelled.get("cancel")), "ok");
  const auto copy = redriven.get("redrive");
  ASSERT_EQ(code_of(copy), "ok");
  EXPECT_EQ(code_of(removed.get("remove")), "ok");
  oracle().forget(id);
  EXPECT_EQ(get(copy->id)->labels.correlation_id, "patched");
  EXPECT_EQ(get(copy->id)->spec->payload, "p");
  EXPECT_EQ(get(copy->id)->redriven_from, id);
  audit();
}

TEST_P(Together, ADependentMeetsTheEndThatCameJustBefore) {
  const ClaimedJob good = running(Spec("good"));
  const JobId bad = make(Spec("bad"));
  Awaited<Calls> acked;
  Awaited<JobAnswer> cancelled;
  Awaited<SubmitAnswer> first, second;
  together(store(), [&] {
    store().work({call_of(CallKind::kAck, good)}, acked.done());
    store().submit(batch_of(Spec().after({good.job})), first.done());
    store().cancel({bad, false, ""}, cancelled.done());
    store().submit(batch_of(Spec().after({bad})), second.done());
  });
  EXPECT_EQ(code_in(acked), "ok");
  EXPECT_EQ(one(first)->facts.state, JobState::kScheduled);
  EXPECT_EQ(code_of(cancelled.get("cancel")), "ok");
  EXPECT_EQ(one(second)->facts.state, JobState::kCancelled);
  audit();
}

TEST_P(Together, AFanInMeetsTheChildrenThatCameJustBefore) {
  const ClaimedJob parent = running(Spec("parent"));
  WorkCall call = call_of(CallKind::kAck, parent);
  std::get<AckCall>(call.call).spawn = share({Spec("child"), Spec("child")});
  Awaited<Calls> acked;
  Awaited<SubmitAnswer> submitted;
  together(store(), [&] {
    store().work({call}, acked.done());
    store().submit(batch_of(Spec("waits").fan_in({parent.job})), submitted.done());
  });
  EXPECT_EQ(code_in(acked), "ok");
  const auto waits = one(submitted);
  ASSERT_EQ(code_of(waits), "ok");
  EXPECT_EQ(waits->facts.state, JobState::kPending);
  for (const ClaimedJob& child : claim({.max = 2, .types = {"child"}}))
    ASSERT_EQ(code_of(ack(child)), "ok");
  EXPECT_EQ(state_of(waits->id), "SCHEDULED");
}

TEST_P(Together, CreditsAreSpentOnce) {
  give("ann", 10);
  Awaited<SubmitAnswer> first, second, third;
  together(store(), [&] {
    store().submit(batch_of(Spec().account("ann").cost(6)), first.done());
    store().submit(batch_of(Spec().account("ann").cost(6)), second.done());
    store().submit(batch_of(Spec().account("ann").cost(4)), third.done());
  });
  EXPECT_EQ(code_of(one(first)), "ok");
  EXPECT_EQ(code_of(one(second)), "insufficient_credits");
  EXPECT_EQ(code_of(one(third)), "ok");
  audit();
}

TEST_P(Together, LimitsHoldBetweenCommands) {
  QueueUpdate update = update_of("default");
  update.max_running = 1;
  update.max_pending = 2;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  Awaited<SubmitAnswer> submits[4];
  Awaited<ClaimAnswer> claims[2];
  together(store(), [&] {
    for (int i = 0; i < 3; ++i)
      store().submit(batch_of(Spec()), submits[i].done());
    store().claim(claim_of(5), claims[0].done());
    store().claim(claim_of(5), claims[1].done());
    store().submit(batch_of(Spec()), submits[3].done());
  });
  EXPECT_EQ(code_of(one(submits[1])), "ok");
  EXPECT_EQ(code_of(one(submits[2])), "queue_full");
  EXPECT_EQ(claims[0].get("claim")->executions.size(), 1u);
  EXPECT_TRUE(claims[1].get("claim")->executions.empty());
  EXPECT_EQ(code_of(one(submits[3])), "ok") << "the claim made room";
  audit();
}

TEST_P(Together, APauseCountsFromItsPlace) {
  make_all(times(2, Spec()));
  QueueUpdate update = update_of("default");
  update.paused = true;
  Awaited<ClaimAnswer> before, after;
  Awaited<Queue> paused;
  together(store(), [&] {
    store().claim(claim_of(1), before.done());
    store().set_queue(update, paused.done());
    store().claim(claim_of(1), after.done());
  });
  EXPECT_EQ(before.get("claim")->executions.size(), 1u);
  EXPECT_TRUE(after.get("claim")->executions.empty());
  EXPECT_EQ(code_of(paused.get("set_queue")), "ok");
}

TEST_P(Together, AProfileChangesRightAfterTheLastRecordWent) {
  const JobId id = completed();
  QueueUpdate update = update_of("default");
  update.profile = "lease";
  Awaited<Queue> early, late;
  Awaited<Deleted> removed;
  Awaited<SubmitAnswer> submitted;
  together(store(), [&] {
    store().set_queue(update, early.done());
    store().remove({id}, removed.done());
    store().set_queue(update, late.done());
    store().submit(batch_of(Spec()), submitted.done());
  });
  EXPECT_EQ(code_of(early.get("set_queue")), "conflict");
  EXPECT_EQ(code_of(removed.get("remove")), "ok");
  EXPECT_EQ(code_of(late.get("set_queue")), "ok");
  EXPECT_EQ(one(submitted)->facts.terms->profile->name, update.profile);
  oracle().forget(id);
  audit();
}

TEST_P(Together, AQueueIsDeletedAndMadeAnewInOneTurn) {
  QueueUpdate update = update_of("default");
  update.paused = true;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId id = make();
  ASSERT_EQ(code_of(cancel(id)), "ok");
  Awaited<Deleted> early, removed, gone;
  Awaited<SubmitAnswer> submitted;
  Awaited<ClaimAnswer> claimed;
  together(store(), [&] {
    store().remove_queue("default", early.done());
    store().remove({id}, removed.done());
    store().remove_queue("default", gone.done());
    store().submit(batch_of(Spec()), submitted.done());
    store().claim(claim_of(1), claimed.done());
  });
  EXPECT_EQ(code_of(early.get("remove_queue")), "conflict");
  EXPECT_EQ(code_of(removed.get("remove")), "ok");
  EXPECT_EQ(code_of(gone.get("remove_queue")), "ok");
  EXPECT_EQ(code_of(one(submitted)), "ok");
  EXPECT_EQ(claimed.get("claim")->executions.size(), 1u) << "the new one is not paused";
  EXPECT_EQ(get_queue("default")->count(JobState::kRunning), 1);
  oracle().forget(id);
  audit();
}

TEST_P(Together, APruneAfterAnEndDeletesAtMostOnce) {
  QueueUpdate update = update_of("default");
  update.keep_completed = Duration{};
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId old = completed();
  const ClaimedJob fresh = running();
  Awaited<Calls> acked;
  Awaited<Pruned> first, second;
  Awaited<Deleted> removed;
  together(store(), [&] {
    store().work({call_of(CallKind::kAck, fresh)}, acked.done());
    store().prune({100}, first.done());
    store().prune({100}, second.done());
    store().remove({old}, removed.done());
  });
  EXPECT_EQ(code_in(acked), "ok");
  EXPECT_EQ(code_of(removed.get("remove")), "not_found") << "it was pruned";
  oracle().forget_all();
  const std::int64_t later = prune().deleted;
  EXPECT_EQ(first.get("prune")->deleted + second.get("prune")->deleted + later, 2);
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Together, ReadsAfterTheAnswersSeeAllOfIt) {
  Awaited<SubmitAnswer> submits[20];
  together(store(), [&] {
    for (Awaited<SubmitAnswer>& awaited : submits)
      store().submit(batch_of(Spec()), awaited.done());
  });
  std::vector<JobId> ids;
  for (Awaited<SubmitAnswer>& awaited : submits)
    ids.insert(ids.begin(), one(awaited)->id);
  EXPECT_EQ(list_ids({}), ids) << "numbered in the order of the calls";
}

}  // namespace
}  // namespace baton::store::conformance
