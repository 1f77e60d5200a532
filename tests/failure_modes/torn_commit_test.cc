// A crash in the middle of a commit: the effects of one step are written whole, or not at all.
#include "driven_store.h"

namespace baton::failure_modes {
namespace {

constexpr store::Amount kCost = 7;

// A disk that keeps records in their order and loses everything after a crash. Each turn writes
// its changes and then a mark; with `marks` off, recovery takes whatever it finds.
class TornDisk {
 public:
  // Writes the changes and the mark, but only the first `kept` of these writes arrive.
  void write(std::vector<store::local::RowChange> changes, std::size_t kept) {
    marked_ = kept > changes.size();
    while (changes.size() > kept)
      changes.pop_back();
    changes_ = std::move(changes);
  }

  void recover(store::local::Rows& rows, bool marks) const {
    if (!marks || marked_) rows.apply(changes_);
  }

 private:
  std::vector<store::local::RowChange> changes_;
  bool marked_ = false;
};

// What a commit does, as a reader sees it after a crash.
struct Seen {
  bool result = false;
  bool captured = false;
  bool child = false;
  bool completed = false;

  bool nothing() const { return !result && !captured && !child && !completed; }
  bool all() const { return result && captured && child && completed; }
};

// A job with a cost, claimed, and about to be acknowledged with a result and a child.
struct Story {
  Story() {
    GrantCredits grant;
    grant.account = "payer";
    grant.amount = 100;
    EXPECT_TRUE(store.ask<Account>(std::move(grant)).ok());
    Submission submission = job_of();
    submission.account = "payer";
    submission.cost = kCost;
    job = store.submit(submission)->id;
    claimed = store.claim();
  }

  WorkCall finish(CallKind kind) const {
    WorkCall call = ack_of(claimed);
    call.kind = kind;
    call.spawn.push_back(std::make_shared<const Submission>(job_of("child")));
    return call;
  }

  Seen seen() {
    const JobRecord record = store.record(job);
    const auto& balance = store.rows().accounts().at("payer").balance;
    EXPECT_TRUE(balance.captured == 0 || balance.captured == kCost);
    return {.result = record.result.has_value(),
            .captured = balance.captured == kCost,
            .child = store.rows().jobs().size() == 2,
            .completed = record.facts.state == JobState::kCompleted};
  }

  // The commit, a crash after so many writes, and recovery.
  Seen crash_after(std::size_t kept, bool marks) {
    auto turn = store.turn(finish(CallKind::kAck));
    EXPECT_TRUE(std::holds_alternative<store::CallAnswer>(turn.answers.at(0)));
    TornDisk disk;
    disk.write(std::move(turn.changes), kept);
    disk.recover(store.rows(), marks);
    return seen();
  }

  static std::size_t writes() {
    Story story;
    return story.store.turn(story.finish(CallKind::kAck)).changes.size();
  }

  DrivenStore store;
  JobId job;
  Claimed claimed;
};

TEST(TornCommit, ChangesWrittenOneByOneAreHalfDoneAfterACrash) {
  const std::size_t writes = Story::writes();
  ASSERT_GT(writes, 1u);
  std::size_t damaged = 0;
  for (std::size_t kept = 0; kept <= writes; ++kept) {
    Story story;
    const Seen seen = story.crash_after(kept, false);
    damaged += seen.nothing() || seen.all() ? 0 : 1;
  }
  EXPECT_GT(damaged, 0u);
}

TEST(TornCommit, ATurnIsAppliedWholeOrNotAtAll) {
  const std::size_t writes = Story::writes();
  for (std::size_t kept = 0; kept <= writes; ++kept) {
    Story story;
    EXPECT_TRUE(story.crash_after(kept, true).nothing()) << kept << " of " << writes;
  }
  Story story;
  EXPECT_TRUE(story.crash_after(writes + 1, true).all());
}

// Recovery that runs again whatever is not DONE, because it cannot tell that it was committed.
class QueueWithoutCommitted {
 public:
  void commit() { ++effects_; }
  void done() { done_ = true; }
  void recover() {
    if (done_) return;
    commit();
    done();
  }
  int effects() const { return effects_; }

 private:
  int effects_ = 0;
  bool done_ = false;
};

TEST(TornCommit, WithoutACommittedStatusRecoveryAppliesTheEffectAgain) {
  QueueWithoutCommitted queue;
  queue.commit();  // The worker dies before it says done.
  queue.recover();
  EXPECT_EQ(queue.effects(), 2);
}

TEST(TornCommit, AWorkerLostBetweenCommittedAndDoneIsFinalisedOnce) {
  Story story;
  ASSERT_TRUE(story.store.work(call_of(CallKind::kStart, story.claimed)).ok());
  ASSERT_TRUE(story.store.work(story.finish(CallKind::kCommit)).ok());
  const Seen committed = story.seen();
  EXPECT_TRUE(committed.result && committed.captured && committed.child);
  EXPECT_FALSE(committed.completed);
  const auto entries = story.store.rows().entries("payer").size();

  story.store.wait(base::hours(1));  // The lease ends; recovery finalises.
  EXPECT_TRUE(story.seen().all());
  const JobRecord record = story.store.record(story.job);
  ASSERT_EQ(record.executions.size(), 1u);
  EXPECT_EQ(record.executions.front().facts.status, ExecutionStatus::kDone);
  EXPECT_EQ(record.facts.attempt, 1);
  EXPECT_EQ(record.children.size(), 1u);
  EXPECT_EQ(story.store.rows().entries("payer").size(), entries);

  const auto late = story.store.work(call_of(CallKind::kDone, story.claimed));
  ASSERT_TRUE(late.ok());
  EXPECT_TRUE(late->repeated);
  story.store.wait(base::hours(1));
  EXPECT_EQ(story.store.record(story.job).history, record.history);
  EXPECT_EQ(story.store.rows().entries("payer").size(), entries);
}

}  // namespace
}  // namespace baton::failure_modes
