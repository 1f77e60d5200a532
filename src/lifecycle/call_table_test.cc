// What each call does in each status, written a second time by hand, and held against both the
// table and the machine.
#include <map>

#include "lifecycle/calls.h"
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

using enum CallOutcome;

// In the order LEASED, IN_PROGRESS, COMMITTED, DONE, ABORTED.
struct ExpectedRow {
  CallKind call;
  CallOutcome outcome[kExecutionStatusCount];
};

constexpr ExpectedRow kExpected[] = {
    {CallKind::kStart, {kStart, kRepeat, kAlreadyCommitted, kAlreadyCommitted, kStaleLease}},
    {CallKind::kHeartbeat, {kExtend, kExtend, kExtend, kStaleLease, kStaleLease}},
    {CallKind::kCommit, {kInvalidTransition, kCommit, kRepeat, kRepeat, kStaleOrCommitted}},
    {CallKind::kDone,
     {kInvalidTransition, kInvalidTransition, kFinish, kRepeat, kStaleOrCommitted}},
    {CallKind::kAck, {kFinish, kFinish, kFinish, kRepeat, kStaleOrCommitted}},
    {CallKind::kNack, {kAbort, kAbort, kAlreadyCommitted, kAlreadyCommitted, kStaleLease}},
    {CallKind::kReject, {kAbort, kAbort, kAlreadyCommitted, kAlreadyCommitted, kStaleLease}},
    {CallKind::kCancelled, {kAbort, kAbort, kAlreadyCommitted, kAlreadyCommitted, kStaleLease}},
    {CallKind::kSpawn, {kStage, kStage, kAlreadyCommitted, kAlreadyCommitted, kStaleLease}},
    {CallKind::kAsset, {kStage, kStage, kAlreadyCommitted, kAlreadyCommitted, kStaleLease}},
    {CallKind::kRelease, {kAbort, kAbort, kAlreadyCommitted, kAlreadyCommitted, kStaleLease}},
};

TEST(CallTable, HasOneRowForEveryPair) {
  std::map<std::pair<CallKind, ExecutionStatus>, int> count;
  for (const CallRow& row : call_table())
    ++count[{row.call, row.status}];
  EXPECT_EQ(count.size(), kCallKindCount * kExecutionStatusCount);
  for (const auto& [pair, times] : count)
    EXPECT_EQ(times, 1) << name(pair.first) << " in " << name(pair.second);
}

TEST(CallTable, SaysWhatEachCallDoesInEachStatus) {
  ASSERT_EQ(std::size(kExpected), kCallKindCount);
  for (const ExpectedRow& row : kExpected) {
    for (std::size_t i = 0; i < kExecutionStatusCount; ++i) {
      const auto status = static_cast<ExecutionStatus>(i);
      EXPECT_EQ(name(outcome_of(row.call, status)), name(row.outcome[i]))
          << name(row.call) << " in " << name(status);
    }
  }
}

TEST(CallTable, IsReadRowByRow) {
  for (const CallRow& row : call_table())
    EXPECT_EQ(outcome_of(row.call, row.status), row.outcome);
}

// A job of the generation profile, whose latest execution has this status and whose cancel was
// asked for, so that every call has its chance.
Life life_with(ExecutionStatus status) {
  Life life("generation");
  life.create().claim();
  if (status != ExecutionStatus::kLeased) life.start();
  life.cancel();
  if (status == ExecutionStatus::kCommitted) life.commit();
  if (status == ExecutionStatus::kDone) life.commit().done();
  if (status == ExecutionStatus::kAborted) life.then(Cancel{true, {}});
  return life;
}

// What the machine answers and where it leaves the execution.
struct Behaviour {
  std::string_view answer;  // "ok", "repeat" or a code
  ExecutionStatus after;
};

Behaviour expected_of(CallOutcome outcome, ExecutionStatus before) {
  switch (outcome) {
    case kStart:
      return {"ok", ExecutionStatus::kInProgress};
    case kExtend:
    case kStage:
      return {"ok", before};
    case kCommit:
      return {"ok", ExecutionStatus::kCommitted};
    case kFinish:
      return {"ok", ExecutionStatus::kDone};
    case kAbort:
      return {"ok", ExecutionStatus::kAborted};
    case kRepeat:
      return {"repeat", before};
    case kAlreadyCommitted:
      return {"already_committed", before};
    case kStaleLease:
    case kStaleOrCommitted:
      return {"stale_lease", before};
    case kInvalidTransition:
      return {"invalid_transition", before};
  }
  return {};
}

TEST(CallTable, IsWhatTheMachineDoes) {
  for (const ExpectedRow& row : kExpected) {
    for (std::size_t i = 0; i < kExecutionStatusCount; ++i) {
      const auto status = static_cast<ExecutionStatus>(i);
      Life life = life_with(status);
      ASSERT_EQ(life.job.execution.status, status);
      const Behaviour expected = expected_of(row.outcome[i], status);
      const auto result = life.try_to(life.call_of(row.call));
      std::string_view answer = result.ok() ? "ok" : name(result.error().code);
      ExecutionStatus after = status;
      if (result.ok()) {
        after = result.value().job.execution.status;
        if (result.value().repeated) answer = "repeat";
      }
      EXPECT_EQ(answer, expected.answer) << name(row.call) << " in " << name(status);
      EXPECT_EQ(after, expected.after) << name(row.call) << " in " << name(status);
    }
  }
}

// Whatever the status and the call, a wrong token hears the same.
TEST(CallTable, IsClosedToAWrongToken) {
  for (std::size_t i = 0; i < kExecutionStatusCount; ++i) {
    for (const ExpectedRow& row : kExpected) {
      Life life = life_with(static_cast<ExecutionStatus>(i));
      Call call = life.call_of(row.call);
      call.token.bytes[15] ^= 1;
      EXPECT_EQ(life.refusal(call), "stale_lease") << name(row.call);
    }
  }
}

// Executions that are over, seen from the next one: it runs, has committed, or is done.
TEST(CallTable, AnswersTheHolderOfAFormerExecution) {
  for (const ExpectedRow& row : kExpected) {
    const bool effect = row.outcome[4] == kStaleOrCommitted;
    const std::string_view after_commit = effect ? "already_committed" : "stale_lease";
    Life life("generation");
    life.create().claim().wait(seconds(30)).claim().start();
    EXPECT_EQ(life.refusal(life.call_of(row.call, 1)), "stale_lease") << name(row.call);
    life.commit();
    EXPECT_EQ(life.refusal(life.call_of(row.call, 1)), after_commit) << name(row.call);
    life.done();
    EXPECT_EQ(life.refusal(life.call_of(row.call, 1)), after_commit) << name(row.call);
  }
}

// A former holder must still prove that it was one, before it is told of the commit.
TEST(CallTable, DoesNotTellAStrangerOfACommit) {
  Life life("commit");
  life.create().claim().wait(seconds(30)).claim().start().commit();
  Call wrong_token = life.call_of(CallKind::kCommit, 1);
  wrong_token.token = token_of(9);
  Call no_such_row = life.call_of(CallKind::kCommit, 1);
  no_such_row.former_token.reset();
  Call token_of_the_latest = life.call_of(CallKind::kCommit, 1);
  token_of_the_latest.token = token_of(2);
  for (const Call& call : {wrong_token, no_such_row, token_of_the_latest})
    EXPECT_EQ(life.refusal(call), "stale_lease");
}

TEST(CallTable, KnowsNoExecutionOutsideTheJobsAttempts) {
  Life life("commit");
  life.create().claim().start().commit();
  for (int attempt : {-1, 0, 2}) {
    Call call = life.call_of(CallKind::kCommit);
    call.attempt = attempt;
    call.former_token = call.token;
    EXPECT_EQ(life.refusal(call), "stale_lease") << attempt;
  }
}

// A job that was never claimed has an empty execution with an empty token; nobody holds it.
TEST(CallTable, KnowsNoExecutionBeforeTheFirstClaim) {
  Life life("commit");
  life.create();
  EXPECT_EQ(life.refusal(Call{}), "stale_lease");
}

TEST(CallTable, RepeatedNackRejectAndCancelledAreStale) {
  for (CallKind kind : {CallKind::kNack, CallKind::kReject, CallKind::kCancelled}) {
    Life life("generation");
    life.create().claim().cancel().call(kind);
    EXPECT_EQ(life.refusal(life.call_of(kind)), "stale_lease") << name(kind);
  }
}

}  // namespace
}  // namespace baton::lifecycle::testbed
