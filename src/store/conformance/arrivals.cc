// Calls that waited before they could be applied, and children that would wait for themselves.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

WorkCall waited(WorkCall call, Duration by) {
  call.waited = by;
  return call;
}

}  // namespace

TEST_P(Leases, ACallThatArrivedBeforeTheEndIsInTimeWheneverItIsApplied) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  pass(seconds(30));
  const WorkCall late = waited(call_of(CallKind::kHeartbeat, claimed), milliseconds(20'001));
  ASSERT_EQ(code_of(work(late)), "ok");
  EXPECT_EQ(facts_of(claimed.job).execution.lease_expires_at, now() + seconds(10));
  pass(seconds(10));
  EXPECT_EQ(code_of(work(waited(call_of(CallKind::kAck, claimed), milliseconds(1)))), "ok");
  EXPECT_EQ(facts_of(claimed.job).completed_at, now());
}

TEST_P(Leases, ACallThatArrivedAtTheEndIsTooLateWheneverItIsApplied) {
  const ClaimedJob claimed = running(Spec().lease(seconds(10)));
  pass(seconds(30));
  EXPECT_EQ(code_of(work(waited(call_of(CallKind::kAck, claimed), seconds(20)))), "stale_lease");
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(Leases, TheDeadlineAndTheLifetimeAreJudgedByTheArrivalToo) {
  const ClaimedJob deadline = running(Spec().execution(seconds(5)));
  const ClaimedJob lifetime = running(Spec().lifetime(seconds(5)));
  pass(seconds(7));
  // Both wait in the same moment.
  const auto answers = work_all({waited(call_of(CallKind::kAck, deadline), milliseconds(2'001)),
                                 waited(call_of(CallKind::kAck, lifetime), milliseconds(2'001))});
  for (const auto& answer : answers)
    EXPECT_EQ(code_of(answer), "ok");
  EXPECT_EQ(states_of({deadline.job, lifetime.job}),
            (std::vector<std::string>{"COMPLETED", "COMPLETED"}));
}

TEST_P(Fans, AChildThatFansInOnItsOwnParentIsRefusedAndTheLeaseStays) {
  const ClaimedJob parent = running();
  const Spec child = Spec("child").fan_in({parent.job});
  EXPECT_EQ(code_of(spawn(parent, {child})), "dependency_cycle");
  EXPECT_EQ(code_of(ack(parent, std::vector<Spec>{child})), "dependency_cycle");
  EXPECT_EQ(code_of(ack(parent)), "ok");
}

TEST_P(Fans, AChildAfterAJobThatFansInOnItsParentIsRefused) {
  const ClaimedJob parent = running();
  const JobId fan = make(Spec("fan").fan_in({parent.job}));
  const JobId between = make(Spec("between").after_any({fan}));
  EXPECT_EQ(code_of(spawn(parent, {Spec("child").after({fan})})), "dependency_cycle");
  EXPECT_EQ(code_of(spawn(parent, {Spec("child").after_any({between})})), "dependency_cycle");
  // Its own parent, and jobs that do not wait for its siblings, may be waited for.
  const JobId other = make(Spec("other").after({parent.job}));
  EXPECT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child").after({other, parent.job})})),
            "ok");
  EXPECT_EQ(state_of(fan), "PENDING");
}

}  // namespace baton::store::conformance
