// Batches whose jobs name each other: chains, references forward and backward, depth, cycles.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using States = std::vector<std::string>;

std::string code_in(const Result<SubmitAnswer>& answer, std::size_t index) {
  if (!answer.ok()) return code_of(answer);
  if (answer->refused) return "refused";
  return index < answer->results.size() ? code_of(answer->results[index]) : "missing";
}

std::string refusal_of(const Result<SubmitAnswer>& answer) {
  if (!answer.ok() || !answer->refused) return "not refused";
  return std::to_string(answer->refused->index) + " " +
         std::string(name(answer->refused->error.code));
}

TEST_P(Batches, AChainRunsOneAfterTheOther) {
  const auto ids = make_all(times(4, Spec()), {.chain = true});
  EXPECT_EQ(states_of(ids), (States{"SCHEDULED", "PENDING", "PENDING", "PENDING"}));
  for (const JobId& id : ids) {
    const ClaimedJob claimed = claim_one();
    EXPECT_EQ(claimed.job, id);
    EXPECT_TRUE(claim().empty());
    ASSERT_EQ(code_of(ack(claimed)), "ok");
  }
  EXPECT_EQ(states_of(ids), States(4, "COMPLETED"));
}

TEST_P(Batches, AChainBreaksWhereAJobFails) {
  const auto ids = make_all({Spec("a"), Spec("b"), Spec("c"), Spec("d")}, {.chain = true});
  complete(ids[0]);
  fail(ids[1]);
  EXPECT_EQ(states_of(ids), (States{"COMPLETED", "FAILED", "FAILED", "FAILED"}));
}

TEST_P(Batches, AChainMayHaveFurtherDependencies) {
  const JobId other = make(Spec("other"));
  const auto ids = make_all({Spec("a"), Spec("b").after({other})}, {.chain = true});
  complete(ids[0]);
  EXPECT_EQ(state_of(ids[1]), "PENDING");
  complete(other);
  EXPECT_EQ(state_of(ids[1]), "SCHEDULED");
}

TEST_P(Batches, AJobMayNameAnEarlierOne) {
  const auto ids = make_all({Spec("a").ref("first"), Spec("b").after({"#first"})});
  EXPECT_EQ(states_of(ids), (States{"SCHEDULED", "PENDING"}));
  EXPECT_EQ(get(ids[1])->spec->depends_on[0].jobs[0], to_string(ids[0])) << "resolved to its id";
  complete(ids[0]);
  EXPECT_EQ(state_of(ids[1]), "SCHEDULED");
}

TEST_P(Batches, AJobMayNameALaterOne) {
  const auto ids = make_all({Spec("a").after({"#later"}), Spec("b").ref("later")});
  EXPECT_EQ(states_of(ids), (States{"PENDING", "SCHEDULED"}));
  complete(ids[1]);
  EXPECT_EQ(state_of(ids[0]), "SCHEDULED");
}

TEST_P(Batches, ReferencesAndIdsMix) {
  const JobId outside = make(Spec("outside"));
  const auto ids = make_all({Spec("a").ref("a"), Spec("b").after({"#a", outside})});
  complete(ids[0]);
  EXPECT_EQ(state_of(ids[1]), "PENDING");
  complete(outside);
  EXPECT_EQ(state_of(ids[1]), "SCHEDULED");
}

TEST_P(Batches, ReferencesWorkForEveryKind) {
  const auto ids = make_all({Spec("a").ref("a"), Spec("b").ref("b"),
                             Spec("any").after_any({"#a", "#b"}), Spec("in").fan_in({"#a", "#b"})});
  complete(ids[0]);
  EXPECT_EQ(states_of({ids[2], ids[3]}), (States{"SCHEDULED", "PENDING"}));
  complete(ids[1]);
  EXPECT_EQ(state_of(ids[3]), "SCHEDULED");
}

TEST_P(Batches, PrioritiesAreInheritedWithinABatchInAnyOrder) {
  const auto ids = make_all({Spec("a").after({"#b"}), Spec("b").ref("b").after({"#c"}),
                             Spec("c").ref("c").priority(Priority::kCritical)});
  EXPECT_EQ(facts_of(ids[0]).priority, Priority::kCritical);
  EXPECT_EQ(facts_of(ids[1]).priority, Priority::kCritical);
}

TEST_P(Batches, AnUnknownReferenceRefusesAnAtomicBatch) {
  const auto answer = submit_batch({Spec("a"), Spec("b").after({"#nobody"})});
  EXPECT_EQ(refusal_of(answer), "1 unknown_dependency");
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Batches, AnUnknownReferenceRefusesOneJobOfABatchThatIsNotAtomic) {
  const auto answer =
      submit_batch({Spec("a"), Spec("b").after({"#nobody"}), Spec("c")}, {.atomic = false});
  EXPECT_EQ(code_in(answer, 0), "ok");
  EXPECT_EQ(code_in(answer, 1), "unknown_dependency");
  EXPECT_EQ(code_in(answer, 2), "ok");
}

TEST_P(Batches, AJobThatNamesARefusedOneIsRefused) {
  const auto answer =
      submit_batch({Spec("a").ref("a").attempts(0), Spec("b").ref("b").after({"#a"}),
                    Spec("c").after({"#b"}), Spec("d")},
                   {.atomic = false});
  EXPECT_EQ(code_in(answer, 0), "invalid_job");
  EXPECT_EQ(code_in(answer, 1), "unknown_dependency");
  EXPECT_EQ(code_in(answer, 2), "unknown_dependency");
  EXPECT_EQ(code_in(answer, 3), "ok");
  EXPECT_EQ(list_ids({}).size(), 1u);
}

TEST_P(Batches, AJobThatNamesOneRefusedForItsAccountIsRefused) {
  const auto answer =
      submit_batch({Spec("a").ref("a").account("poor").cost(5), Spec("b").after({"#a"}), Spec("c")},
                   {.atomic = false});
  EXPECT_EQ(code_in(answer, 0), "insufficient_credits");
  EXPECT_EQ(code_in(answer, 1), "unknown_dependency");
  EXPECT_EQ(code_in(answer, 2), "ok");
}

TEST_P(Batches, ACycleRefusesAnAtomicBatch) {
  const auto answer = submit_batch(
      {Spec("free"), Spec("a").ref("a").after({"#b"}), Spec("b").ref("b").after({"#a"})});
  EXPECT_EQ(refusal_of(answer), "1 dependency_cycle");
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Batches, AJobThatWaitsForItselfIsACycle) {
  EXPECT_EQ(code_of(submit(Spec().ref("me").after({"#me"}))), "dependency_cycle");
}

TEST_P(Batches, ACycleRefusesItsOwnJobsAndThoseThatWaitForThem) {
  const auto answer =
      submit_batch({Spec("a").ref("a").after({"#c"}), Spec("b").ref("b").after({"#a"}),
                    Spec("c").ref("c").after({"#b"}), Spec("d").after({"#a"}), Spec("e").ref("e"),
                    Spec("f").after({"#e"})},
                   {.atomic = false});
  EXPECT_EQ(code_in(answer, 0), "dependency_cycle");
  EXPECT_EQ(code_in(answer, 1), "dependency_cycle");
  EXPECT_EQ(code_in(answer, 2), "dependency_cycle");
  EXPECT_EQ(code_in(answer, 3), "unknown_dependency");
  EXPECT_EQ(code_in(answer, 4), "ok");
  EXPECT_EQ(code_in(answer, 5), "ok");
}

TEST_P(Batches, AChainWithAReferenceBackIsACycle) {
  const auto answer = submit_batch({Spec("a").after({"#b"}), Spec("b").ref("b")}, {.chain = true});
  EXPECT_EQ(refusal_of(answer), "0 dependency_cycle");
}

TEST_P(Batches, AChainOf100IsDeepEnough) {
  const auto ids = make_all(times(100, Spec()), {.chain = true});
  EXPECT_EQ(state_of(ids.front()), "SCHEDULED");
  EXPECT_EQ(state_of(ids.back()), "PENDING");
}

TEST_P(Batches, AChainOf101IsTooDeep) {
  const auto answer = submit_batch(times(101, Spec()), {.chain = true});
  EXPECT_EQ(refusal_of(answer), "100 dependency_too_deep");
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Batches, AChainThatIsNotAtomicIsCutWhereItGetsTooDeep) {
  const auto answer = submit_batch(times(103, Spec()), {.atomic = false, .chain = true});
  EXPECT_EQ(code_in(answer, 99), "ok");
  EXPECT_EQ(code_in(answer, 100), "dependency_too_deep");
  EXPECT_EQ(code_in(answer, 101), "unknown_dependency");
  EXPECT_EQ(code_in(answer, 102), "unknown_dependency");
}

TEST_P(Batches, DepthCountsJobsThatWereThereBefore) {
  const auto ids = make_all(times(60, Spec()), {.chain = true});
  std::vector<Spec> more = times(40, Spec());
  more.front().after({ids.back()});
  EXPECT_EQ(make_all(more, {.chain = true}).size(), 40u);
  std::vector<Spec> too_many = times(41, Spec());
  too_many.front().after({ids.back()});
  EXPECT_EQ(refusal_of(submit_batch(too_many, {.chain = true})), "40 dependency_too_deep");
}

TEST_P(Batches, DepthCountsOnlyUnfinishedJobs) {
  const auto ids = make_all(times(100, Spec()), {.chain = true});
  EXPECT_EQ(code_of(submit(Spec("tail").after({ids.back()}))), "dependency_too_deep");
  complete(ids.front());
  EXPECT_EQ(code_of(submit(Spec("tail").after({ids.back()}))), "ok");
  EXPECT_EQ(code_of(submit(Spec("tail").after({ids[98]}))), "ok");
}

TEST_P(Batches, DepthShrinksAsAChainIsWorkedOff) {
  const auto ids = make_all(times(60, Spec()), {.chain = true});
  for (std::size_t i = 0; i < 50; ++i)
    complete(ids[i]);
  std::vector<Spec> more = times(60, Spec("more"));
  more.front().after({ids.back()});
  EXPECT_EQ(refusal_of(submit_batch(more, {.chain = true})), "not refused")
      << "ten are left, so the longest way has seventy jobs";
}

TEST_P(Batches, DepthIsOfTheLongestWay) {
  const auto ids = make_all(times(100, Spec()), {.chain = true});
  const JobId shallow = make(Spec("shallow"));
  EXPECT_EQ(code_of(submit(Spec("tail").after({shallow, ids.back()}))), "dependency_too_deep");
  EXPECT_EQ(code_of(submit(Spec("tail").after({shallow, ids[98]}))), "ok");
}

TEST_P(Batches, ADeepChainEndsInOneStep) {
  const auto ids = make_all(times(100, Spec()), {.chain = true});
  ASSERT_EQ(code_of(cancel(ids.front())), "ok");
  EXPECT_EQ(states_of(ids), States(100, "CANCELLED"));
}

TEST_P(Batches, AReferenceToADuplicateNamesTheExistingJob) {
  const JobId existing = make(Spec("a").key("k"));
  const auto ids = make_all({Spec("a").key("k").ref("a"), Spec("b").after({"#a"})});
  EXPECT_EQ(ids[0], existing);
  EXPECT_EQ(state_of(ids[1]), "PENDING");
  complete(existing);
  EXPECT_EQ(state_of(ids[1]), "SCHEDULED");
}

TEST_P(Batches, AChainGoesOnFromADuplicate) {
  const JobId existing = completed(Spec("a").key("k"));
  const auto ids = make_all({Spec("a").key("k"), Spec("b"), Spec("c")}, {.chain = true});
  EXPECT_EQ(ids[0], existing);
  EXPECT_EQ(states_of({ids[1], ids[2]}), (States{"SCHEDULED", "PENDING"}));
}

// Regression: a duplicate was taken to stand where its own dependencies would have put it.
TEST_P(Batches, BehindADuplicateDepthIsThatOfTheExistingJob) {
  const auto ids = make_all(times(99, Spec()), {.chain = true});
  const JobId shallow = make(Spec("shallow").key("k"));
  const auto fits = make_all(
      {Spec("shallow").key("k").ref("again").after({ids.back()}), Spec("tail").after({"#again"})});
  ASSERT_EQ(fits.size(), 2u);
  EXPECT_EQ(fits[0], shallow);
  make(Spec("deep").key("k").after({ids.back()}));
  const std::vector<Spec> over = {Spec("deep").key("k").ref("again"),
                                  Spec("tail").after({"#again"})};
  EXPECT_EQ(refusal_of(submit_batch(over)), "1 dependency_too_deep");
  complete(ids.front());
  EXPECT_EQ(refusal_of(submit_batch(over)), "not refused") << "the existing job stands less deep";
}

TEST_P(Batches, BehindADuplicateOfTheSameBatchDepthIsThatOfTheJobThatIsMade) {
  const auto ids = make_all(times(99, Spec()), {.chain = true});
  const JobNames deep = {ids.back()};
  const std::vector<Spec> fits = {Spec("a").key("k"), Spec("a").key("k").ref("again").after(deep),
                                  Spec("tail").after({"#again"})};
  EXPECT_EQ(refusal_of(submit_batch(fits)), "not refused");
  const std::vector<Spec> over = {Spec("b").key("k").after(deep), Spec("b").key("k").ref("again"),
                                  Spec("tail").after({"#again"})};
  EXPECT_EQ(refusal_of(submit_batch(over)), "2 dependency_too_deep");
}

TEST_P(Batches, AChainMayGetLongerBehindDuplicatesThatHaveEnded) {
  completed(Spec("first").key("k"));
  std::vector<Spec> chain = times(101, Spec());
  chain.front() = Spec("first").key("k");
  EXPECT_EQ(make_all(chain, {.chain = true}).size(), 101u);
}

// Regression: the children of a duplicate were not looked at, so that a job that ends at its
// creation was counted as waiting.
TEST_P(Batches, AFanInOverADuplicateLooksAtItsChildren) {
  const ClaimedJob parent = running(Spec("parent").key("k"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child")})), "ok");
  fail(get(parent.job)->children[0]);
  QueueUpdate update = update_of("narrow");
  update.max_pending = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const auto ids =
      make_all({Spec("parent").key("k").ref("p"), Spec("in").queue("narrow").fan_in({"#p"}),
                Spec("next").queue("narrow")});
  EXPECT_EQ(states_of(ids), (States{"COMPLETED", "FAILED", "SCHEDULED"}));
}

TEST_P(Batches, ABadEndingAtCreationTravelsThroughTheBatch) {
  const JobId bad = failed(Spec("bad"));
  const auto ids = make_all({Spec("a").ref("a").after({bad}), Spec("b").ref("b").after({"#a"}),
                             Spec("c").after({"#b"}), Spec("d").after_any({"#a"})});
  EXPECT_EQ(states_of(ids), (States{"FAILED", "FAILED", "FAILED", "SCHEDULED"}));
}

TEST_P(Batches, AnAtomicBatchNamesTheLowestIndexWhateverTheOrderOfDependencies) {
  const auto answer = submit_batch({Spec("a").after({"#c"}).account("poor").cost(1), Spec("b"),
                                    Spec("c").ref("c").account("poor").cost(1)});
  EXPECT_EQ(refusal_of(answer), "0 unknown_dependency");
}

TEST_P(Batches, OneKeyTwiceInABatchMakesOneJob) {
  const auto answer = submit_batch({Spec("a").key("k"), Spec("a").key("k").payload("other")});
  ASSERT_EQ(code_of(answer), "ok");
  ASSERT_EQ(answer->results.size(), 2u);
  ASSERT_EQ(code_in(answer, 0), "ok");
  ASSERT_EQ(code_in(answer, 1), "ok");
  EXPECT_FALSE(answer->results[0]->duplicate);
  EXPECT_TRUE(answer->results[1]->duplicate);
  EXPECT_EQ(answer->results[0]->id, answer->results[1]->id);
  EXPECT_EQ(list_ids({}).size(), 1u);
}

TEST_P(Batches, ADuplicateCountsAsMadeInAnAtomicBatch) {
  const JobId existing = make(Spec("a").key("k"));
  const auto ids = make_all({Spec("a").key("k"), Spec("b")});
  EXPECT_EQ(ids[0], existing);
  EXPECT_EQ(list_ids({}).size(), 2u);
}

TEST_P(Batches, AnAtomicBatchThatIsRefusedTakesNoKey) {
  EXPECT_EQ(refusal_of(submit_batch({Spec("a").key("k"), Spec("")})), "1 invalid_job");
  const auto again = submit(Spec("a").key("k"));
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_FALSE(again->duplicate);
}

TEST_P(Batches, AReferenceIsGivenOnce) {
  EXPECT_EQ(refusal_of(submit_batch({Spec("a").ref("x"), Spec("b").ref("x")})), "1 invalid_job");
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Batches, AChainIsKeptAsPlainDependencies) {
  const auto ids = make_all({Spec("a"), Spec("b")}, {.chain = true});
  const auto kept = get(ids[1])->spec->depends_on;
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(kept[0] == (Dependency{DependencyType::kAfter, {to_string(ids[0])}, false}));
}

TEST_P(Batches, AReferenceIsForTheBatchOnly) {
  const auto ids = make_all({Spec("a").ref("a"), Spec("b").after({"#a"})});
  EXPECT_EQ(get(ids[0])->spec->ref, "");
  EXPECT_EQ(get(ids[1])->spec->depends_on.at(0).jobs, std::vector<std::string>{to_string(ids[0])});
}

// Every job of a level waits for both of the level before: walking each way once would never end.
TEST_P(Batches, DepthIsCountedOnceForEachJob) {
  std::vector<JobId> level = {make(Spec("first")), make(Spec("first"))};
  const std::vector<JobId> first = level;
  for (int i = 1; i < 100; ++i)
    level = make_all(times(2, Spec("next").after(names_of(level))));
  EXPECT_EQ(code_of(submit(Spec("last").after(names_of(level)))), "dependency_too_deep");
  for (const JobId& id : first)
    complete(id);
  EXPECT_EQ(code_of(submit(Spec("last").after(names_of(level)))), "ok");
}

TEST_P(Batches, BesideADeepJobAnEndedOneCountsForNothing) {
  const JobId ended = completed(Spec("ended"));
  const auto chain = make_all(times(100, Spec("link")), {.chain = true});
  complete(chain[0]);
  EXPECT_EQ(code_of(submit(Spec("last").after({chain[99], ended}))), "ok");
}

TEST_P(Batches, PrioritiesAreInheritedThroughDuplicates) {
  const JobId existing = make(Spec("a").key("k").priority(Priority::kHigh));
  const auto behind_existing = make_all({Spec("a").key("k").ref("a").priority(Priority::kBulk),
                                         Spec("b").after({"#a"}).priority(Priority::kBulk)});
  EXPECT_EQ(behind_existing[0], existing);
  EXPECT_EQ(facts_of(behind_existing[1]).priority, Priority::kHigh);
  const auto behind_same = make_all({Spec("c").key("k").priority(Priority::kCritical),
                                     Spec("c").key("k").ref("c").priority(Priority::kBulk),
                                     Spec("d").after({"#c"}).priority(Priority::kLow)});
  EXPECT_EQ(behind_same[0], behind_same[1]);
  EXPECT_EQ(facts_of(behind_same[2]).priority, Priority::kCritical);
}

TEST_P(Batches, OneKeyTwiceInABatchCostsOnce) {
  give("ann", 8);
  const Spec spec = Spec("a").key("k").account("ann").cost(8);
  const auto ids = make_all({spec, spec});
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(account("ann").balance.reserved, 8);
}

TEST_P(Batches, AJobThatEndsAtItsCreationAnswersForItsKeyIfItsProfileSaysSo) {
  const JobId bad = failed(Spec("bad"));
  const auto kept = make_all({Spec("a").key("k").after({bad}), Spec("a").key("k")});
  EXPECT_EQ(kept[0], kept[1]);
  const std::string queue = use_profile("generation");
  const auto freed =
      make_all({Spec("b").queue(queue).key("k").after({bad}), Spec("b").queue(queue).key("k")});
  EXPECT_EQ(states_of(freed), (States{"DEAD_LETTER", "SCHEDULED"}));
}

}  // namespace
}  // namespace baton::store::conformance
