// What names and terms leave behind in memory when the jobs that brought them are over.
#include <gtest/gtest.h>

#include "base/simulated_disk.h"
#include "base/temporary_directory.h"
#include "store/local/catalog/sql.h"
#include "store/local/durable/data_directory.h"
#include "store/local/machine/empty_archive.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

constexpr Time kStart{1'700'000'000'000};
constexpr std::int64_t kInATurn = 500;

// Jobs of which no two have a type or a lifetime in common.
SubmitBatch distinct_jobs(std::int64_t first) {
  SubmitBatch batch;
  batch.jobs.reserve(static_cast<std::size_t>(kInATurn));
  for (std::int64_t i = first; i < first + kInATurn; ++i) {
    auto job = std::make_shared<Submission>();
    job->type = "type-" + std::to_string(i);
    job->timeouts.lifetime = base::milliseconds(1'000'000 + i);
    batch.jobs.push_back(std::move(job));
  }
  return batch;
}

ClaimRequest claim_all() {
  ClaimRequest request;
  request.queues = {"default"};
  request.max = static_cast<int>(kInATurn);
  request.worker = "w";
  return request;
}

WorkBatch acks_of(const ClaimAnswer& claimed) {
  WorkBatch batch;
  batch.calls.reserve(claimed.executions.size());
  for (const ClaimedJob& one : claimed.executions) {
    WorkCall call;
    call.call = AckCall{};
    call.execution = one.execution;
    call.token = one.facts.execution.token;
    batch.calls.push_back(std::move(call));
  }
  return batch;
}

// A data directory with its Machine, without threads.
class Restartable {
 public:
  explicit Restartable(const Tuning& tuning) : tuning_(tuning) {}

  void open() {
    DataOptions options;
    options.catalog.path = directory_.path() + "/catalog.db";
    options.catalog.tuning = tuning_;
    data_ = DataDirectory::open(disk_, options).value();
    machine_ = std::make_unique<Machine>(*data_, tuning_, &data_->terms());
    ASSERT_TRUE(data_->load(*machine_, kStart).ok());
    ASSERT_TRUE(data_->keep(kStart, machine_->reopen(kStart, random_).changes).ok());
  }
  void reopen() {
    machine_.reset();
    data_.reset();
    disk_.restart();
    open();
  }
  Answer ask(Command command) {
    Turn turn = machine_->turn({std::move(command)}, kStart, random_);
    EXPECT_TRUE(data_->keep(kStart, std::move(turn.changes)).ok());
    return std::move(turn.answers.front());
  }
  void come_and_go(std::int64_t first) {
    ask(distinct_jobs(first));
    const Answer claimed = ask(claim_all());
    ASSERT_EQ(std::get<ClaimAnswer>(claimed).executions.size(), static_cast<std::size_t>(kInATurn));
    ask(acks_of(std::get<ClaimAnswer>(claimed)));
  }
  void project() {
    while (data_->project(100'000).value()) {
    }
  }
  std::int64_t rows_of_terms() const {
    Database database({directory_.path() + "/catalog.db", "", false});
    return database.number("SELECT count(*) FROM terms");
  }

  Machine& machine() { return *machine_; }
  TermsTable& terms() { return data_->terms(); }

 private:
  const Tuning tuning_;
  base::TemporaryDirectory directory_;
  base::SimulatedDisk disk_{1};
  base::Random random_{1};
  std::unique_ptr<DataDirectory> data_;
  std::unique_ptr<Machine> machine_;
};

TEST(MachineNames, JobsThatEndedLeaveNoTermsTypesAndLanesBehind) {
  Tuning tuning;
  tuning.shared_terms = 100;
  Restartable node(tuning);
  node.open();
  std::size_t most = 0;
  for (std::int64_t first = 0; first < 20'000; first += kInATurn) {
    node.come_and_go(first);
    node.project();
    most = std::max(most, node.terms().size());
    EXPECT_LE(node.machine().sizes().types, static_cast<std::size_t>(2 * kInATurn));
    EXPECT_EQ(node.machine().sizes().lanes, 0U);
  }
  // What one round uses, as much again that has not been swept, and what the catalog shares.
  EXPECT_LE(most, 2 * static_cast<std::size_t>(kInATurn) + 100 + TermsTable::kSpared);
  EXPECT_EQ(node.rows_of_terms(), 100);
  for (int i = 0; i < 100; ++i)
    node.ask(RunTimers{});
  EXPECT_LE(node.terms().size(), 100 + TermsTable::kSpared + 1);
  EXPECT_EQ(node.machine().sizes().types, 0U);
  EXPECT_EQ(node.machine().audit(), std::vector<std::string>{});
}

TEST(MachineNames, ARestartLoadsOnlyWhatLiveJobsUse) {
  Tuning tuning;
  tuning.shared_terms = 100;
  Restartable node(tuning);
  node.open();
  for (std::int64_t first = 0; first < 5'000; first += kInATurn)
    node.come_and_go(first);
  node.ask(distinct_jobs(1'000'000));
  node.project();
  node.reopen();
  const auto live = static_cast<std::size_t>(kInATurn);
  EXPECT_EQ(node.machine().live_jobs(), kInATurn);
  EXPECT_EQ(node.machine().sizes().types, live);
  EXPECT_EQ(node.machine().sizes().lanes, live);
  EXPECT_LE(node.terms().size(), live + 100 + TermsTable::kSpared);
  node.ask(acks_of(std::get<ClaimAnswer>(node.ask(claim_all()))));
  for (int i = 0; i < 50; ++i)
    node.ask(RunTimers{});
  node.project();
  for (int i = 0; i < 50; ++i)
    node.ask(RunTimers{});
  EXPECT_LE(node.terms().size(), 100 + TermsTable::kSpared + 1);
  EXPECT_EQ(node.machine().sizes().types, 0U);
  EXPECT_EQ(node.machine().audit(), std::vector<std::string>{});
}

// Only the Machine: 100,000 jobs in a few seconds.

TEST(MachineNames, AHundredThousandLifetimesLeaveNextToNothing) {
  const EmptyArchive archive;
  base::Random random{1};
  TermsTable terms;
  Machine machine(archive, {}, &terms);
  std::size_t most = 0;
  for (std::int64_t first = 0; first < 100'000; first += kInATurn) {
    machine.turn({distinct_jobs(first)}, kStart, random);
    const Turn claimed = machine.turn({claim_all()}, kStart, random);
    const WorkBatch acks = acks_of(std::get<ClaimAnswer>(claimed.answers.front()));
    ASSERT_EQ(acks.calls.size(), static_cast<std::size_t>(kInATurn));
    EXPECT_EQ(machine.sizes().types, acks.calls.size());
    machine.turn({acks}, kStart, random);
    EXPECT_EQ(machine.live_jobs(), 0);
    most = std::max(most, terms.size());
  }
  EXPECT_LE(most, 2 * static_cast<std::size_t>(kInATurn) + TermsTable::kSpared);
  for (int i = 0; i < 50; ++i)
    machine.turn({}, kStart, random);
  EXPECT_LE(terms.size(), TermsTable::kSpared + 1);
  EXPECT_EQ(machine.sizes().types, 0U);
  EXPECT_EQ(machine.sizes().lanes, 0U);
}

class MachineQueueLimit : public testing::Test {
 protected:
  static Tuning three_queues() {
    Tuning tuning;
    tuning.most_queues = 3;
    return tuning;
  }
  Answer ask(Command command) {
    Turn turn = machine_.turn({std::move(command)}, kStart, random_);
    rows_.apply(turn.changes);
    EXPECT_EQ(machine_.audit(), std::vector<std::string>{});
    return std::move(turn.answers.front());
  }
  SubmitAnswer submit(const std::vector<std::string>& queues, bool atomic = false) {
    SubmitBatch batch;
    batch.atomic = atomic;
    for (const std::string& queue : queues) {
      auto job = std::make_shared<Submission>();
      job->type = "t";
      job->queue = queue;
      batch.jobs.push_back(std::move(job));
    }
    return std::get<SubmitAnswer>(ask(std::move(batch)));
  }
  static void expect_refused(const Error& error) {
    EXPECT_EQ(name(error.code), "conflict");
    EXPECT_EQ(error.field, "queue");
    EXPECT_NE(error.message.find("3 queues"), std::string::npos) << error.message;
  }

  Rows rows_;
  base::Random random_{1};
  Machine machine_{rows_, three_queues()};
};

TEST_F(MachineQueueLimit, OneQueueTooManyIsRefusedAndTheOthersGoOn) {
  EXPECT_TRUE(submit({"a", "b"}).results[1].ok());
  const SubmitAnswer answer = submit({"c", "d", "c", "a", "e"});
  EXPECT_TRUE(answer.results[0].ok());
  expect_refused(answer.results[1].error());
  EXPECT_TRUE(answer.results[2].ok());
  EXPECT_TRUE(answer.results[3].ok());
  expect_refused(answer.results[4].error());
  EXPECT_EQ(machine_.sizes().queues, 3U);
  EXPECT_TRUE(submit({"a", "b", "c"}).results[2].ok());
}

TEST_F(MachineQueueLimit, AnAtomicBatchMakesNoneOfItsQueues) {
  submit({"a"});
  const SubmitAnswer answer = submit({"b", "c", "d"}, true);
  ASSERT_TRUE(answer.refused.has_value());
  EXPECT_EQ(answer.refused->index, 2U);
  expect_refused(answer.refused->error);
  EXPECT_EQ(machine_.sizes().queues, 1U);
}

TEST_F(MachineQueueLimit, SettingsMakeNoQueueBeyondIt) {
  submit({"a", "b", "c"});
  QueueUpdate update;
  update.name = "d";
  update.paused = true;
  expect_refused(std::get<Error>(ask(update)));
  update.name = "a";
  EXPECT_TRUE(std::get<Queue>(ask(update)).settings.paused);
}

}  // namespace
}  // namespace baton::store::local
