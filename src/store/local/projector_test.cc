#include "store/local/projector.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/simulated_disk.h"
#include "base/temporary_directory.h"

namespace baton::store::local {
namespace {

constexpr Time kNow{1'700'000'000'000};
constexpr std::size_t kMost = 512 << 10;
constexpr std::size_t kPayload = 100'000;

// A data directory with its Machine and its projector.
class ProjectorTest : public testing::Test {
 protected:
  ProjectorTest() {
    DataOptions options;
    options.catalog.path = directory_.path() + "/catalog.db";
    options.catalog.tuning.project_bytes = kMost / 4;
    options.catalog.tuning.most_unprojected_bytes = kMost;
    data_ = std::move(DataDirectory::open(disk_, options)).value();
    machine_ = std::make_unique<Machine>(*data_);
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
