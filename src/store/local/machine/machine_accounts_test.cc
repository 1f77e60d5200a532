// What accounts cost: the bytes of a posting, the rows that a command reads to know one, and how
// many are in memory. Counted, on a data directory whose catalog is behind, up to date, or just
// opened again.
#include <gtest/gtest.h>

#include "store/local/durable/machine_on_disk.h"
#include "store/work_call.h"

namespace baton::store::local {
namespace {

class MachineAccounts : public testbed::MachineOnDisk {
 protected:
  void SetUp() override {
    audited_ = true;
    open({});
    QueueUpdate update;
    update.name = "paid";
    update.profile = "generation";
    ask<Queue>(update);
  }

  // The process is killed: what was not projected is in the log alone.
  void crash() {
    machine_.reset();
    data_.reset();
    disk_.restart();
    open(tuning_);
  }
  void project() { ASSERT_TRUE(data_->finish().ok()); }
  // Turns in which nothing is asked for.
  void idle(int turns) {
    for (int i = 0; i < turns; ++i)
      turn({GetStats{}});
  }
  void keep_accounts(std::size_t count) {
    Tuning tuning;
    tuning.accounts_kept = count;
    project();
    open(tuning);
  }

  void look_at(Turn& turn) override { account_bytes_ = bytes_of(turn.changes); }
  // What the changes of accounts take in the log.
  std::size_t bytes_of(std::vector<RowChange>& changes) const {
    base::AlignedBuffer all;
    for (RowChange& change : changes) {
      if (std::holds_alternative<AccountChange>(change)) encode_turn(now_, {&change, 1}, all);
    }
    return all.size();
  }

  static GrantCredits grant(const std::string& account, Amount amount, const std::string& key = {},
                            std::optional<Tier> tier = {}) {
    GrantCredits command;
    command.account = account;
    command.amount = amount;
    command.idempotency_key = key;
    command.tier = tier;
    return command;
  }
  Account account(const std::string& id) { return ask<Account>(GetAccount{id}); }
  static SubmitBatch job_of(const std::string& account, Amount cost = 0) {
    auto job = std::make_shared<Submission>();
    job->type = "work";
    job->queue = "paid";
    job->account = account;
    job->cost = cost;
    job->idempotency = Idempotency::kNone;
    SubmitBatch batch;
    batch.jobs = {std::move(job)};
    return batch;
  }
  std::optional<Error> submit(const std::string& account, Amount cost = 0) {
    const auto answer = ask<SubmitAnswer>(job_of(account, cost));
    if (answer.refused) return answer.refused->error;
    return std::nullopt;
  }
  ClaimedJob claim() {
    ClaimRequest request;
    request.queues = {"paid"};
    request.worker = "w";
    return ask<ClaimAnswer>(request).executions.at(0);
  }
  CallAnswer call(CallKind kind, const ClaimedJob& claimed) {
    WorkCall call;
    call.call = blank_call(kind);
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    return ask<CallAnswer>(call);
  }
  void complete() { call(CallKind::kAck, claim()); }

  std::size_t account_bytes_ = 0;  // of the last turn
};

// ---- Bytes ------------------------------------------------------------------------------------

// Every change of an account once wrote all submissions of its past hour.
TEST_F(MachineAccounts, APostingOfABusyAccountIsNoLargerThanOneOfAQuietAccount) {
  for (const char* id : {"busy", "idle"})
    ask<Account>(grant(id, 1000, {}, Tier::kPro));
  for (int i = 0; i < 499; ++i) {
    ASSERT_FALSE(submit("busy"));
    complete();
    now_ = now_ + base::milliseconds(7);
  }
  ASSERT_FALSE(submit("idle"));
  const std::size_t submission = account_bytes_;
  complete();
  const std::size_t end = account_bytes_;
  ASSERT_FALSE(submit("busy"));
  EXPECT_EQ(account_bytes_, submission);
  complete();
  EXPECT_EQ(account_bytes_, end);
  EXPECT_LE(submission + end, 60u);
  EXPECT_EQ(submit("busy")->code, Code::kQuotaExceeded) << "these were 500 in the hour";

  // With a cost there is a posting, too.
  ask<Account>(grant("busy", 10));
  const std::size_t of_busy = account_bytes_;
  ask<Account>(grant("idle", 10));
  EXPECT_EQ(of_busy, account_bytes_);
}

TEST_F(MachineAccounts, TheHourIsExactWhereverItIsKept) {
  const auto first = now_;
  for (int i = 0; i < 5; ++i) {
    ASSERT_FALSE(submit("ann"));
    complete();
    if (i == 1) project();
    if (i == 3) crash();
    now_ = now_ + base::minutes(10);
  }
  const auto expect_full = [&] {
    const auto refused = submit("ann");
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->retry_after, first + base::hours(1) - now_);
  };
  expect_full();
  crash();
  expect_full();
  keep_accounts(0);
  expect_full();
  now_ = first + base::hours(1) + base::milliseconds(-1);
  expect_full();
  now_ = first + base::hours(1);
  EXPECT_FALSE(submit("ann"));
  EXPECT_TRUE(submit("ann"));
}

// ---- Grants -----------------------------------------------------------------------------------

TEST_F(MachineAccounts, AGrantIsMadeOnceWhereverItsKeyIs) {
  const auto same = turn({grant("ann", 10, "order 7"), grant("ann", 10, "order 7")});
  EXPECT_EQ(std::get<Account>(same[1]).balance.granted, 10) << "in the same turn";
  EXPECT_EQ(ask<Account>(grant("ann", 10, "order 7")).balance.granted, 10) << "in the log";
  EXPECT_EQ(reads_.rows, 0);
  crash();
  EXPECT_EQ(ask<Account>(grant("ann", 10, "order 7")).balance.granted, 10) << "recovered";
  EXPECT_LE(reads_.rows, 2) << "the account, and the key";
  project();
  EXPECT_EQ(ask<Account>(grant("ann", 10, "order 7")).balance.granted, 10) << "projected";
  EXPECT_EQ(reads_.rows, 1) << "the key";
  EXPECT_EQ(ask<Account>(grant("ann", 10, "order 8")).balance.granted, 20) << "another key";
  EXPECT_EQ(reads_.rows, 0);
  EXPECT_EQ(ask<Account>(grant("bob", 10, "order 7")).balance.granted, 10) << "another name";
  keep_accounts(0);
  EXPECT_EQ(ask<Account>(grant("ann", 10, "order 8")).balance.granted, 20);
  EXPECT_LE(reads_.rows, 2);
}

TEST_F(MachineAccounts, AKeyOfAGrantHasALimit) {
  const std::string longest(lifecycle::kMaxKeyLength, 'k');
  EXPECT_EQ(ask<Account>(grant("ann", 1, longest)).balance.granted, 1);
  const auto refused = ask<Error>(grant("ann", 1, longest + "k"));
  EXPECT_EQ(refused.code, Code::kInvalidJob);
  EXPECT_EQ(refused.field, "idempotency_key");
}

// ---- Memory -----------------------------------------------------------------------------------

TEST_F(MachineAccounts, AboveTheBoundThoseLeaveThatTheCatalogHasAndNoJobNeeds) {
  keep_accounts(10);
  for (int i = 0; i < 100; ++i)
    ask<Account>(grant("a" + std::to_string(i), i + 1));
  ASSERT_FALSE(submit("a0", 1));
  idle(10);
  EXPECT_EQ(machine_->accounts_in_memory(), 100u) << "the catalog has none of them";
  project();
  idle(3);
  EXPECT_EQ(machine_->accounts_in_memory(), 10u);
  for (int i = 0; i < 100; ++i) {
    const std::string id = "a" + std::to_string(i);
    EXPECT_EQ(account(id).balance.granted, i + 1);
    EXPECT_LE(reads_.rows, 1);
    EXPECT_EQ(ask<Account>(grant(id, 1)).balance.granted, i + 2);
    EXPECT_LE(reads_.rows, 1);
  }
  project();
  idle(3);
  EXPECT_EQ(machine_->accounts_in_memory(), 10u);
  EXPECT_EQ(account("a0").balance.reserved, 1);
  EXPECT_EQ(reads_.rows, 0) << "a job has reserved its credits";
  complete();
  EXPECT_EQ(account("a0").balance.captured, 1);
}

// A job that was committed holds nothing any more, and still has the index of its account.
TEST_F(MachineAccounts, AnIndexIsNotGivenAgainWhileAJobHasIt) {
  keep_accounts(0);
  ask<Account>(grant("ann", 10));
  ASSERT_FALSE(submit("ann", 4));
  const ClaimedJob claimed = claim();
  call(CallKind::kStart, claimed);
  call(CallKind::kCommit, claimed);
  for (int i = 0; i < 20; ++i) {
    ask<Account>(grant("a" + std::to_string(i), 1));
    project();
    idle(1);
  }
  EXPECT_EQ(machine_->accounts_in_memory(), 1u);
  call(CallKind::kDone, claimed);
  EXPECT_EQ(account("ann").active_jobs, 0);
  EXPECT_EQ(account("ann").balance, (Balance{10, 6, 0, 4}));
  project();
  idle(2);
  EXPECT_EQ(machine_->accounts_in_memory(), 0u);
  EXPECT_EQ(account("ann").balance, (Balance{10, 6, 0, 4}));
}

TEST_F(MachineAccounts, OpeningBringsOnlyThoseThatLiveJobsNeed) {
  std::vector<Command> grants;
  for (int i = 0; i < 2000; ++i)
    grants.emplace_back(grant("a" + std::to_string(i), 10, "k", Tier::kPro));
  turn(grants);
  for (int i = 0; i < 3; ++i)
    ASSERT_FALSE(submit("a7", 1));
  ASSERT_FALSE(submit("a8", 0));
  crash();
  EXPECT_EQ(machine_->accounts_in_memory(), 2u);
  EXPECT_EQ(account("a1999").balance.granted, 10);
  EXPECT_EQ(machine_->accounts_in_memory(), 2u) << "to look at one does not keep it";
  EXPECT_EQ(account("a7").active_jobs, 3);
  EXPECT_EQ(account("a7").balance.reserved, 3);
}

TEST_F(MachineAccounts, ARowThatCannotBeReadRefusesTheCommandThatNeedsIt) {
  ask<Account>(grant("ann", 10, "k"));
  keep_accounts(0);
  archive_->fails = Code::kDamaged;
  EXPECT_EQ(ask<Error>(GetAccount{"ann"}).code, Code::kDamaged);
  EXPECT_EQ(ask<Error>(grant("ann", 10, "k")).code, Code::kDamaged);
  EXPECT_EQ(submit("ann", 1)->code, Code::kDamaged);
  EXPECT_EQ(account_bytes_, 0u) << "nothing has changed";
  archive_->fails.reset();
  EXPECT_EQ(account("ann").balance.available, 10);
}

}  // namespace
}  // namespace baton::store::local
