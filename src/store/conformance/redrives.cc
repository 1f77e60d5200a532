// Redrive: a new job from one that ended badly, once, and what becomes of its dependencies.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using Specs = std::vector<Spec>;

TEST_P(Redrives, RedriveCopiesWhatTheJobWas) {
  const JobId old = failed(Spec("mail")
                               .queue("post")
                               .payload("body")
                               .priority(Priority::kLow)
                               .attempts(5)
                               .lease(seconds(7))
                               .tag("t", "1")
                               .correlation("c")
                               .key("only once")
                               .timeout_is(FailureIs::kTerminal));
  const auto answer = redrive(old);
  ASSERT_EQ(code_of(answer), "ok");
  EXPECT_NE(answer->id, old);
  const auto copy = get(answer->id);
  EXPECT_EQ(copy->redriven_from, old);
  EXPECT_EQ(copy->spec->type, "mail");
  EXPECT_EQ(copy->spec->queue, "post");
  EXPECT_EQ(copy->spec->payload, "body");
  EXPECT_EQ(copy->facts.priority, Priority::kLow);
  EXPECT_TRUE(*copy->facts.terms == *get(old)->facts.terms);
  EXPECT_EQ(copy->labels, get(old)->labels);
  EXPECT_EQ(copy->facts.attempt, 0);
  EXPECT_EQ(copy->facts.retry_count, 0);
  EXPECT_TRUE(copy->executions.empty());
  EXPECT_FALSE(copy->last_failure);
  EXPECT_EQ(state_of(answer->id), "SCHEDULED");
  EXPECT_EQ(state_of(old), "FAILED") << "terminal stays final";
}

TEST_P(Redrives, RedriveLeavesKeyAndDelayBehind) {
  const JobId old = make(Spec("second").delay(minutes(1)).key("k"));
  ASSERT_EQ(code_of(cancel(old)), "ok");
  const JobId copy = redriven(old);
  EXPECT_EQ(state_of(copy), "SCHEDULED");
  EXPECT_FALSE(get(copy)->spec->idempotency_key);
  const auto again = submit(Spec("second").key("k"));
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_TRUE(again->duplicate) << "the key stays with the job that brought it";
  EXPECT_EQ(again->id, old);
}

TEST_P(Redrives, OnlyABadEndingIsRedriven) {
  EXPECT_EQ(code_of(redrive(make(Spec("waiting")))), "invalid_transition");
  EXPECT_EQ(code_of(redrive(make(Spec("delayed").delay(hours(1))))), "invalid_transition");
  EXPECT_EQ(code_of(redrive(running(Spec("running")).job)), "invalid_transition");
  EXPECT_EQ(code_of(redrive(completed(Spec("completed")))), "invalid_transition");
  EXPECT_EQ(code_of(redrive(failed(Spec("failed")))), "ok");
  EXPECT_EQ(code_of(redrive(dead_lettered(Spec("dead")))), "ok");
  EXPECT_EQ(code_of(redrive(cancelled(Spec("cancelled")))), "ok");
}

TEST_P(Redrives, AJobIsRedrivenOnceUnlessItIsToBeAgain) {
  const JobId old = failed();
  const lifecycle::JobFacts before = facts_of(old);
  const JobId first = redriven(old);
  EXPECT_EQ(get(old)->redriven_to, first);
  EXPECT_EQ(facts_of(old).version, before.version + 1);
  EXPECT_EQ(facts_of(old).updated_at, before.updated_at) << "its state did not change";
  const auto refused = redrive(old);
  ASSERT_EQ(code_of(refused), "conflict");
  EXPECT_NE(refused.error().message.find(to_string(first)), std::string::npos);
  const auto second = redrive({.id = old, .again = true});
  ASSERT_EQ(code_of(second), "ok");
  EXPECT_NE(first, second->id);
  EXPECT_EQ(get(old)->redriven_to, second->id) << "the newest copy";
  restart_if_possible();
  EXPECT_EQ(get(old)->redriven_to, second->id);
  EXPECT_EQ(facts_of(old).version, before.version + 2);
  EXPECT_EQ(code_of(redrive(old)), "conflict");
}

TEST_P(Redrives, ACopyMayBeRedrivenToo) {
  const JobId copy = redriven(failed());
  fail(copy);
  const JobId third = redriven(copy);
  EXPECT_EQ(get(third)->redriven_from, copy);
  EXPECT_EQ(get(copy)->redriven_to, third);
}

TEST_P(Redrives, ARefusedRedriveLeavesTheOldJobAsItWas) {
  const JobId old = failed(Spec().queue("full"));
  QueueUpdate update;
  update.name = "full";
  update.draining = true;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const std::int64_t version = facts_of(old).version;
  EXPECT_EQ(code_of(redrive(old)), "conflict");
  EXPECT_TRUE(get(old)->redriven_to.is_nil());
  EXPECT_EQ(facts_of(old).version, version);
}

TEST_P(Redrives, AListLeavesOutJobsThatWereRedriven) {
  const JobId first = dead_lettered(Spec("a"));
  const JobId second = dead_lettered(Spec("b"));
  const JobId copy = redriven(first);
  ListJobs filter;
  filter.redriven = Redriven::kNone;
  EXPECT_EQ(list_ids(filter), (std::vector{copy, second}));
  filter.redriven = Redriven::kOnly;
  EXPECT_EQ(list_ids(filter), std::vector{first});
  filter.redriven = Redriven::kAll;
  EXPECT_EQ(list_ids(filter), (std::vector{copy, second, first}));
}

TEST_P(Redrives, ARedrivenJobCanBeDeletedAndSoCanItsCopy) {
  const JobId old = failed();
  const JobId copy = redriven(old);
  complete(copy);
  ASSERT_EQ(code_of(remove(copy)), "ok");
  EXPECT_EQ(get(old)->redriven_to, copy) << "which is gone";
  EXPECT_EQ(code_of(redrive(old)), "conflict");
  ASSERT_EQ(code_of(remove(old)), "ok");
}

TEST_P(Redrives, ARedrivenCopyTakesThePatchedLabels) {
  const JobId old = make(Spec().tag("t", "1"));
  PatchJob change = patch_of(old);
  change.tags = Tags{{"t", "2"}};
  change.priority = Priority::kHigh;
  ASSERT_EQ(code_of(patch(change)), "ok");
  ASSERT_EQ(code_of(cancel(old)), "ok");
  const auto answer = redrive(old);
  ASSERT_EQ(code_of(answer), "ok");
  EXPECT_EQ(get(answer->id)->labels.tags, (Tags{{"t", "2"}}));
  EXPECT_EQ(get(answer->id)->facts.priority, Priority::kHigh);
}

TEST_P(Redrives, ARedrivenCopyIsReadyAtOnce) {
  const JobId later = make(Spec().run_at(now() + hours(1)));
  const JobId draft = make(Spec().queue(use_profile("document")).draft());
  for (const JobId& old : {later, draft}) {
    ASSERT_EQ(code_of(cancel(old)), "ok");
    const auto copy = redrive(old);
    ASSERT_EQ(code_of(copy), "ok");
    EXPECT_EQ(state_of(copy->id), "SCHEDULED");
  }
}

TEST_P(Redrives, ARedriveMakesACopyEvenWhereKeysAreMade) {
  const JobId old = failed(Spec().queue(use_profile("generation")));
  const JobId first = redriven(old);
  const auto second = redrive({.id = old, .again = true});
  ASSERT_EQ(code_of(second), "ok");
  EXPECT_NE(first, second->id);
}

// ---- Dependencies -----------------------------------------------------------------------------

TEST_P(Redrives, DependenciesThatWereMetComeAlongAndAreNotWaitedFor) {
  const JobId first = completed(Spec("first"));
  const JobId old = make(Spec("second").after({first}));
  fail(old);
  ASSERT_EQ(code_of(remove(first)), "ok") << "nobody needs it any more";
  const JobId copy = redriven(old);
  EXPECT_EQ(state_of(copy), "SCHEDULED");
  ASSERT_EQ(get(copy)->spec->depends_on.size(), 1u);
  EXPECT_EQ(get(copy)->spec->depends_on[0].jobs, std::vector{to_string(first)});
}

TEST_P(Redrives, AWorkflowIsRedrivenInItsOrder) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b").after({a}));
  const JobId c = make(Spec("c").after({b}));
  fail(a);
  ASSERT_EQ(states_of({a, b, c}), (std::vector<std::string>{"FAILED", "FAILED", "FAILED"}));
  const JobId a2 = redriven(a);
  const JobId b2 = redriven(b);
  const JobId c2 = redriven(c);
  EXPECT_EQ(states_of({a2, b2, c2}), (std::vector<std::string>{"SCHEDULED", "PENDING", "PENDING"}));
  EXPECT_EQ(get(b2)->spec->depends_on[0].jobs, std::vector{to_string(a2)});
  restart_if_possible();
  complete(a2);
  complete(b2);
  complete(c2);
}

TEST_P(Redrives, ACopyThatWouldEndAtOnceIsRefusedByTheNameOfTheJob) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b").after({a}));
  fail(a);
  const auto refused = redrive(b);
  ASSERT_EQ(code_of(refused), "conflict");
  EXPECT_NE(refused.error().message.find(to_string(a)), std::string::npos);
  EXPECT_TRUE(get(b)->redriven_to.is_nil());
  EXPECT_EQ(list_ids({}).size(), 2u);
  // Its newest copy counts.
  const JobId a2 = redriven(a);
  fail(a2);
  EXPECT_EQ(code_of(redrive(b)), "conflict");
  complete(redriven(a2));
  EXPECT_EQ(state_of(redriven(b)), "SCHEDULED");
}

TEST_P(Redrives, ADependencyThatIsGoneRefusesByItsName) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b").after({a}));
  fail(a);
  ASSERT_EQ(code_of(remove(a)), "ok");
  const auto refused = redrive(b);
  ASSERT_EQ(code_of(refused), "conflict");
  EXPECT_NE(refused.error().message.find(to_string(a)), std::string::npos);
  const auto copy = redrive({.id = b, .drop_dependencies = true});
  ASSERT_EQ(code_of(copy), "ok");
  EXPECT_EQ(state_of(copy->id), "SCHEDULED");
  EXPECT_TRUE(get(copy->id)->spec->depends_on.empty());
}

TEST_P(Redrives, OneJobStandsForSeveralThatItIsTheCopyOf) {
  const JobId a = failed(Spec("a"));
  const JobId a2 = redriven(a);
  const JobId b = make(Spec("b").after({a2}));
  ASSERT_EQ(code_of(cancel(b)), "ok");
  const JobId c = make(Spec("c").after_any({a2, b}));
  ASSERT_EQ(state_of(c), "SCHEDULED") << "one of them ended";
  const JobId d = make(Spec("d").after({a, a2}));
  ASSERT_EQ(state_of(d), "FAILED");
  const JobId d2 = redriven(d);
  EXPECT_EQ(get(d2)->spec->depends_on[0].jobs, std::vector{to_string(a2)});
  EXPECT_EQ(state_of(d2), "PENDING");
  complete(a2);
  EXPECT_EQ(state_of(d2), "SCHEDULED");
}

TEST_P(Redrives, AJobThatFailedByADependencyNamesIt) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b").after({a}));
  fail(a);
  const JobId late = make(Spec("late").after({a}));
  for (const JobId& id : {b, late}) {
    EXPECT_EQ(failure_of(id), "PERMANENT dependency_failed");
    EXPECT_EQ(get(id)->last_failure->message,
              "job " + to_string(a) + ", on which it depends, ended FAILED");
  }
}

TEST_P(Redrives, ADraftThatFailsByADependencyNamesItAfterARestart) {
  const JobId a = make(Spec("a"));
  const JobId draft = make(Spec("b").queue(use_profile("document")).draft().after({a}));
  fail(a);
  restart_if_possible();
  ASSERT_EQ(code_of(submit_draft(draft)), "ok");
  ASSERT_EQ(state_of(draft), "FAILED");
  EXPECT_NE(get(draft)->last_failure->message.find(to_string(a)), std::string::npos);
}

// ---- Parents and their children ---------------------------------------------------------------

TEST_P(Redrives, AFanInCountsTheNewestCopyOfAChild) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("good"), Spec("bad")})), "ok");
  const auto children = get(parent.job)->children;
  const JobId joins = make(Spec("join").fan_in({parent.job}));
  complete(children[0]);
  fail(children[1]);
  ASSERT_EQ(state_of(joins), "FAILED");
  EXPECT_NE(get(joins)->last_failure->message.find(to_string(children[1])), std::string::npos);
  EXPECT_EQ(code_of(redrive(joins)), "conflict");
  const JobId child = redriven(children[1]);
  EXPECT_EQ(get(child)->parent, parent.job) << "a copy has the parent of what it was copied from";
  EXPECT_EQ(get(parent.job)->children, children) << "which made only the first ones";
  const JobId again = redriven(joins);
  const JobId fresh = make(Spec("fresh").fan_in({parent.job}));
  EXPECT_EQ(states_of({again, fresh}), (std::vector<std::string>{"PENDING", "PENDING"}));
  restart_if_possible();
  complete(child);
  EXPECT_EQ(states_of({again, fresh}), (std::vector<std::string>{"SCHEDULED", "SCHEDULED"}));
}

TEST_P(Redrives, AFanInThatWaitsCountsCopiesThatAreMadeBeforeItsParentEnds) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId joins = make(Spec("join").fan_in({parent.job}));
  ASSERT_EQ(code_of(start(parent)), "ok");
  ASSERT_EQ(code_of(commit(parent, Specs{Spec("child")})), "ok");
  const JobId child = get(parent.job)->children.at(0);
  fail(child);
  const JobId copy = redriven(child);
  ASSERT_EQ(code_of(done(parent)), "ok");
  EXPECT_EQ(state_of(joins), "PENDING");
  const auto later = redrive({.id = child, .again = true});
  ASSERT_EQ(code_of(later), "ok");
  complete(copy);
  EXPECT_EQ(state_of(joins), "SCHEDULED") << "a copy that came after the end is not waited for";
}

TEST_P(Redrives, AFanInWhoseChildIsGoneRefusesByItsName) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("child")})), "ok");
  const JobId child = get(parent.job)->children.at(0);
  const JobId joins = make(Spec("join").fan_in({parent.job}));
  fail(child);
  const JobId copy = redriven(child);
  fail(copy);
  ASSERT_EQ(code_of(remove(copy)), "ok");
  const auto refused = redrive(joins);
  ASSERT_EQ(code_of(refused), "conflict");
  EXPECT_NE(refused.error().message.find(to_string(copy)), std::string::npos);
}

TEST_P(Redrives, ACopyThatWouldWaitForItselfIsRefused) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId joins = make(Spec("join").fan_in({parent.job}));
  const JobId after = make(Spec("after").after({joins}));
  ASSERT_EQ(code_of(cancel(after)), "ok");
  ASSERT_EQ(code_of(start(parent)), "ok");
  ASSERT_EQ(code_of(commit(parent, Specs{Spec("child").after({after})})), "ok");
  const JobId child = get(parent.job)->children.at(0);
  ASSERT_EQ(state_of(child), "CANCELLED");
  const JobId after2 = redriven(after);
  ASSERT_EQ(state_of(after2), "PENDING");
  EXPECT_EQ(code_of(redrive(child)), "dependency_cycle");
  ASSERT_EQ(code_of(done(parent)), "ok");
  EXPECT_EQ(state_of(joins), "CANCELLED");
}

}  // namespace
}  // namespace baton::store::conformance
