// FAN_OUT: children that an execution spawns and its commit makes. FAN_IN: jobs that wait for
// parents and all their direct children.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using States = std::vector<std::string>;
using Specs = std::vector<Spec>;

TEST_P(Fans, ChildrenAreStagedUntilTheCommit) {
  const ClaimedJob claimed = running(Spec("parent"));
  const auto first = spawn(claimed, {Spec("a"), Spec("b")});
  ASSERT_EQ(code_of(first), "ok");
  EXPECT_EQ(first->staged, 2u);
  const auto second = spawn(claimed, {Spec("c")});
  ASSERT_EQ(code_of(second), "ok");
  EXPECT_EQ(second->staged, 3u);
  EXPECT_EQ(list_ids({}).size(), 1u);
  EXPECT_TRUE(get(claimed.job)->children.empty());
  EXPECT_EQ(get(claimed.job)->staged.size(), 3u);
}

TEST_P(Fans, TheCommitMakesTheChildren) {
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(spawn(claimed, {Spec("a").queue("other").payload("p"), Spec("b")})), "ok");
  ASSERT_EQ(code_of(start(claimed)), "ok");
  ASSERT_EQ(code_of(commit(claimed, Specs{Spec("c")})), "ok");
  const auto parent = get(claimed.job);
  ASSERT_EQ(parent->children.size(), 3u) << "staged ones and those that came with the commit";
  EXPECT_TRUE(parent->staged.empty());
  std::string types;
  for (const JobId& child : parent->children) {
    EXPECT_EQ(get(child)->parent, claimed.job);
    EXPECT_EQ(state_of(child), "SCHEDULED");
    types += get(child)->spec->type;
  }
  EXPECT_EQ(types, "abc");
  EXPECT_EQ(get(parent->children[0])->spec->payload, "p");
  EXPECT_EQ(claim_one("other").job, parent->children[0]) << "before the parent is done";
}

TEST_P(Fans, AnAckMakesTheChildrenToo) {
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(spawn(claimed, {Spec("a")})), "ok");
  ASSERT_EQ(code_of(ack(claimed, Specs{Spec("b")})), "ok");
  EXPECT_EQ(get(claimed.job)->children.size(), 2u);
}

TEST_P(Fans, AnAbortDropsTheStagedChildren) {
  struct Case {
    const char* what;
    std::function<void(const ClaimedJob&)> end;
  };
  const std::vector<Case> cases = {
      {"nack", [&](const ClaimedJob& c) { EXPECT_EQ(code_of(nack(c)), "ok"); }},
      {"lost lease", [&](const ClaimedJob&) { advance(seconds(10)); }},
      {"force", [&](const ClaimedJob& c) { EXPECT_EQ(code_of(cancel(c.job, true)), "ok"); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const ClaimedJob claimed = running(Spec("parent").lease(seconds(10)).constant(Duration{}));
    ASSERT_EQ(code_of(spawn(claimed, {Spec("child")})), "ok");
    c.end(claimed);
    EXPECT_TRUE(get(claimed.job)->staged.empty());
    EXPECT_TRUE(get(claimed.job)->children.empty());
    EXPECT_TRUE(claim({.types = {"child"}}).empty());
    if (state_of(claimed.job) != "SCHEDULED") continue;
    ASSERT_EQ(code_of(ack(claim_job(claimed.job))), "ok");
    EXPECT_TRUE(get(claimed.job)->children.empty()) << "a later attempt does not make them";
  }
}

TEST_P(Fans, OnlyTheCommittingAttemptsChildrenAreMade) {
  const ClaimedJob first = running(Spec("parent").constant(Duration{}));
  ASSERT_EQ(code_of(spawn(first, {Spec("lost")})), "ok");
  ASSERT_EQ(code_of(nack(first)), "ok");
  const ClaimedJob second = claim_job(first.job);
  ASSERT_EQ(code_of(spawn(second, {Spec("kept")})), "ok");
  ASSERT_EQ(code_of(ack(second)), "ok");
  const auto parent = get(first.job);
  ASSERT_EQ(parent->children.size(), 1u);
  EXPECT_EQ(get(parent->children[0])->spec->type, "kept");
}

TEST_P(Fans, AnInvalidChildRefusesTheCommitAndTheLeaseStays) {
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  EXPECT_EQ(code_of(commit(claimed, Specs{Spec("good"), Spec("bad").attempts(0)})), "invalid_job");
  const auto record = get(claimed.job);
  EXPECT_EQ(record->facts.execution.status, ExecutionStatus::kInProgress);
  EXPECT_FALSE(record->result);
  EXPECT_EQ(list_ids({}).size(), 1u) << "not even the good child was made";
  EXPECT_EQ(code_of(commit(claimed, Specs{Spec("good")})), "ok");
  EXPECT_EQ(get(claimed.job)->children.size(), 1u);
}

TEST_P(Fans, AnInvalidChildRefusesAnAckAndTheLeaseStays) {
  const ClaimedJob claimed = running(Spec("parent"));
  EXPECT_EQ(code_of(ack(claimed, Specs{Spec("")})), "invalid_job");
  EXPECT_EQ(facts_of(claimed.job).execution.status, ExecutionStatus::kLeased);
  EXPECT_EQ(code_of(ack(claimed)), "ok");
}

TEST_P(Fans, AnInvalidStagedChildNeverBecomesAJob) {
  const ClaimedJob claimed = running(Spec("parent").constant(Duration{}));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  const bool staged = spawn(claimed, {Spec("bad").attempts(0)}).ok();
  if (staged) {
    EXPECT_EQ(code_of(commit(claimed)), "invalid_job");
    EXPECT_EQ(state_of(claimed.job), "RUNNING");
  }
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  ASSERT_EQ(code_of(ack(claim_job(claimed.job))), "ok");
  EXPECT_EQ(list_ids({}).size(), 1u);
}

TEST_P(Fans, AChildThatCannotBePaidRefusesTheCommit) {
  give("ann", 5);
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  EXPECT_EQ(code_of(commit(claimed, Specs{Spec("a").account("ann").cost(3),
                                          Spec("b").account("ann").cost(3)})),
            "insufficient_credits");
  EXPECT_EQ(account("ann").balance.reserved, 0);
  EXPECT_EQ(code_of(commit(claimed, Specs{Spec("a").account("ann").cost(3)})), "ok");
  EXPECT_EQ(account("ann").balance.reserved, 3);
}

TEST_P(Fans, ChildrenMayNameEachOther) {
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(claimed, Specs{Spec("a").ref("a"), Spec("b").after({"#a"})})), "ok");
  const auto children = get(claimed.job)->children;
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(states_of(children), (States{"SCHEDULED", "PENDING"}));
}

TEST_P(Fans, AChildMayWaitForItsParent) {
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(start(claimed)), "ok");
  ASSERT_EQ(code_of(commit(claimed, Specs{Spec("child").after({claimed.job})})), "ok");
  const JobId child = get(claimed.job)->children.at(0);
  EXPECT_EQ(state_of(child), "PENDING");
  ASSERT_EQ(code_of(done(claimed)), "ok");
  EXPECT_EQ(state_of(child), "SCHEDULED");
}

TEST_P(Fans, AChildIsAJobLikeAnyOther) {
  const ClaimedJob claimed = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(claimed, Specs{Spec("child").delay(seconds(5)).tag("t", "1")})), "ok");
  const JobId child = get(claimed.job)->children.at(0);
  EXPECT_EQ(state_of(child), "DELAYED");
  advance(seconds(5));
  complete(child);
  EXPECT_EQ(state_of(child), "COMPLETED");
}

TEST_P(Fans, FanInWaitsForTheParentAndAllItsChildren) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("a"), Spec("b")})), "ok");
  const auto children = get(parent.job)->children;
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(children[0]);
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(children[1]);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, ChildrenMayEndBeforeTheirParent) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(start(parent)), "ok");
  ASSERT_EQ(code_of(commit(parent, Specs{Spec("child")})), "ok");
  complete(get(parent.job)->children.at(0));
  EXPECT_EQ(state_of(waits), "PENDING");
  ASSERT_EQ(code_of(done(parent)), "ok");
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, FanInMayBeSubmittedWhileChildrenRun) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("a"), Spec("b")})), "ok");
  const auto children = get(parent.job)->children;
  complete(children[0]);
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(children[1]);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, FanInMayBeSubmittedBetweenCommitAndDone) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(start(parent)), "ok");
  ASSERT_EQ(code_of(commit(parent, Specs{Spec("a"), Spec("b")})), "ok");
  const auto children = get(parent.job)->children;
  complete(children[0]);
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(done(parent)), "ok");
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(children[1]);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, AParentWithoutChildrenCountsByItself) {
  const JobId parent = make(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent}));
  complete(parent);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, FanInCollectsSeveralParents) {
  const ClaimedJob one = running(Spec("one"));
  const ClaimedJob two = running(Spec("two"));
  const JobId waits = make(Spec("waits").fan_in({one.job, two.job}));
  ASSERT_EQ(code_of(ack(one, Specs{Spec("a")})), "ok");
  ASSERT_EQ(code_of(ack(two, Specs{Spec("b")})), "ok");
  complete(get(one.job)->children.at(0));
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(get(two.job)->children.at(0));
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, GrandchildrenAreNotWaitedFor) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("child")})), "ok");
  const ClaimedJob child = claim_job(get(parent.job)->children.at(0));
  ASSERT_EQ(code_of(ack(child, Specs{Spec("grandchild")})), "ok");
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, AFailedChildEndsTheFanInWhenAllHaveEnded) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("a"), Spec("b")})), "ok");
  const auto children = get(parent.job)->children;
  fail(children[0]);
  EXPECT_EQ(state_of(waits), "PENDING") << "a sibling still runs";
  complete(children[1]);
  EXPECT_EQ(steps_of(waits), "create:PENDING dependency:FAILED");
  EXPECT_EQ(failure_of(waits), "PERMANENT dependency_failed");
}

TEST_P(Fans, TheFirstBadEndingInTimeIsTheOneThatCounts) {
  const JobId a = make(Spec("a"));
  const JobId b = make(Spec("b"));
  const JobId waits = make(Spec("waits").fan_in({a, b}));
  ASSERT_EQ(code_of(cancel(b)), "ok");
  fail(a);
  EXPECT_EQ(state_of(waits), "CANCELLED");
}

TEST_P(Fans, AFailedParentEndsTheFanIn) {
  const JobId parent = make(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent}));
  fail(parent);
  EXPECT_EQ(state_of(waits), "FAILED");
}

TEST_P(Fans, FailuresMayBeAllowed) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in_whatever_happens({parent.job}));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("a"), Spec("b")})), "ok");
  const auto children = get(parent.job)->children;
  fail(children[0]);
  EXPECT_EQ(state_of(waits), "PENDING");
  ASSERT_EQ(code_of(cancel(children[1])), "ok");
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, AFailedParentIsAllowedToo) {
  const JobId parent = make(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in_whatever_happens({parent}));
  fail(parent);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, AllowingFailuresIsForFanInOnly) {
  const JobId a = make(Spec("a"));
  Submission wrong = Spec("b").after({a}).submission();
  wrong.depends_on[0].allow_failures = true;
  const auto answer = await<SubmitAnswer>("submit", [&](auto done) {
    SubmitBatch batch;
    batch.jobs = {std::make_shared<Submission>(wrong)};
    store().submit(std::move(batch), std::move(done));
  });
  ASSERT_EQ(code_of(answer), "ok");
  ASSERT_TRUE(answer->refused);
  EXPECT_EQ(name(answer->refused->error.code), "invalid_job");
}

TEST_P(Fans, AfterWaitsForTheNamedJobOnly) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").after({parent.job}));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("child")})), "ok");
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, ARetriedParentIsStillWaitedFor) {
  const ClaimedJob first = running(Spec("parent").constant(Duration{}));
  const JobId waits = make(Spec("waits").fan_in({first.job}));
  ASSERT_EQ(code_of(spawn(first, {Spec("dropped")})), "ok");
  ASSERT_EQ(code_of(nack(first)), "ok");
  EXPECT_EQ(state_of(waits), "PENDING");
  ASSERT_EQ(code_of(ack(claim_job(first.job), Specs{Spec("kept")})), "ok");
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(get(first.job)->children.at(0));
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, AChildThatHadAnEarlierJobsKeyIsThatJob) {
  const JobId existing = make(Spec("child").key("k"));
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("child").key("k")})), "ok");
  EXPECT_EQ(list_ids({}).size(), 2u) << "no second job with that key";
  EXPECT_EQ(state_of(existing), "SCHEDULED");
}

TEST_P(Fans, AnExecutionSpawnsAtMostAThousandChildren) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(spawn(parent, times(999, Spec("child")))), "ok");
  EXPECT_EQ(code_of(ack(parent, times(2, Spec("child")))), "invalid_job");
  EXPECT_EQ(state_of(parent.job), "RUNNING") << "the lease stays";
  EXPECT_EQ(list_ids({}).size(), 1u);
  ASSERT_EQ(code_of(ack(parent, times(1, Spec("child")))), "ok");
  EXPECT_EQ(get(parent.job)->children.size(), 1000u);
}

TEST_P(Fans, AThousandChildrenComeTogether) {
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(ack(parent, times(1000, Spec("child")))), "ok");
  std::vector<WorkCall> calls;
  for (const ClaimedJob& claimed : claim({.max = 1000, .types = {"child"}}))
    calls.push_back(call_of(CallKind::kAck, claimed));
  ASSERT_EQ(calls.size(), 1000u);
  work_all(calls);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, GrandchildrenOfAnEndedParentAreNotWaitedFor) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("child")})), "ok");
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  const ClaimedJob child = claim_job(get(parent.job)->children.at(0));
  ASSERT_EQ(code_of(ack(child, Specs{Spec("grandchild")})), "ok");
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, AChildThatWasDeletedIsNotWaitedFor) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("child"), Spec("child")})), "ok");
  const auto children = get(parent.job)->children;
  complete(children.at(0));
  ASSERT_EQ(code_of(remove(children.at(0))), "ok");
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(children.at(1));
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Fans, AnEarlierJobWithAChildsKeyIsNotWaitedFor) {
  const JobId existing = make(Spec("child").key("k"));
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(ack(parent, Specs{Spec("child").key("k")})), "ok");
  EXPECT_TRUE(get(parent.job)->children.empty());
  EXPECT_EQ(states_of({existing, waits}), (std::vector<std::string>{"SCHEDULED", "SCHEDULED"}));
}

TEST_P(Fans, StagedChildrenOutliveHeartbeats) {
  const ClaimedJob parent = running(Spec("parent"));
  const auto staged = spawn(parent, Specs{Spec("child"), Spec("child")});
  ASSERT_EQ(code_of(staged), "ok");
  EXPECT_EQ(staged->staged, 2u);
  ASSERT_EQ(code_of(heartbeat(parent)), "ok");
  const auto ended = ack(parent);
  ASSERT_EQ(code_of(ended), "ok");
  EXPECT_EQ(ended->staged, 0u);
  EXPECT_EQ(get(parent.job)->children.size(), 2u);
}

TEST_P(Fans, ABadChildIsNamedByItsPlace) {
  const ClaimedJob parent = running(Spec("parent"));
  const auto refused = ack(parent, Specs{Spec("child"), Spec("")});
  ASSERT_EQ(code_of(refused), "invalid_job");
  EXPECT_EQ(refused.error().field, "spawn[1].type");
}

}  // namespace
}  // namespace baton::store::conformance
