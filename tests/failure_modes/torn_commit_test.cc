// A crash in the middle of a commit: the effects of one step are written whole, or not at all.
// Guard off: sim.finds_torn_turn, where a torn record of the log is taken for a whole one, and
// sim.finds_one_committed, where a crash after the commit runs the job again.
#include "base/simulated_disk.h"
#include "base/temporary_directory.h"
#include "driven_store.h"
#include "store/local/durable/data_directory.h"

namespace baton::failure_modes {
namespace {

constexpr Amount kCost = 7;
// Longer than a sector, so that a crash can tear the record of the commit.
const std::string kResult = '"' + std::string(20'000, 'r') + '"';

GrantCredits grant() {
  GrantCredits grant;
  grant.account = "payer";
  grant.amount = 100;
  return grant;
}

Submission paid_job() {
  Submission submission = job_of();
  submission.account = "payer";
  submission.cost = kCost;
  return submission;
}

// A commit with three effects: a result, captured credits and a child.
WorkCall finish(CallKind kind, const store::ClaimedJob& claimed) {
  return finish_of(kind, claimed, kResult);
}

// What a commit does, as a reader sees it.
struct Seen {
  bool result = false;
  bool captured = false;
  bool child = false;
  bool completed = false;

  bool nothing() const { return !result && !captured && !child && !completed; }
  bool all() const { return result && captured && child && completed; }
};

// ---- The store crashes --------------------------------------------------------------------------

// A data directory with its Machine, on a disk that tears what was not synced when the power goes.
class Node {
 public:
  explicit Node(std::uint64_t seed) : disk_(seed), random_(seed) {
    EXPECT_TRUE(open());
    EXPECT_TRUE(ask(grant()).ok());
    store::SubmitBatch batch;
    batch.jobs = {std::make_shared<const Submission>(paid_job())};
    job_ = std::get<store::SubmitAnswer>(ask(std::move(batch)).value()).results.front()->id;
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "worker";
    claimed_ = std::get<store::ClaimAnswer>(ask(std::move(request)).value()).executions.at(0);
  }

  // Whether the store acknowledged the commit. The disk fails from its `operation`-th on.
  bool commit_and_lose_power(std::uint64_t operation) {
    disk_.stop_at(disk_.operations() + operation);
    const bool acknowledged = ask(finish(CallKind::kAck, claimed_)).ok();
    stopped_ = disk_.stopped();
    machine_.reset();
    data_.reset();
    disk_.crash();
    EXPECT_TRUE(open()) << "after a crash at operation " << operation;
    EXPECT_EQ(machine_->audit(), std::vector<std::string>{});
    return acknowledged;
  }
  // Whether the power went before the disk had done everything.
  bool was_stopped() const { return stopped_; }

  Seen seen() {
    auto reader = data_->open_reader().value();
    const auto record = data_->record(*reader, job_).value();
    const auto balance = data_->account("payer").value()->account.balance;
    return {.result = record->result && record->result->bytes == kResult,
            .captured = balance.captured == kCost && balance.reserved == 0,
            .child = record->children.size() == 1,
            .completed = record->facts.state == JobState::kCompleted};
  }

 private:
  bool open() {
    store::local::DataOptions options;
    options.catalog.path = directory_.path() + "/catalog.db";
    options.log.segment_bytes = 64 << 10;
    auto opened = store::local::DataDirectory::open(disk_, options);
    if (!opened) return false;
    data_ = std::move(*opened);
    machine_ = std::make_unique<store::local::Machine>(*data_);
    return data_->load(*machine_, kNow).ok() &&
           data_->keep(kNow, machine_->reopen(kNow, random_).changes).ok();
  }
  Result<store::local::Answer> ask(store::local::Command command) {
    std::vector<store::local::Command> commands;
    commands.push_back(std::move(command));
    auto turn = machine_->turn(std::move(commands), kNow, random_);
    if (const auto kept = data_->keep(kNow, std::move(turn.changes)); !kept) return kept.error();
    return std::move(turn.answers.front());
  }

  static constexpr Time kNow{1'700'000'000'000};

  base::TemporaryDirectory directory_;
  base::SimulatedDisk disk_;
  base::Random random_;
  std::unique_ptr<store::local::DataDirectory> data_;
  std::unique_ptr<store::local::Machine> machine_;
  JobId job_;
  store::ClaimedJob claimed_;
  bool stopped_ = false;
};

TEST(TornCommit, ACrashAtAnyOperationLeavesAllOfACommitOrNothing) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    bool stopped = true;
    for (std::uint64_t operation = 1; stopped; ++operation) {
      Node node(seed);
      const bool acknowledged = node.commit_and_lose_power(operation);
      stopped = node.was_stopped();
      const Seen seen = node.seen();
      lost += seen.nothing() ? 1 : 0;
      EXPECT_TRUE(acknowledged ? seen.all() : seen.all() || seen.nothing())
          << "seed " << seed << ", operation " << operation;
    }
  }
  EXPECT_GT(lost, 0) << "the crashes came too late to tear anything";
}

// ---- The worker crashes -------------------------------------------------------------------------

TEST(TornCommit, AWorkerLostBetweenCommittedAndDoneIsFinalisedOnce) {
  DrivenStore store;
  ASSERT_TRUE(store.ask<Account>(grant()).ok());
  const JobId job = store.submit(paid_job())->id;
  const store::ClaimedJob claimed = store.claim();
  const auto seen = [&] {
    const JobRecord record = store.record(job);
    return Seen{.result = record.result.has_value(),
                .captured = store.rows().accounts().at("payer").balance.captured == kCost,
                .child = store.rows().jobs().size() == 2,
                .completed = record.facts.state == JobState::kCompleted};
  };
  ASSERT_TRUE(store.work(call_of(CallKind::kStart, claimed)).ok());
  ASSERT_TRUE(store.work(finish(CallKind::kCommit, claimed)).ok());
  const Seen committed = seen();
  EXPECT_TRUE(committed.result && committed.captured && committed.child);
  EXPECT_FALSE(committed.completed);
  const auto entries = store.rows().entries("payer").size();

  store.wait(base::hours(1));  // The lease ends; recovery finalises.
  EXPECT_TRUE(seen().all());
  const JobRecord record = store.record(job);
  ASSERT_EQ(record.executions.size(), 1u);
  EXPECT_EQ(record.executions.front().facts.status, ExecutionStatus::kDone);
  EXPECT_EQ(record.facts.attempt, 1);
  EXPECT_EQ(record.children.size(), 1u);
  EXPECT_EQ(store.rows().entries("payer").size(), entries);

  const auto late = store.work(call_of(CallKind::kDone, claimed));
  ASSERT_TRUE(late.ok());
  EXPECT_TRUE(late->repeated);
  store.wait(base::hours(1));
  EXPECT_EQ(store.record(job).history, record.history);
  EXPECT_EQ(store.rows().entries("payer").size(), entries);
}

}  // namespace
}  // namespace baton::failure_modes
