// Jobs that wait for others: AFTER, AFTER_ANY, how bad endings travel, and what dependents inherit.
// Batches with references are in batches.cc, FAN_OUT and FAN_IN in fans.cc.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using States = std::vector<std::string>;

TEST_P(Dependencies, AfterWaitsUntilAllHaveCompleted) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b"));
  const JobId waits = make(Spec("waits").after({a, b}));
  EXPECT_EQ(steps_of(waits), "create:PENDING");
  complete(a);
  EXPECT_EQ(state_of(waits), "PENDING");
  EXPECT_TRUE(claim({.types = {"waits"}}).empty());
  pass(seconds(3));
  complete(b);
  EXPECT_EQ(steps_of(waits), "create:PENDING ready:SCHEDULED");
  EXPECT_EQ(facts_of(waits).scheduled_at, now());
}

TEST_P(Dependencies, TheFirstBadEndingDecidesAtOnce) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b"));
  const JobId waits = make(Spec("waits").after({a, b}));
  fail(b);
  EXPECT_EQ(steps_of(waits), "create:PENDING dependency:FAILED");
  EXPECT_EQ(failure_of(waits), "PERMANENT dependency_failed");
  EXPECT_EQ(facts_of(waits).error_type, ErrorType::kTerminal);
  complete(a);
  EXPECT_EQ(state_of(waits), "FAILED");
}

TEST_P(Dependencies, AFailureWithAttemptsLeftDecidesNothing) {
  const ClaimedJob a = running(Spec("a").constant(Duration{}));
  const JobId waits = make(Spec("waits").after({a.job}));
  ASSERT_EQ(code_of(nack(a)), "ok");
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(a.job);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Dependencies, EveryBadEndingOfTheStandardProfileIsTakenOver) {
  const JobId failing = make(Spec("failing"));
  const JobId dying = make(Spec("dying").attempts(1));
  const JobId leaving = make(Spec("leaving"));
  const JobId after_failed = make(Spec("after_failed").after({failing}));
  const JobId after_dead = make(Spec("after_dead").after({dying}));
  const JobId after_cancelled = make(Spec("after_cancelled").after({leaving}));
  fail(failing);
  ASSERT_EQ(code_of(nack(claim_job(dying))), "ok");
  ASSERT_EQ(code_of(cancel(leaving)), "ok");
  EXPECT_EQ(states_of({after_failed, after_dead, after_cancelled}),
            (States{"FAILED", "DEAD_LETTER", "CANCELLED"}));
}

TEST_P(Dependencies, AStateThatAProfileLacksBecomesItsExhaustedState) {
  struct Case {
    const char* profile;
    const char* after_failed;
    const char* after_dead_letter;
    const char* after_cancelled;
    const char* after_rejected;
  };
  const std::string generation = use_profile("generation");
  for (const Case& c :
       {Case{"standard", "FAILED", "DEAD_LETTER", "CANCELLED", "FAILED"},
        Case{"document", "FAILED", "FAILED", "CANCELLED", "FAILED"},
        Case{"commit", "FAILED", "FAILED", "CANCELLED", "FAILED"},
        Case{"generation", "DEAD_LETTER", "DEAD_LETTER", "CANCELLED", "DEAD_LETTER"},
        Case{"lease", "FAILED", "FAILED", "CANCELLED", "FAILED"}}) {
    SCOPED_TRACE(c.profile);
    const std::string queue = use_profile(c.profile);
    const auto dependent = [&](const JobId& on) {
      return make(Spec("dependent").queue(queue).no_key().after({on}));
    };
    const JobId failing = make(Spec("failing"));
    const JobId dying = make(Spec("dying").attempts(1));
    const JobId leaving = make(Spec("leaving"));
    const JobId refused = make(Spec("refused").queue(generation).no_key());
    const std::vector<JobId> dependents = {dependent(failing), dependent(dying), dependent(leaving),
                                           dependent(refused)};
    fail(failing);
    ASSERT_EQ(code_of(nack(claim_job(dying))), "ok");
    ASSERT_EQ(code_of(cancel(leaving)), "ok");
    ASSERT_EQ(code_of(reject_job(refused)), "ok");
    EXPECT_EQ(states_of(dependents),
              (States{c.after_failed, c.after_dead_letter, c.after_cancelled, c.after_rejected}));
  }
}

TEST_P(Dependencies, AfterAnyGoesOnAsSoonAsOneHasEndedHoweverItEnded) {
  const JobId completes = make(Spec("completes"));
  const JobId fails = make(Spec("fails"));
  const JobId idle = make(Spec("idle").delay(hours(1)));
  const JobId first = make(Spec("first").after_any({completes, idle}));
  const JobId second = make(Spec("second").after_any({idle, fails}));
  const JobId third = make(Spec("third").after_any({idle}));
  complete(completes);
  EXPECT_EQ(states_of({first, second, third}), (States{"SCHEDULED", "PENDING", "PENDING"}));
  fail(fails);
  EXPECT_EQ(states_of({first, second, third}), (States{"SCHEDULED", "SCHEDULED", "PENDING"}));
  ASSERT_EQ(code_of(cancel(idle)), "ok");
  EXPECT_EQ(state_of(third), "SCHEDULED");
}

TEST_P(Dependencies, AfterAnyIsReleasedOnce) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b"));
  const JobId waits = make(Spec("waits").after_any({a, b}));
  complete(a);
  complete(waits);
  complete(b);
  EXPECT_EQ(state_of(waits), "COMPLETED");
  EXPECT_EQ(facts_of(waits).attempt, 1);
}

TEST_P(Dependencies, SeveralEntriesMustAllBeSatisfied) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b"));
  const JobId c = make(Spec("c"));
  const JobId waits = make(Spec("waits").after({a}).after_any({b, c}));
  complete(a);
  EXPECT_EQ(state_of(waits), "PENDING");
  fail(c);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Dependencies, OneBadEntryDecidesWhileOthersStillWait) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b"));
  const JobId waits = make(Spec("waits").after({a}).after({b}));
  fail(b);
  EXPECT_EQ(state_of(waits), "FAILED");
  complete(a);
  EXPECT_EQ(state_of(waits), "FAILED");
}

TEST_P(Dependencies, EndingsBeforeTheSubmissionApplyAtCreation) {
  const JobId good = completed(Spec("good"));
  const JobId bad = failed(Spec("bad"));
  EXPECT_EQ(steps_of(make(Spec().after({good}))), "create:PENDING ready:SCHEDULED");
  EXPECT_EQ(steps_of(make(Spec().after({good, bad}))), "create:PENDING dependency:FAILED");
  EXPECT_EQ(steps_of(make(Spec().after_any({bad}))), "create:PENDING ready:SCHEDULED");
  EXPECT_EQ(steps_of(make(Spec().fan_in({good}))), "create:PENDING ready:SCHEDULED");
  EXPECT_EQ(steps_of(make(Spec().fan_in({bad}))), "create:PENDING dependency:FAILED");
  EXPECT_EQ(steps_of(make(Spec().fan_in_whatever_happens({bad}))),
            "create:PENDING ready:SCHEDULED");
}

TEST_P(Dependencies, SomeEndingsBeforeAndSomeAfterTheSubmissionAddUp) {
  const JobId before = completed(Spec("before"));
  const JobId later = make(Spec("later"));
  const JobId waits = make(Spec("waits").after({before, later}));
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(later);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Dependencies, ABadEndingTravelsDownAChainInOneStep) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b").after({a}));
  const JobId c = make(Spec("c").after({b}));
  const JobId d = make(Spec("d").after({c}));
  fail(a);
  EXPECT_EQ(states_of({b, c, d}), (States(3, "FAILED")));
  EXPECT_EQ(facts_of(d).completed_at, facts_of(a).completed_at);
}

TEST_P(Dependencies, ABadEndingIsTranslatedAtEveryLink) {
  const std::string generation = use_profile("generation");
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b").queue(generation).after({a}));
  const JobId c = make(Spec("c").after({b}));
  fail(a);
  EXPECT_EQ(states_of({a, b, c}), (States{"FAILED", "DEAD_LETTER", "DEAD_LETTER"}));
}

TEST_P(Dependencies, EveryKindOfEndReachesTheDependents) {
  const JobId by_lifetime = make(Spec("lifetime").lifetime(seconds(10)));
  const ClaimedJob by_lease = running(Spec("lease").lease(seconds(10)).attempts(1));
  const ClaimedJob by_force = running(Spec("force"));
  const ClaimedJob by_recovery = committed(Spec("recovery").lease(seconds(10)));
  const JobId a = make(Spec("a").after({by_lifetime}));
  const JobId b = make(Spec("b").after({by_lease.job}));
  const JobId c = make(Spec("c").after({by_force.job}));
  const JobId d = make(Spec("d").after({by_recovery.job}));
  ASSERT_EQ(code_of(cancel(by_force.job, true)), "ok");
  advance(seconds(10));
  EXPECT_EQ(states_of({a, b, c, d}),
            (States{"DEAD_LETTER", "DEAD_LETTER", "CANCELLED", "SCHEDULED"}));
}

TEST_P(Dependencies, ADiamondComesTogether) {
  const JobId top = make(Spec("top"));
  const JobId left = make(Spec("left").after({top}));
  const JobId right = make(Spec("right").after({top}));
  const JobId bottom = make(Spec("bottom").after({left, right}));
  complete(top);
  EXPECT_EQ(states_of({left, right, bottom}), (States{"SCHEDULED", "SCHEDULED", "PENDING"}));
  complete(right);
  complete(left);
  EXPECT_EQ(state_of(bottom), "SCHEDULED");
}

TEST_P(Dependencies, ADiamondEndsOnceWhenBothSidesEndBadly) {
  const JobId top = make(Spec("top"));
  const JobId left = make(Spec("left").after({top}));
  const JobId right = make(Spec("right").after({top}));
  const JobId bottom = make(Spec("bottom").after({left, right}));
  fail(top);
  EXPECT_EQ(states_of({left, right, bottom}), States(3, "FAILED"));
  EXPECT_EQ(get(bottom)->history.size(), 2u);
}

TEST_P(Dependencies, AJobNamedTwiceCountsAsOne) {
  const JobId a = make(Spec("a"));
  const JobId in_one = make(Spec("in_one").after({a, a}));
  const JobId in_two = make(Spec("in_two").after({a}).after({a}));
  complete(a);
  EXPECT_EQ(states_of({in_one, in_two}), (States{"SCHEDULED", "SCHEDULED"}));
}

TEST_P(Dependencies, ManyDependentsOfOneJobAllMove) {
  const JobId a = make(Spec("a"));
  const auto dependents = make_all(times(1000, Spec("dependent").after({a})));
  complete(a);
  EXPECT_EQ(states_of(dependents), States(1000, "SCHEDULED"));
}

TEST_P(Dependencies, ManyDependentsOfOneJobAllEnd) {
  const JobId a = make(Spec("a"));
  const auto dependents = make_all(times(1000, Spec("dependent").after({a})));
  fail(a);
  EXPECT_EQ(states_of(dependents), States(1000, "FAILED"));
}

TEST_P(Dependencies, DependenciesMayBeInOtherQueues) {
  const JobId a = make(Spec("a").queue("one"));
  const JobId waits = make(Spec("waits").queue("two").after({a}));
  complete(a);
  EXPECT_EQ(claim_one("two").job, waits);
}

TEST_P(Dependencies, ADelayCountsFromTheSubmissionNotFromTheRelease) {
  const JobId a = make(Spec("a"));
  const JobId soon = make(Spec("soon").after({a}).delay(seconds(10)));
  const JobId late = make(Spec("late").after({a}).delay(minutes(10)));
  const Time submitted = now();
  advance(seconds(30));
  complete(a);
  EXPECT_EQ(state_of(soon), "SCHEDULED") << "its delay is over";
  EXPECT_EQ(state_of(late), "DELAYED");
  EXPECT_EQ(facts_of(late).run_at, submitted + minutes(10));
}

TEST_P(Dependencies, ADependentTakesTheHighestPriorityAroundIt) {
  const JobId high = make(Spec("high").priority(Priority::kHigh));
  const JobId bulk = make(Spec("bulk").priority(Priority::kBulk));
  EXPECT_EQ(facts_of(make(Spec().after({high, bulk}))).priority, Priority::kHigh);
  EXPECT_EQ(facts_of(make(Spec().after({bulk}))).priority, Priority::kNormal);
  EXPECT_EQ(facts_of(make(Spec().after({bulk}).priority(Priority::kBulk))).priority,
            Priority::kBulk);
  EXPECT_EQ(facts_of(make(Spec().after({high}).priority(Priority::kCritical))).priority,
            Priority::kCritical);
  EXPECT_EQ(facts_of(make(Spec().after_any({high}))).priority, Priority::kHigh);
}

TEST_P(Dependencies, AnInheritedPriorityIsPassedOn) {
  const JobId a = make(Spec("a").priority(Priority::kCritical));
  const JobId b = make(Spec("b").after({a}).priority(Priority::kLow));
  const JobId c = make(Spec("c").after({b}).priority(Priority::kLow));
  EXPECT_EQ(facts_of(c).priority, Priority::kCritical);
}

TEST_P(Dependencies, AnInheritedPriorityIsFixedAtSubmission) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b").after({a}));
  PatchJob change = patch_of(a);
  change.priority = Priority::kCritical;
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_EQ(facts_of(b).priority, Priority::kNormal);
  EXPECT_EQ(facts_of(make(Spec("c").after({a}))).priority, Priority::kCritical);
}

TEST_P(Dependencies, ADraftLooksAtItsDependenciesWhenItIsSubmitted) {
  const std::string queue = use_profile("document");
  const JobId a = make(Spec("a"));
  const JobId waiting = make(Spec("waiting").queue(queue).draft().after({a}));
  const JobId late = make(Spec("late").queue(queue).draft().after({a}));
  ASSERT_EQ(code_of(submit_draft(waiting)), "ok");
  EXPECT_EQ(state_of(waiting), "PENDING");
  complete(a);
  EXPECT_EQ(states_of({waiting, late}), (States{"SCHEDULED", "CREATED"}));
  ASSERT_EQ(code_of(submit_draft(late)), "ok");
  EXPECT_EQ(state_of(late), "SCHEDULED");
}

TEST_P(Dependencies, ADraftWhoseDependencyEndedBadlyEndsWhenItIsSubmitted) {
  const JobId a = make(Spec("a"));
  const JobId draft = make(Spec("draft").queue(use_profile("document")).draft().after({a}));
  fail(a);
  EXPECT_EQ(state_of(draft), "CREATED");
  ASSERT_EQ(code_of(submit_draft(draft)), "ok");
  EXPECT_EQ(state_of(draft), "FAILED");
}

TEST_P(Dependencies, ACancelledDependentIsNotReleased) {
  const JobId a = make(Spec("a"));
  const JobId waits = make(Spec("waits").after({a}));
  ASSERT_EQ(code_of(cancel(waits)), "ok");
  complete(a);
  EXPECT_EQ(state_of(waits), "CANCELLED");
}

TEST_P(Dependencies, AnUnknownIdIsRefused) {
  base::Random random(11);
  const JobId nobody = make_job_id(random);
  EXPECT_EQ(code_of(submit(Spec().after({nobody}))), "unknown_dependency");
  EXPECT_EQ(code_of(submit(Spec().after_any({make(Spec("known")), nobody}))), "unknown_dependency");
  EXPECT_EQ(code_of(submit(Spec().after({"not an id"}))), "unknown_dependency");
  EXPECT_EQ(code_of(submit(Spec().after({"#nobody"}))), "unknown_dependency");
  EXPECT_EQ(list_ids({}).size(), 1u);
}

TEST_P(Dependencies, AnEntryNamesAtLeastOneJob) {
  EXPECT_EQ(code_of(submit(Spec().after({}))), "invalid_job");
}

TEST_P(Dependencies, AtMostAThousandJobsAreWaitedFor) {
  const auto ids = make_all(times(1000, Spec()));
  const JobId one_more = make(Spec("one_more"));
  EXPECT_EQ(code_of(submit(Spec("wide").after(names_of(ids)))), "ok");
  EXPECT_EQ(code_of(submit(Spec("too_wide").after(names_of(ids)).after({one_more}))),
            "dependency_too_wide");
}

TEST_P(Dependencies, AThousandDependenciesReleaseTheirDependent) {
  const auto ids = make_all(times(1000, Spec()));
  const JobId waits = make(Spec("waits").after(names_of(ids)));
  std::vector<WorkCall> calls;
  for (const ClaimedJob& claimed : claim({.max = 1000, .types = {"work"}}))
    calls.push_back(call_of(CallKind::kAck, claimed));
  ASSERT_EQ(calls.size(), 1000u);
  const WorkCall last = calls.back();
  calls.pop_back();
  work_all(calls);
  EXPECT_EQ(state_of(waits), "PENDING");
  ASSERT_EQ(code_of(work(last)), "ok");
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Dependencies, ThePriorityOfAnEndedJobIsInheritedToo) {
  const JobId ended = completed(Spec("ended").priority(Priority::kHigh));
  EXPECT_EQ(facts_of(make(Spec().after({ended}))).priority, Priority::kHigh);
}

}  // namespace
}  // namespace baton::store::conformance
