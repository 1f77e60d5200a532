#include "store/local/durable/data_directory.h"

#include <gtest/gtest.h>

#include "base/simulated_disk.h"
#include "base/temporary_directory.h"
#include "store/work_call.h"

namespace baton::store::local {
namespace {
using base::SimulatedDisk;

constexpr Time kNow{1'700'000'000'000};

// A data directory with its Machine, without threads.
class Node {
 public:
  explicit Node(std::uint64_t seed = 1) : disk_(seed), random_(seed) {}

  Status open() {
    DataOptions options;
    options.catalog.path = directory_.path() + "/catalog.db";
    options.log.segment_bytes = 64 << 10;
    auto opened = DataDirectory::open(disk_, options);
    if (!opened) return opened.error();
    data_ = std::move(*opened);
    machine_ = std::make_unique<Machine>(*data_);
    if (const auto loaded = data_->load(*machine_, kNow); !loaded) return loaded.error();
    return data_->keep(kNow, machine_->reopen(kNow, random_).changes);
  }
  void close() {
    machine_.reset();
    data_.reset();
  }
  Status reopen() {
    close();
    disk_.restart();
    return open();
  }

  // The answer, or why the turn was not kept.
  template <class Expected>
  Result<Expected> ask(Command command) {
    std::vector<Command> commands;
    commands.push_back(std::move(command));
    Turn turn = machine_->turn(commands, kNow, random_);
    if (const auto kept = data_->keep(kNow, std::move(turn.changes)); !kept) return kept.error();
    if (const auto* error = std::get_if<Error>(&turn.answers.front())) return *error;
    return std::get<Expected>(std::move(turn.answers.front()));
  }

  Result<JobId> submit(const std::string& payload) {
    auto spec = std::make_shared<Submission>();
    spec->type = "mail";
    spec->payload = payload;
    SubmitBatch batch;
    batch.jobs = {std::move(spec)};
    const auto answer = ask<SubmitAnswer>(std::move(batch));
    if (!answer) return answer.error();
    return answer->results.front()->id;
  }
  ClaimedJob claim() {
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "w";
    return ask<ClaimAnswer>(std::move(request)).value().executions.at(0);
  }
  Result<CallAnswer> call(CallKind kind, const ClaimedJob& claimed) {
    WorkCall call;
    call.call = blank_call(kind);
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    return ask<CallAnswer>(call);
  }

  std::shared_ptr<const JobRecord> record(const JobId& id) {
    auto reader = data_->open_reader();
    auto found = data_->record(**reader, id).value();
    const auto for_machine = data_->facts(id).value();
    EXPECT_EQ(found == nullptr, !for_machine.has_value());
    if (found && for_machine) {
      EXPECT_EQ(for_machine->facts, found->facts);
    }
    return found;
  }
  std::string state(const JobId& id) {
    const auto found = record(id);
    return found ? std::string(name(found->facts.state)) : "none";
  }

  SimulatedDisk& disk() { return disk_; }
  DataDirectory& data() { return *data_; }
  Machine& machine() { return *machine_; }

 private:
  base::TemporaryDirectory directory_;
  SimulatedDisk disk_;
  base::Random random_;
  std::unique_ptr<DataDirectory> data_;
  std::unique_ptr<Machine> machine_;
};

TEST(DataDirectory, ReadsSeeWhatIsKeptWhereverItIs) {
  Node node;
  ASSERT_TRUE(node.open().ok());
  const JobId id = node.submit("one").value();
  EXPECT_EQ(node.record(id)->spec->payload, "one") << "only in the log";
  ASSERT_TRUE(node.data().project(1000).value());
  EXPECT_EQ(node.data().recent().size(), 0u);
  EXPECT_EQ(node.record(id)->spec->payload, "one") << "only in the catalog";
  const ClaimedJob claimed = node.claim();
  EXPECT_EQ(node.state(id), "RUNNING") << "in both";
  EXPECT_EQ(node.record(id)->executions.size(), 1u);
  EXPECT_EQ(node.record(id)->history.size(), 3u);
  ASSERT_TRUE(node.call(CallKind::kAck, claimed).ok());
  EXPECT_EQ(node.state(id), "COMPLETED");
  ASSERT_TRUE(node.ask<Deleted>(DeleteJob{id}).ok());
  EXPECT_EQ(node.state(id), "none") << "deleted in the log";
  ASSERT_TRUE(node.data().finish().ok());
  EXPECT_EQ(node.state(id), "none") << "deleted in the catalog";
}

// The terms of a row that came from the catalog are another object than the machine's.
TEST(DataDirectory, TheMachineAgreesWithRowsWhereverTheyAre) {
  Node node;
  ASSERT_TRUE(node.open().ok());
  ASSERT_TRUE(node.submit("one").ok());
  EXPECT_EQ(node.machine().audit(), std::vector<std::string>{}) << "only in the log";
  ASSERT_TRUE(node.data().finish().ok());
  EXPECT_EQ(node.machine().audit(), std::vector<std::string>{}) << "only in the catalog";
}

TEST(DataDirectory, ChildrenAreSeenAtTheirParent) {
  Node node;
  ASSERT_TRUE(node.open().ok());
  const JobId parent = node.submit("parent").value();
  ASSERT_TRUE(node.data().finish().ok());
  WorkCall ack;
  const ClaimedJob claimed = node.claim();
  ack.execution = claimed.execution;
  ack.token = claimed.facts.execution.token;
  auto child = std::make_shared<Submission>();
  child->type = "child";
  ack.call = AckCall{.spawn = {child}};
  ASSERT_TRUE(node.ask<CallAnswer>(ack).ok());
  ASSERT_EQ(node.record(parent)->children.size(), 1u);
  const JobId made = node.record(parent)->children[0];
  EXPECT_EQ(node.record(made)->parent, parent);
  ASSERT_TRUE(node.data().finish().ok());
  EXPECT_EQ(node.record(parent)->children, std::vector<JobId>{made});
}

// A crash that leaves the system running loses nothing that was kept, however far the catalog is.
TEST(DataDirectory, GoesOnAfterACrashAtAnyDistance) {
  for (const std::size_t projected : {0UL, 1UL, 7UL, 1000UL}) {
    Node node;
    ASSERT_TRUE(node.open().ok());
    std::vector<JobId> ids;
    for (int i = 0; i < 20; ++i) {
      ids.push_back(node.submit("job " + std::to_string(i)).value());
      if (i != 9 || projected == 0) continue;
      ASSERT_TRUE(node.data().project(projected).ok());
    }
    ASSERT_TRUE(node.reopen().ok());
    EXPECT_EQ(node.machine().live_jobs(), 20);
    EXPECT_TRUE(node.machine().audit().empty());
    for (std::size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(node.record(ids[i])->spec->payload, "job " + std::to_string(i));
    EXPECT_EQ(node.claim().job, ids[0]);
  }
}

TEST(DataDirectory, KeepsNothingMoreAfterAFailedWrite) {
  Node node;
  ASSERT_TRUE(node.open().ok());
  const JobId before = node.submit("before").value();
  node.disk().fail(SimulatedDisk::Fault::kWrite);
  const auto refused = node.submit("lost");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
  EXPECT_FALSE(node.submit("later").ok()) << "the disk works again, the store must not";
  EXPECT_EQ(node.data().failure(), refused.error());
  EXPECT_FALSE(node.data().finish().ok());
  ASSERT_TRUE(node.reopen().ok());
  EXPECT_EQ(node.state(before), "SCHEDULED");
  EXPECT_TRUE(node.submit("again").ok());
}

TEST(DataDirectory, AFullDiskIsNamed) {
  Node node;
  ASSERT_TRUE(node.open().ok());
  node.disk().set_free_bytes(0);
  Error error;
  for (int i = 0; i < 1000 && error.message.empty(); ++i) {
    const auto made = node.submit(std::string(1000, 'x'));
    if (!made) error = made.error();
  }
  EXPECT_EQ(error.code, Code::kStoreUnavailable);
  EXPECT_NE(error.message.find("no space left"), std::string::npos) << error.message;
}

// The power goes at every single operation of the disk in turn: what was acknowledged is there
// afterwards, in a catalog and a Machine that agree.
TEST(DataDirectory, EveryAcknowledgedJobSurvivesACrashAtEveryOperation) {
  bool ran_through = false;
  for (std::uint64_t operation = 1; !ran_through; ++operation) {
    Node node(operation);
    node.disk().stop_at(operation);
    std::vector<JobId> acknowledged;
    bool failed = !node.open().ok();
    for (int i = 0; i < 60 && !failed; ++i) {
      const auto made = node.submit(std::string(2000, 'x'));
      failed = !made.ok();
      if (made) acknowledged.push_back(*made);
      if (i % 10 == 9) failed = failed || !node.data().project(1000).ok();
    }
    ran_through = !failed;
    node.close();
    node.disk().crash();
    ASSERT_TRUE(node.open().ok()) << "after a crash at operation " << operation;
    EXPECT_TRUE(node.machine().audit().empty());
    for (const JobId& id : acknowledged)
      ASSERT_EQ(node.state(id), "SCHEDULED") << "after a crash at operation " << operation;
    EXPECT_LE(node.machine().live_jobs(), static_cast<std::int64_t>(acknowledged.size()) + 1);
  }
}

TEST(DataDirectory, ABareHeartbeatMayBeForgotten) {
  Node node;
  ASSERT_TRUE(node.open().ok());
  ASSERT_TRUE(node.submit("one").ok());
  const ClaimedJob claimed = node.claim();
  const std::uint64_t before = node.disk().operations();
  ASSERT_TRUE(node.call(CallKind::kHeartbeat, claimed).ok());
  EXPECT_EQ(node.disk().operations(), before) << "it cost no write";
  node.close();
  node.disk().crash();
  ASSERT_TRUE(node.open().ok());
  EXPECT_EQ(node.state(claimed.job), "RUNNING");
  EXPECT_TRUE(node.call(CallKind::kAck, claimed).ok());
}

}  // namespace
}  // namespace baton::store::local
