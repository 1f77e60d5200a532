// What each call of a worker does in each status of its execution, through the store: the whole
// table, written down by hand, with the right token and with a wrong one.
#include "store/conformance/call_table.h"

#include <array>

namespace baton::store::conformance {
namespace {

using Answers = std::array<const char*, kSituationCount>;

struct Row {
  CallKind call;
  Answers answers;
};

const Answers kSituationNames = {"LEASED",
                                 "IN_PROGRESS",
                                 "COMMITTED",
                                 "DONE",
                                 "ABORTED",
                                 "lease over",
                                 "COMMITTED, over",
                                 "a later one runs",
                                 "a later one committed"};

const char* const kOk = "ok";
const char* const kAgain = "ok again";
const char* const kStale = "stale_lease";
const char* const kHas = "already_committed";
const char* const kNo = "invalid_transition";

const Row kTable[] = {
    {CallKind::kStart, {kOk, kAgain, kHas, kHas, kStale, kStale, kHas, kStale, kStale}},
    {CallKind::kHeartbeat, {kOk, kOk, kOk, kStale, kStale, kStale, kStale, kStale, kStale}},
    {CallKind::kCommit, {kNo, kOk, kAgain, kAgain, kStale, kStale, kAgain, kStale, kHas}},
    {CallKind::kDone, {kNo, kNo, kOk, kAgain, kStale, kStale, kAgain, kStale, kHas}},
    {CallKind::kAck, {kOk, kOk, kOk, kAgain, kStale, kStale, kAgain, kStale, kHas}},
    {CallKind::kNack, {kOk, kOk, kHas, kHas, kStale, kStale, kHas, kStale, kStale}},
    {CallKind::kReject, {kOk, kOk, kHas, kHas, kStale, kStale, kHas, kStale, kStale}},
    {CallKind::kCancelled, {kOk, kOk, kHas, kHas, kStale, kStale, kHas, kStale, kStale}},
    {CallKind::kRelease, {kOk, kOk, kHas, kHas, kStale, kStale, kHas, kStale, kStale}},
    {CallKind::kSpawn, {kOk, kOk, kHas, kHas, kStale, kStale, kHas, kStale, kStale}},
};

// A job whose cancel was asked for is CANCELLED by a nack: there is no later execution of it.
bool can_ask_for_cancel(Situation situation) {
  return situation != Situation::kAborted && situation != Situation::kLeaseOver &&
         situation != Situation::kFormer && situation != Situation::kFormerCommitted;
}

void expect_unchanged(const JobRecord& before, const JobRecord& after) {
  EXPECT_EQ(difference(before.facts, after.facts), "") << "the job changed";
  EXPECT_TRUE(before.executions == after.executions) << "an execution changed";
  EXPECT_EQ(before.history.size(), after.history.size());
  EXPECT_EQ(before.result, after.result);
  EXPECT_EQ(before.staged.size(), after.staged.size());
  EXPECT_EQ(before.last_failure, after.last_failure);
  EXPECT_EQ(before.children, after.children);
}

}  // namespace

// The profile `generation` is the only one that takes every call.
ClaimedJob CallTable::reach(Situation situation, bool ask_for_cancel) {
  if (made_ == 0) use_profile("generation", update_of("work"));
  const ClaimedJob claimed = running(Spec("t" + std::to_string(++made_))
                                         .queue("work")
                                         .no_key()
                                         .lease(seconds(10))
                                         .constant(Duration{}));
  if (ask_for_cancel) {
    EXPECT_EQ(code_of(cancel(claimed.job)), "ok");
  }
  bring(claimed, situation);
  return claimed;
}

void CallTable::bring(const ClaimedJob& claimed, Situation situation) {
  switch (situation) {
    case Situation::kLeased:
      return;
    case Situation::kInProgress:
      EXPECT_EQ(code_of(start(claimed)), "ok");
      return;
    case Situation::kCommitted:
    case Situation::kCommittedAndOver:
      EXPECT_EQ(code_of(start(claimed)), "ok");
      EXPECT_EQ(code_of(commit(claimed, "first")), "ok");
      if (situation == Situation::kCommittedAndOver) advance(seconds(10));
      return;
    case Situation::kDone:
      EXPECT_EQ(code_of(ack(claimed, "first")), "ok");
      return;
    case Situation::kAborted:
      EXPECT_EQ(code_of(nack(claimed)), "ok");
      return;
    case Situation::kLeaseOver:
      advance(seconds(10));
      return;
    case Situation::kFormer:
      EXPECT_EQ(code_of(nack(claimed)), "ok");
      claim_job(claimed.job);
      return;
    case Situation::kFormerCommitted:
      EXPECT_EQ(code_of(nack(claimed)), "ok");
      EXPECT_EQ(code_of(ack(claim_job(claimed.job), "another's")), "ok");
      return;
  }
}

void CallTable::expect_cell(const WorkCall& call, const std::string& expected) {
  const auto before = get(call.execution.job());
  const auto answer = work(call);
  const std::string got = answer.ok() ? (answer->repeated ? kAgain : kOk) : code_of(answer);
  EXPECT_EQ(got, expected);
  if (expected != kOk) expect_unchanged(*before, *get(call.execution.job()));
}

void CallTable::expect_row(CallKind kind) {
  const Row* row = nullptr;
  for (const Row& candidate : kTable) {
    if (candidate.call == kind) row = &candidate;
  }
  ASSERT_NE(row, nullptr);
  for (std::size_t i = 0; i < kSituationCount; ++i) {
    const auto situation = static_cast<Situation>(i);
    SCOPED_TRACE(std::string(name(kind)) + " in " + kSituationNames[i]);
    // A cancel that nobody asked for is refused in any case.
    const bool ask = kind == CallKind::kCancelled && can_ask_for_cancel(situation);
    WorkCall call = call_of(kind, reach(situation, ask));
    if (auto* commit = std::get_if<CommitCall>(&call.call)) commit->result = Outcome{"second"};
    if (auto* ack = std::get_if<AckCall>(&call.call)) ack->result = Outcome{"second"};
    expect_cell(call, row->answers[i]);
  }
}

void CallTable::expect_wrong_token_refused(CallKind kind) {
  for (std::size_t i = 0; i < kSituationCount; ++i) {
    SCOPED_TRACE(std::string(name(kind)) + " in " + kSituationNames[i]);
    WorkCall call = call_of(kind, reach(static_cast<Situation>(i), false));
    call.token.bytes[i] ^= 1;
    expect_cell(call, kStale);
    call.token = {};
    expect_cell(call, kStale);
  }
}

TEST_P(CallTable, Start) { expect_row(CallKind::kStart); }
TEST_P(CallTable, Heartbeat) { expect_row(CallKind::kHeartbeat); }
TEST_P(CallTable, Commit) { expect_row(CallKind::kCommit); }
TEST_P(CallTable, Done) { expect_row(CallKind::kDone); }
TEST_P(CallTable, Ack) { expect_row(CallKind::kAck); }
TEST_P(CallTable, Nack) { expect_row(CallKind::kNack); }
TEST_P(CallTable, Reject) { expect_row(CallKind::kReject); }
TEST_P(CallTable, Cancelled) { expect_row(CallKind::kCancelled); }
TEST_P(CallTable, Release) { expect_row(CallKind::kRelease); }
TEST_P(CallTable, Spawn) { expect_row(CallKind::kSpawn); }

TEST_P(CallTable, StartWithAWrongToken) { expect_wrong_token_refused(CallKind::kStart); }
TEST_P(CallTable, HeartbeatWithAWrongToken) { expect_wrong_token_refused(CallKind::kHeartbeat); }
TEST_P(CallTable, CommitWithAWrongToken) { expect_wrong_token_refused(CallKind::kCommit); }
TEST_P(CallTable, DoneWithAWrongToken) { expect_wrong_token_refused(CallKind::kDone); }
TEST_P(CallTable, AckWithAWrongToken) { expect_wrong_token_refused(CallKind::kAck); }
TEST_P(CallTable, NackWithAWrongToken) { expect_wrong_token_refused(CallKind::kNack); }
TEST_P(CallTable, RejectWithAWrongToken) { expect_wrong_token_refused(CallKind::kReject); }
TEST_P(CallTable, CancelledWithAWrongToken) { expect_wrong_token_refused(CallKind::kCancelled); }
TEST_P(CallTable, ReleaseWithAWrongToken) { expect_wrong_token_refused(CallKind::kRelease); }
TEST_P(CallTable, SpawnWithAWrongToken) { expect_wrong_token_refused(CallKind::kSpawn); }

TEST_P(CallTable, ACancelThatNobodyAskedForCannotBeConfirmed) {
  const ClaimedJob claimed = running();
  EXPECT_EQ(code_of(confirm_cancel(claimed)), "invalid_transition");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  EXPECT_EQ(code_of(ack(claimed)), "ok");
}

TEST_P(CallTable, AWorkersRejectIsNotInEveryProfile) {
  for (const char* profile : {"standard", "document", "commit", "lease"}) {
    const ClaimedJob claimed = running(Spec().queue(use_profile(profile)));
    EXPECT_EQ(code_of(reject(claimed)), "not_in_profile") << profile;
    EXPECT_EQ(state_of(claimed.job), "RUNNING") << "the lease stays";
    EXPECT_EQ(code_of(ack(claimed)), "ok");
  }
}

TEST_P(CallTable, AnAnsweredCallSaysHowTheJobIsNow) {
  const ClaimedJob claimed = running();
  const auto started = start(claimed);
  ASSERT_EQ(code_of(started), "ok");
  EXPECT_EQ(started->job, claimed.job);
  EXPECT_EQ(started->facts.execution.status, ExecutionStatus::kInProgress);
  const auto acked = ack(claimed);
  ASSERT_EQ(code_of(acked), "ok");
  EXPECT_EQ(acked->facts.state, JobState::kCompleted);
  EXPECT_EQ(acked->facts.execution.status, ExecutionStatus::kDone);
}

}  // namespace baton::store::conformance
