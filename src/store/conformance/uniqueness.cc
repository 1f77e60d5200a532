// Unique keys: at most one job of a type holds one, for as long as it is active or waits, and what
// another submission with the key gets.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using States = std::vector<std::string>;

constexpr OnConflict kReplace = OnConflict::kReplace;
constexpr OnConflict kRefuse = OnConflict::kRefuse;

#define EXPECT_HELD_BY(holder, spec)                       \
  do {                                                     \
    const JobId existing = holder;                         \
    const auto again = submit(spec);                       \
    ASSERT_EQ(code_of(again), "ok");                       \
    EXPECT_TRUE(again->duplicate) << "a new job was made"; \
    EXPECT_EQ(again->id, existing);                        \
  } while (false)

#define EXPECT_FREE(spec)                                      \
  do {                                                         \
    const auto fresh = submit(spec);                           \
    ASSERT_EQ(code_of(fresh), "ok");                           \
    EXPECT_FALSE(fresh->duplicate) << "an older job answered"; \
  } while (false)

Spec unique(OnConflict on_conflict = OnConflict::kExisting) {
  return Spec().unique("u", on_conflict);
}

// ---- For how long a key is held -----------------------------------------------------------------

TEST_P(Uniqueness, AnActiveJobHoldsItsKeyFromCreationToItsEnd) {
  const JobId id = make(unique().constant(seconds(1)));
  EXPECT_HELD_BY(id, unique());
  const ClaimedJob first = claim_job(id);
  EXPECT_HELD_BY(id, unique());
  ASSERT_EQ(code_of(nack(first)), "ok");
  EXPECT_HELD_BY(id, unique());
  advance(seconds(1));
  const ClaimedJob second = claim_job(id);
  ASSERT_EQ(code_of(start(second)), "ok");
  ASSERT_EQ(code_of(commit(second)), "ok");
  EXPECT_HELD_BY(id, unique());
  ASSERT_EQ(code_of(done(second)), "ok");
  EXPECT_FREE(unique());
}

TEST_P(Uniqueness, EveryEndGivesTheKeyBack) {
  completed(unique());
  failed(unique());
  dead_lettered(unique());
  cancelled(unique());
  const JobId mortal = make(unique().lifetime(seconds(5)));
  advance(seconds(5));
  EXPECT_EQ(state_of(mortal), "DEAD_LETTER");
  const JobId forced = running(unique()).job;
  ASSERT_EQ(code_of(cancel(forced, true)), "ok");
  const std::string generation = use_profile("generation");
  const JobId rejected = make(unique().queue(generation));
  ASSERT_EQ(code_of(reject_job(rejected)), "ok");
  const JobId other = cancelled(Spec("other"));
  EXPECT_EQ(state_of(make(unique().after({other}))), "CANCELLED");
  EXPECT_FREE(unique());
}

TEST_P(Uniqueness, AKeyIsFreeAtTheMomentItsHolderIsDue) {
  make(unique().lifetime(seconds(5)));
  pass(seconds(5));
  EXPECT_FREE(unique());
}

TEST_P(Uniqueness, AWaitingJobHoldsItsKeyUntilItsFirstClaim) {
  const JobId id = make(Spec().unique_waiting("u").constant(seconds(1)));
  EXPECT_HELD_BY(id, unique());
  const ClaimedJob claimed = claim_job(id);
  const JobId next = make(Spec().unique_waiting("u").delay(hours(1)));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  // A retry does not take it back.
  EXPECT_HELD_BY(next, unique());
  ASSERT_EQ(code_of(cancel(next)), "ok");
  EXPECT_FREE(unique().delay(hours(1)));
}

TEST_P(Uniqueness, AReleasedJobThatOnlyWaitedDoesNotTakeItsKeyBack) {
  const ClaimedJob claimed = running(Spec().unique_waiting("u"));
  ASSERT_EQ(code_of(release(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
  EXPECT_FREE(unique());
}

TEST_P(Uniqueness, ADraftHoldsItsKey) {
  const std::string document = use_profile("document");
  const JobId draft = make(unique().queue(document).draft());
  EXPECT_HELD_BY(draft, unique());
  ASSERT_EQ(code_of(submit_draft(draft)), "ok");
  EXPECT_HELD_BY(draft, unique());
}

TEST_P(Uniqueness, AKeyBelongsToATypeAndHoldsAcrossQueues) {
  const JobId id = make(Spec("a").unique("u").queue("one"));
  EXPECT_HELD_BY(id, Spec("a").unique("u").queue("two"));
  EXPECT_FREE(Spec("b").unique("u"));
  EXPECT_FREE(Spec("a").unique("U"));
  // Idempotency keys are others.
  EXPECT_FREE(Spec("a").key("u"));
}

TEST_P(Uniqueness, AnIdempotencyKeyIsLookedUpFirst) {
  const JobId ended = completed(Spec().key("k"));
  const JobId holder = make(unique());
  EXPECT_HELD_BY(ended, unique(kRefuse).key("k"));
  EXPECT_HELD_BY(ended, unique(kReplace).key("k"));
  EXPECT_HELD_BY(holder, unique().key("l"));
  // A submission that made no job keeps no key.
  ASSERT_EQ(code_of(cancel(holder)), "ok");
  EXPECT_FREE(unique().key("l"));
}

// ---- What another submission gets ---------------------------------------------------------------

TEST_P(Uniqueness, ADuplicateSaysWhetherItsPayloadDiffers) {
  make(unique().payload("1"));
  EXPECT_EQ(submit(unique().payload("1"))->payload_differs, std::optional(false));
  restart_if_possible();
  EXPECT_EQ(submit(unique().payload("1"))->payload_differs, std::optional(false));
  EXPECT_EQ(submit(unique().payload("2"))->payload_differs, std::optional(true));
}

TEST_P(Uniqueness, RefuseNamesTheHolder) {
  const JobId id = make(unique());
  const auto refused = submit(unique(kRefuse));
  ASSERT_EQ(code_of(refused), "conflict");
  EXPECT_EQ(refused.error().field, "unique.key");
  EXPECT_NE(refused.error().message.find(to_string(id)), std::string::npos);
  EXPECT_EQ(list_ids({}), std::vector<JobId>{id});
}

TEST_P(Uniqueness, ReplaceCancelsTheHolderAndTakesItsKey) {
  const JobId first = make(unique());
  const JobId waits = make(Spec("waits").after({first}));
  const auto second = submit(unique(kReplace).payload("new"));
  ASSERT_EQ(code_of(second), "ok");
  EXPECT_FALSE(second->duplicate);
  run_timers();
  EXPECT_EQ(states_of({first, waits, second->id}), (States{"CANCELLED", "CANCELLED", "SCHEDULED"}));
  EXPECT_EQ(get(first)->last_failure->message, "replaced by " + to_string(second->id));
  EXPECT_HELD_BY(second->id, unique());
}

TEST_P(Uniqueness, WhateverWaitsCanBeReplaced) {
  const std::string document = use_profile("document");
  const JobId endless = make(Spec("endless"));
  const ClaimedJob retrying = running(unique().constant(hours(1)));
  ASSERT_EQ(code_of(nack(retrying)), "ok");
  const JobId pending = make(unique(kReplace).after({endless}));
  const JobId delayed = make(unique(kReplace).delay(hours(1)));
  const JobId draft = make(unique(kReplace).queue(document).draft());
  const JobId last = make(unique(kReplace));
  EXPECT_EQ(states_of({retrying.job, pending, delayed, draft, last}),
            (States{"CANCELLED", "CANCELLED", "CANCELLED", "CANCELLED", "SCHEDULED"}));
}

TEST_P(Uniqueness, ARunningHolderIsNotReplaced) {
  const ClaimedJob claimed = running(unique());
  for (int i = 0; i < 2; ++i) {
    const auto refused = submit(unique(kReplace));
    ASSERT_EQ(code_of(refused), "conflict");
    EXPECT_EQ(refused.error().field, "unique.key");
    EXPECT_NE(refused.error().message.find(to_string(claimed.job)), std::string::npos);
    // A cancel that its worker has not confirmed ends nothing.
    ASSERT_EQ(code_of(cancel(claimed.job)), "ok");
  }
  ASSERT_EQ(code_of(confirm_cancel(claimed)), "ok");
  EXPECT_FREE(unique(kReplace));
}

TEST_P(Uniqueness, AHolderWhoseLeaseIsOverIsReplaced) {
  const ClaimedJob claimed = running(unique().lease(seconds(5)));
  pass(seconds(5));
  EXPECT_FREE(unique(kReplace));
  EXPECT_EQ(state_of(claimed.job), "CANCELLED");
}

TEST_P(Uniqueness, ARefusedReplacementChangesNothing) {
  const JobId id = make(unique());
  give("poor", 1);
  QueueUpdate update = update_of("closed");
  update.draining = true;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(code_of(submit(unique(kReplace).attempts(0))), "invalid_job");
  EXPECT_EQ(code_of(submit(unique(kReplace).queue("closed"))), "conflict");
  EXPECT_EQ(code_of(submit(unique(kReplace).account("poor").cost(2))), "insufficient_credits");
  EXPECT_EQ(code_of(submit(unique(kReplace).after({"#nobody"}))), "unknown_dependency");
  EXPECT_EQ(state_of(id), "SCHEDULED");
  EXPECT_HELD_BY(id, unique());
}

TEST_P(Uniqueness, WhatTheReplacedHolderHadIsFreeForTheNewOne) {
  QueueUpdate update = update_of("small");
  update.max_pending = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  give("ann", 10);
  const JobId first = make(unique().queue("small").account("ann").cost(10));
  EXPECT_EQ(code_of(submit(Spec().queue("small"))), "queue_full");
  const JobId second = make(unique(kReplace).queue("small").account("ann").cost(10));
  EXPECT_EQ(states_of({first, second}), (States{"CANCELLED", "SCHEDULED"}));
  EXPECT_EQ(account("ann").balance.reserved, 10);
  // One that needs more is refused, and the holder keeps what it has.
  EXPECT_EQ(code_of(submit(unique(kReplace).queue("small").account("ann").cost(11))),
            "insufficient_credits");
  EXPECT_EQ(account("ann").balance.reserved, 10);
  EXPECT_EQ(code_of(submit(Spec().queue("small"))), "queue_full");
}

TEST_P(Uniqueness, APlaceInTheQuotaIsFreeForTheNewOne) {
  const std::string generation = use_profile("generation");
  const auto job = [&](const std::string& key, OnConflict on_conflict) {
    return Spec().queue(generation).no_key().account("guest").unique(key, on_conflict);
  };
  for (int i = 0; i < 4; ++i)
    make(job("u" + std::to_string(i), kRefuse));
  advance(hours(1));
  const JobId last = make(job("last", kRefuse));
  EXPECT_EQ(code_of(submit(job("more", kReplace))), "quota_exceeded");
  const JobId replacing = make(job("last", kReplace));
  EXPECT_EQ(states_of({last, replacing}), (States{"CANCELLED", "SCHEDULED"}));
  EXPECT_EQ(code_of(submit(job("more", kReplace))), "quota_exceeded");
}

TEST_P(Uniqueness, AJobThatDependsOnTheOneItReplacesEndsWithIt) {
  const JobId first = make(unique());
  const JobId second = make(unique(kReplace).after({first}));
  EXPECT_EQ(states_of({first, second}), (States{"CANCELLED", "CANCELLED"}));
  EXPECT_FREE(unique());
  const JobId third = make(Spec().unique("v"));
  EXPECT_EQ(state_of(make(Spec().unique("v", kReplace).after_any({third}))), "SCHEDULED");
}

// ---- Batches and children -----------------------------------------------------------------------

TEST_P(Uniqueness, EarlierJobsOfABatchCount) {
  const auto batch = submit_batch({unique(), unique(), Spec(), unique(kRefuse)}, {.atomic = false});
  ASSERT_EQ(code_of(batch), "ok");
  EXPECT_FALSE(batch->results[0]->duplicate);
  EXPECT_TRUE(batch->results[1]->duplicate);
  EXPECT_EQ(batch->results[1]->id, batch->results[0]->id);
  ASSERT_EQ(code_of(batch->results[3]), "conflict");
  EXPECT_EQ(batch->results[3].error().field, "unique.key");
}

TEST_P(Uniqueness, ALaterJobOfABatchReplacesAnEarlierOne) {
  const JobId before = make(unique());
  const auto batch = submit_batch({unique(kReplace).ref("a"), unique(kReplace), unique(),
                                   Spec("late").after({"#a"}), Spec("early").after({before})});
  ASSERT_EQ(code_of(batch), "ok");
  ASSERT_FALSE(batch->refused);
  std::vector<JobId> ids;
  for (const auto& result : batch->results)
    ids.push_back(result->id);
  EXPECT_EQ(state_of(before), "CANCELLED");
  EXPECT_EQ(states_of(ids),
            (States{"CANCELLED", "SCHEDULED", "SCHEDULED", "CANCELLED", "CANCELLED"}));
  EXPECT_EQ(get(before)->last_failure->message, "replaced by " + to_string(ids[0]));
  EXPECT_EQ(get(ids[0])->last_failure->message, "replaced by " + to_string(ids[1]));
  EXPECT_TRUE(batch->results[2]->duplicate);
  EXPECT_EQ(ids[2], ids[1]);
  // The answer shows what became of it in the same step.
  EXPECT_EQ(batch->results[0]->facts.state, JobState::kCancelled);
}

TEST_P(Uniqueness, WhoWaitsForAJobThatTheBatchReplacesLaterFollowsIt) {
  // Dependents follow after the answer: the harness would compare it with what came then.
  SubmitBatch jobs;
  jobs.jobs = share({unique().ref("a"), Spec("waits").after({"#a"}).ref("b"),
                     unique(kReplace).after_any({"#b"})});
  const auto batch = await<SubmitAnswer>(
      "submit", [&](auto done) { store().submit(std::move(jobs), std::move(done)); });
  ASSERT_EQ(code_of(batch), "ok");
  ASSERT_FALSE(batch->refused);
  run_timers();
  EXPECT_EQ(states_of({batch->results[0]->id, batch->results[1]->id, batch->results[2]->id}),
            (States{"CANCELLED", "CANCELLED", "SCHEDULED"}));
}

TEST_P(Uniqueness, ARefusedBatchReplacesNobody) {
  const JobId id = make(unique());
  const auto batch = submit_batch({unique(kReplace), Spec().attempts(0)});
  ASSERT_EQ(code_of(batch), "ok");
  ASSERT_TRUE(batch->refused);
  EXPECT_EQ(state_of(id), "SCHEDULED");
  EXPECT_HELD_BY(id, unique());
}

TEST_P(Uniqueness, AReplacedJobOfABatchGivesItsPlaceToTheNext) {
  QueueUpdate update = update_of("small");
  update.max_pending = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const Spec job = unique(kReplace).queue("small");
  const auto ids = make_all({job, job, job});
  EXPECT_EQ(states_of(ids), (States{"CANCELLED", "CANCELLED", "SCHEDULED"}));
}

TEST_P(Uniqueness, AReplacedJobGivesItsIdempotencyKeyBackWhereItsProfileSaysSo) {
  const std::string generation = use_profile("generation");
  make(unique().queue(generation).key("k"));
  const auto batch = submit_batch(
      {unique(kReplace).queue(generation).no_key(), Spec().queue(generation).key("k")});
  ASSERT_EQ(code_of(batch), "ok");
  ASSERT_FALSE(batch->refused);
  EXPECT_FALSE(batch->results[1]->duplicate);
  const JobId kept = make(Spec().unique("v").key("l"));
  const auto standard = submit_batch({Spec().unique("v", kReplace), Spec().key("l")});
  ASSERT_EQ(code_of(standard), "ok");
  EXPECT_TRUE(standard->results[1]->duplicate);
  EXPECT_EQ(standard->results[1]->id, kept);
}

TEST_P(Uniqueness, AChildThatMeetsAnExistingHolderIsNotMade) {
  const JobId holder = make(Spec("child").unique("u").delay(hours(1)));
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child").unique("u"), Spec("child")})),
            "ok");
  const auto children = get(parent.job)->children;
  ASSERT_EQ(children.size(), 1u);
  EXPECT_NE(children[0], holder);
}

TEST_P(Uniqueness, AChildThatIsRefusedRefusesTheCommit) {
  make(Spec("child").unique("u").delay(hours(1)));
  const ClaimedJob parent = running(Spec("parent"));
  const auto refused = ack(parent, std::vector<Spec>{Spec("child").unique("u", kRefuse)});
  ASSERT_EQ(code_of(refused), "conflict");
  EXPECT_EQ(refused.error().field, "spawn[0].unique.key");
  EXPECT_EQ(state_of(parent.job), "RUNNING");
  EXPECT_EQ(code_of(ack(parent)), "ok");
}

TEST_P(Uniqueness, AChildReplacesAHolder) {
  const JobId holder = make(Spec("child").unique("u").delay(hours(1)));
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child").unique("u", kReplace)})), "ok");
  EXPECT_EQ(state_of(holder), "CANCELLED");
  EXPECT_EQ(get(parent.job)->children.size(), 1u);
}

TEST_P(Uniqueness, AParentHoldsItsKeyWhileItsChildrenAreMade) {
  const ClaimedJob parent = running(unique());
  EXPECT_EQ(code_of(ack(parent, std::vector<Spec>{unique(kReplace)})), "conflict");
  EXPECT_EQ(code_of(ack(parent, std::vector<Spec>{unique()})), "ok");
  EXPECT_TRUE(get(parent.job)->children.empty());
}

// ---- Redrives -----------------------------------------------------------------------------------

TEST_P(Uniqueness, ACopyOfAnEndedJobKeepsItsKey) {
  const JobId ended = failed(unique());
  const auto copy = redrive(ended);
  ASSERT_EQ(code_of(copy), "ok");
  EXPECT_HELD_BY(copy->id, unique());
}

TEST_P(Uniqueness, ACopyThatMeetsAnotherHolderIsRefusedWhateverItAsksFor) {
  for (const OnConflict on_conflict : {OnConflict::kExisting, kReplace, kRefuse}) {
    const JobId ended = failed(unique(on_conflict));
    const JobId holder = make(unique());
    const auto refused = redrive(ended);
    ASSERT_EQ(code_of(refused), "conflict");
    EXPECT_EQ(refused.error().field, "unique.key");
    EXPECT_NE(refused.error().message.find(to_string(holder)), std::string::npos);
    ASSERT_EQ(code_of(cancel(holder)), "ok");
  }
}

// ---- After a restart ----------------------------------------------------------------------------

TEST_P(Recovery, UniqueKeysAreHeldByThoseWhoHeldThem) {
  const JobId waits = make(Spec("a").unique("u").delay(hours(1)));
  const ClaimedJob runs = running(Spec("b").unique("u"));
  const ClaimedJob claimed = running(Spec("c").unique_waiting("u"));
  const JobId unclaimed = make(Spec("d").unique_waiting("u").delay(hours(1)));
  completed(Spec("e").unique("u"));
  restart();
  EXPECT_HELD_BY(waits, Spec("a").unique("u"));
  EXPECT_HELD_BY(runs.job, Spec("b").unique("u"));
  EXPECT_FREE(Spec("c").unique("u"));
  EXPECT_HELD_BY(unclaimed, Spec("d").unique("u"));
  EXPECT_FREE(Spec("e").unique("u"));
  ASSERT_EQ(code_of(ack(runs)), "ok");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  restart();
  EXPECT_FREE(Spec("b").unique("u"));
  audit(true);
}

TEST_P(Recovery, AReplacementIsWhole) {
  const JobId first = make(unique());
  const JobId second = make(unique(kReplace));
  restart();
  EXPECT_EQ(states_of({first, second}), (States{"CANCELLED", "SCHEDULED"}));
  EXPECT_HELD_BY(second, unique());
}

}  // namespace
}  // namespace baton::store::conformance
