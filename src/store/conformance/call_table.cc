// What each call of a worker does in each status of its execution, through the store: the whole
// table, written down by hand, with the right token and with a wrong one.
#include <functional>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using lifecycle::ExecutionStatus;

// The situations of an execution, the columns of the table below.
enum Situation {
  kLeased,
  kInProgress,
  kCommitted,
  kDone,
  kAborted,           // by a nack; the job waits
  kLeaseOver,         // never committed; nobody has told the store yet that time went by
  kCommittedAndOver,  // COMMITTED, and its lease has ended: recovery has finished it
  kFormer,            // a later execution runs
  kFormerCommitted,   // a later execution has committed
  kSituationCount,
};

const char* const kSituationNames[] = {
    "LEASED",           "IN_PROGRESS",         "COMMITTED",
    "DONE",             "ABORTED",             "lease over",
    "COMMITTED, over",  "a later one runs",    "a later one committed",
};

struct Row {
  CallKind call;
  const char* answers[kSituationCount];
};

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
    {CallKind::kSpawn, {kOk, kOk, kHas, kHas, kStale, kStale, kHas, kStale, kStale}},
};

// The table's fixture can bring an execution into any situation. It works in a queue of the profile
// `generation`, the only one that takes every call.
class CallTableSteps : public CallTable {
 protected:
  Claimed reach(Situation situation, bool ask_for_cancel) {
    const Spec spec = Spec("t" + std::to_string(++made_))
                          .queue("work")
                          .no_key()
                          .lease(seconds(10))
                          .constant(Duration{});
    if (made_ == 1) use_profile("generation", update_of("work"));
    const Claimed claimed = running(spec);
    // A cancel that nobody asked for is refused; it must be asked for while that is possible.
    if (ask_for_cancel) {
      EXPECT_EQ(code_of(cancel(claimed.job)), "ok");
    }
    bring(claimed, situation);
    return claimed;
  }

  void bring(const Claimed& claimed, Situation situation) {
    switch (situation) {
      case kLeased:
        return;
      case kInProgress:
        EXPECT_EQ(code_of(start(claimed)), "ok");
        return;
      case kCommitted:
      case kCommittedAndOver:
        EXPECT_EQ(code_of(start(claimed)), "ok");
        EXPECT_EQ(code_of(commit(claimed, "first")), "ok");
        if (situation == kCommittedAndOver) pass(seconds(10));
        return;
      case kDone:
        EXPECT_EQ(code_of(ack(claimed, "first")), "ok");
        return;
      case kAborted:
        EXPECT_EQ(code_of(nack(claimed)), "ok");
        return;
      case kLeaseOver:
        pass(seconds(10));
        return;
      case kFormer:
        EXPECT_EQ(code_of(nack(claimed)), "ok");
        claim_job(claimed.job);
        return;
      case kFormerCommitted:
        EXPECT_EQ(code_of(nack(claimed)), "ok");
        EXPECT_EQ(code_of(ack(claim_job(claimed.job), "another's")), "ok");
        return;
      case kSituationCount:
        return;
    }
  }

  // A job whose cancel was asked for is CANCELLED by a nack, so there is no later execution of it.
  static bool can_ask_for_cancel(Situation situation) {
    return situation == kLeased || situation == kInProgress || situation == kCommitted ||
           situation == kDone || situation == kCommittedAndOver;
  }

  void expect_row(CallKind kind) {
    const Row* row = nullptr;
    for (const Row& candidate : kTable) {
      if (candidate.call == kind) row = &candidate;
    }
    ASSERT_NE(row, nullptr);
    for (int i = 0; i < kSituationCount; ++i) {
      const auto situation = static_cast<Situation>(i);
      SCOPED_TRACE(std::string(lifecycle::name(kind)) + " in " + kSituationNames[i]);
      const bool ask = kind == CallKind::kCancelled && can_ask_for_cancel(situation);
      expect_cell(kind, reach(situation, ask), row->answers[i]);
    }
  }

  void expect_cell(CallKind kind, const Claimed& claimed, const std::string& expected) {
    run_timers();  // what is due by now is no consequence of the call
    const auto before = get(claimed.job);
    WorkCall call = call_of(kind, claimed);
    if (kind == CallKind::kCommit || kind == CallKind::kAck) call.result = Outcome{"second"};
    const auto answer = work(call);
    const std::string got =
        answer.ok() ? (answer->repeated ? kAgain : kOk) : code_of(answer);
    EXPECT_EQ(got, expected);
    if (expected != kOk) expect_unchanged(*before, *get(claimed.job));
  }

  static void expect_unchanged(const JobRecord& before, const JobRecord& after) {
    EXPECT_TRUE(same_facts(before.facts, after.facts)) << "the job changed";
    EXPECT_TRUE(before.executions == after.executions) << "an execution changed";
    EXPECT_EQ(before.history.size(), after.history.size());
    EXPECT_EQ(before.result, after.result);
    EXPECT_EQ(before.staged.size(), after.staged.size());
    EXPECT_EQ(before.last_failure, after.last_failure);
    EXPECT_EQ(before.children, after.children);
  }

 private:
  int made_ = 0;
};

}  // namespace
}  // namespace baton::store::conformance
