// A Machine on a data directory, without threads, for tests that count what commands read, write
// and leave in memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/simulated_disk.h"
#include "base/temporary_directory.h"
#include "store/local/durable/data_directory.h"
#include "store/local/durable/watched_archive.h"

namespace baton::store::local::testbed {

class MachineOnDisk : public testing::Test {
 protected:
  // Closes what is open first; what was not projected is in the log.
  void open(const Tuning& tuning) {
    tuning_ = tuning;
    machine_.reset();
    data_.reset();
    DataOptions options;
    options.catalog.path = directory_.path() + "/catalog.db";
    options.catalog.tuning = tuning;
    auto opened = DataDirectory::open(disk_, options);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    data_ = std::move(*opened);
    archive_ = std::make_unique<WatchedArchive>(*data_);
    machine_ = std::make_unique<Machine>(*archive_, tuning);
    ASSERT_TRUE(data_->load(*machine_, now_).ok());
    ASSERT_TRUE(data_->keep(now_, machine_->reopen(now_, random_).changes).ok());
    machine_->watch_reads([this](const Command&, const Reads& reads) { reads_ = reads; });
  }

  // Called with each turn before it is kept.
  virtual void look_at(Turn& turn) = 0;

  std::vector<Answer> turn(const std::vector<Command>& commands) {
    Turn turn = machine_->turn(commands, now_, random_);
    look_at(turn);
    EXPECT_TRUE(data_->keep(now_, std::move(turn.changes)).ok());
    if (audited_) {
      EXPECT_EQ(machine_->audit(), std::vector<std::string>{});
    }
    return std::move(turn.answers);
  }
  template <class As>
  As ask(Command command) {
    std::vector<Command> commands;
    commands.push_back(std::move(command));
    return std::get<As>(std::move(turn(commands).front()));
  }

  base::TemporaryDirectory directory_;
  base::SimulatedDisk disk_{1};
  base::Random random_{1};
  Time now_{1'700'000'000'000};
  Tuning tuning_;
  std::unique_ptr<DataDirectory> data_;
  std::unique_ptr<WatchedArchive> archive_;
  std::unique_ptr<Machine> machine_;
  Reads reads_;           // of the latest command
  bool audited_ = false;  // after every turn
};

}  // namespace baton::store::local::testbed
