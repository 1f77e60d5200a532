#include "store/local/durable/projector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "base/eventually.h"
#include "base/simulated_disk.h"
#include "base/temporary_directory.h"
#include "store/local/machine/machine_thread.h"

namespace baton::store::local {
namespace {

constexpr Time kNow{1'700'000'000'000};
constexpr std::size_t kMost = 512 << 10;
constexpr std::size_t kPayload = 100'000;

// A data directory with its Machine and its projector.
class ProjectorTest : public testing::Test {
 protected:
  ProjectorTest() {
    Tuning tuning;
    tuning.project_bytes = kMost / 4;
    tuning.most_unprojected_bytes = kMost;
    open(tuning);
  }

  void open(const Tuning& tuning) {
    machine_.reset();
    data_.reset();
    DataOptions options;
    options.catalog.path = directory_.path() + "/catalog.db";
    options.catalog.tuning = tuning;
    data_ = std::move(DataDirectory::open(disk_, options)).value();
    machine_ = std::make_unique<Machine>(*data_, tuning);
    EXPECT_TRUE(data_->load(*machine_, kNow).ok());
    EXPECT_TRUE(data_->keep(kNow, machine_->reopen(kNow, random_).changes).ok());
  }

  void submit(std::size_t bytes) {
    auto spec = std::make_shared<Submission>();
    spec->type = "mail";
    spec->payload = std::string(bytes, 'x');
    SubmitBatch batch;
    batch.jobs = {std::move(spec)};
    std::vector<Command> commands;
    commands.emplace_back(std::move(batch));
    Turn turn = machine_->turn(commands, kNow, random_);
    ASSERT_TRUE(data_->keep(kNow, std::move(turn.changes)).ok());
  }

  base::SimulatedDisk disk_{1};
  base::TemporaryDirectory directory_;
  base::Random random_{1};
  std::unique_ptr<DataDirectory> data_;
  std::unique_ptr<Machine> machine_;
};

// Only changes were counted: a few large submissions took memory without bound.
TEST_F(ProjectorTest, NewTurnsWaitWhileTooManyBytesAreNotProjected) {
  Projector projector(*data_);
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    submit(kPayload);
    most = std::max(most, data_->recent().bytes());
    projector.kept();
    ASSERT_LT(data_->recent().bytes(), kMost);
  }
  EXPECT_LT(most, kMost + 2 * kPayload) << "one turn more than the limit";
}

// A projector that stands still: nothing that happens by itself fills up what commands need.
TEST_F(ProjectorTest, AProjectorThatStandsStillHoldsUpNoCommandBecauseOfTimers) {
  constexpr std::size_t kTimers = 1'000;
  Tuning tuning;
  tuning.most_unprojected = 200;
  tuning.timers_per_turn = 10;
  open(tuning);
  base::ManualClock clock(kNow);
  Projector projector(*data_);
  std::atomic<std::size_t> scheduled{0};
  MachineThread thread(
      *machine_, {clock, {}}, base::Random(1),
      [&](Time at, std::vector<RowChange> changes) {
        for (const RowChange& row : changes) {
          const auto* change = std::get_if<JobChange>(&row);
          const bool ready =
              change != nullptr && !change->made && change->facts.state == JobState::kScheduled;
          if (ready) ++scheduled;
        }
        Status kept = data_->keep(at, std::move(changes));
        projector.kept();
        return kept;
      },
      tuning, [&] { return data_->is_behind(); });
  const auto ask = [&](Command command) {
    std::promise<Answer> answer;
    thread.post(std::move(command), [&](Answer one) { answer.set_value(std::move(one)); });
    auto future = answer.get_future();
    const bool answered = future.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    EXPECT_TRUE(answered);
    return answered;
  };
  auto spec = std::make_shared<Submission>();
  spec->type = "mail";
  spec->delay = base::seconds(5);
  SubmitBatch batch;
  batch.jobs.assign(100, spec);
  for (std::size_t i = 0; i < kTimers; i += batch.jobs.size())
    ASSERT_TRUE(ask(batch));
  std::promise<void> caught_up;
  projector.when_caught_up([&](const Status&) { caught_up.set_value(); });
  caught_up.get_future().wait();
  // From its next transaction on it stands still.
  std::promise<void> go_on;
  std::shared_future<void> going_on = go_on.get_future().share();
  std::atomic<bool> stands{false};
  projector.when_nearer([&] {
    stands = true;
    going_on.wait();
    thread.came_nearer();
  });
  batch.jobs.assign(1, spec);
  ASSERT_TRUE(ask(batch));
  ASSERT_TRUE(base::eventually([&] { return stands.load(); }));
  clock.advance(base::seconds(5));
  ASSERT_TRUE(ask(RunTimers{}));
  for (std::size_t i = 0; i < kTimers && !data_->is_behind(); ++i)
    ASSERT_TRUE(ask(RunTimers{}));
  ASSERT_TRUE(data_->is_behind());
  EXPECT_LE(scheduled, 120u);
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(ask(batch)) << i << ": it waits for the projector";
    ASSERT_LT(data_->recent().size(), tuning.most_unprojected);
  }
  go_on.set_value();
  EXPECT_TRUE(base::eventually([&] { return scheduled == kTimers; }));
  projector.stop();
}

TEST_F(ProjectorTest, ATransactionHasSoManyBytes) {
  for (int i = 0; i < 8; ++i)
    submit(kPayload);
  std::size_t before = data_->recent().bytes();
  int rounds = 0;
  while (before > 0) {
    ASSERT_TRUE(data_->project(1'000).ok());
    EXPECT_LE(before - data_->recent().bytes(), kMost / 4 + 2 * kPayload);
    before = data_->recent().bytes();
    ++rounds;
  }
  EXPECT_GE(rounds, 4);
}

}  // namespace
}  // namespace baton::store::local
