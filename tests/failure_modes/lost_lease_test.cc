// FM_001: a worker stalls, loses its lease, and comes back after another one has done the work.
// Guard off: sim.finds_fencing, where no token is checked, and sim.finds_commit_twice.
#include "driven_store.h"

namespace baton::failure_modes {
namespace {

constexpr Amount kCost = 7;
constexpr Duration kLease = base::seconds(5);

// A job that costs credits and brings a child: two effects that can be counted.
struct Story {
  Story() {
    GrantCredits grant;
    grant.account = "payer";
    grant.amount = 100;
    EXPECT_TRUE(store.ask<Account>(std::move(grant)).ok());
    Submission submission = job_of();
    submission.account = "payer";
    submission.cost = kCost;
    submission.timeouts.lease = kLease;
    job = store.submit(submission)->id;
    a = store.claim();
    store.wait(kLease);
    b = store.claim();
    EXPECT_NE(a.execution, b.execution);
    EXPECT_EQ(a.job, b.job);
  }

  // The effect was applied once, and it is B's.
  void expect_one_effect() {
    const JobRecord record = store.record(job);
    EXPECT_EQ(record.facts.state, JobState::kCompleted);
    ASSERT_TRUE(record.result.has_value());
    EXPECT_EQ(record.result->bytes, "\"B\"");
    EXPECT_EQ(record.children.size(), 1u);
    const auto& balance = store.rows().accounts().at("payer").balance;
    EXPECT_EQ(balance.captured, kCost);
    EXPECT_EQ(balance.reserved, 0);
    int captures = 0;
    for (const auto& entry : store.rows().entries("payer"))
      captures += entry.kind == PostingKind::kCapture ? 1 : 0;
    EXPECT_EQ(captures, 1);
    EXPECT_EQ(store.machine().audit(), std::vector<std::string>{});
  }

  // A's late call is refused and writes nothing.
  void expect_refused(CallKind kind, Code code) {
    const auto answer = store.work(finish_of(kind, a, "\"A\""));
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, code);
    EXPECT_EQ(store.last_changes(), 0u);
  }

  DrivenStore store;
  JobId job;
  store::ClaimedJob a;
  store::ClaimedJob b;
};

TEST(LostLease, AWorkerThatComesBackAfterTheCommitAppliesNothing) {
  for (CallKind late : {CallKind::kAck, CallKind::kCommit}) {
    Story story;
    ASSERT_TRUE(story.store.work(finish_of(CallKind::kAck, story.b, "\"B\"")).ok());
    story.expect_refused(late, Code::kAlreadyCommitted);
    story.expect_one_effect();
  }
}

TEST(LostLease, AWorkerThatComesBackBeforeTheCommitAppliesNothing) {
  for (CallKind late : {CallKind::kAck, CallKind::kCommit}) {
    Story story;
    story.expect_refused(late, Code::kStaleLease);
    ASSERT_TRUE(story.store.work(finish_of(CallKind::kAck, story.b, "\"B\"")).ok());
    story.expect_one_effect();
  }
}

TEST(LostLease, AWorkerThatComesBackBetweenCommitAndDoneAppliesNothing) {
  Story story;
  ASSERT_TRUE(story.store.work(call_of(CallKind::kStart, story.b)).ok());
  ASSERT_TRUE(story.store.work(finish_of(CallKind::kCommit, story.b, "\"B\"")).ok());
  story.expect_refused(CallKind::kAck, Code::kAlreadyCommitted);
  story.expect_refused(CallKind::kDone, Code::kAlreadyCommitted);
  ASSERT_TRUE(story.store.work(call_of(CallKind::kDone, story.b)).ok());
  story.expect_one_effect();
}

TEST(LostLease, AWorkerWhoseAnswerWasLostMayAskAgain) {
  Story story;
  ASSERT_TRUE(story.store.work(finish_of(CallKind::kAck, story.b, "\"B\"")).ok());
  const auto again = story.store.work(finish_of(CallKind::kAck, story.b, "\"B again\""));
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(story.store.last_changes(), 0u);
  story.expect_one_effect();
}

}  // namespace
}  // namespace baton::failure_modes
