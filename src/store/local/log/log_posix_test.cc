// The log on the real file system, and with two threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/posix_disk.h"
#include "base/temporary_directory.h"
#include "store/local/log/testing.h"

namespace baton::store::local {
namespace {

using testbed::payload;

constexpr LogOptions kOptions = {.segment_bytes = 256U << 10, .new_id = 0};

class LogOnDisk : public ::testing::Test {
 protected:
  std::unique_ptr<Log> open(std::uint64_t applied, const LogOptions& options = kOptions) {
    auto log = Log::open(*disk_, options, applied);
    EXPECT_TRUE(log.ok()) << (log.ok() ? "" : log.error().message);
    return std::move(log).value();
  }

  base::TemporaryDirectory directory_;
  std::unique_ptr<base::PosixDisk> disk_ = base::PosixDisk::open(directory_.path()).value();
};

std::size_t size_of_turn(std::uint64_t turn) { return turn * 7919 % 20'000; }

TEST_F(LogOnDisk, GivesBackEveryTurnAndUsesSegmentsAgain) {
  constexpr std::uint64_t kTurns = 300;
  {
    const auto log = open(0);
    for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
      ASSERT_TRUE(log->append(turn, payload(turn, size_of_turn(turn)), turn % 4 != 0).ok());
      if (turn % 10 == 0) {
        ASSERT_TRUE(log->release(turn > 50 ? turn - 50 : 0).ok());
      }
    }
    ASSERT_TRUE(log->flush().ok());
    EXPECT_LE(disk_->list().value().size(), 10U);
  }
  const auto log = open(kTurns - 50);
  std::uint64_t expected = kTurns - 50;
  for (const testbed::Replayed& turn : testbed::replay(*log)) {
    ASSERT_EQ(turn.turn, ++expected);
    ASSERT_EQ(turn.bytes, payload(turn.turn, size_of_turn(turn.turn)));
  }
  EXPECT_EQ(expected, kTurns);
}

TEST_F(LogOnDisk, TakesTurnsLargerThanASegment) {
  {
    const auto log = open(0);
    ASSERT_TRUE(log->append(1, payload(1, 3'000'000), true).ok());
    ASSERT_TRUE(log->append(2, payload(2, 10), true).ok());
  }
  const auto log = open(0);
  EXPECT_EQ(testbed::replay(*log),
            (std::vector<testbed::Replayed>{{1, payload(1, 3'000'000)}, {2, payload(2, 10)}}));
}

TEST_F(LogOnDisk, WorksWithTheUsualSizeOfSegments) {
  { ASSERT_TRUE(open(0, {})->append(1, payload(1, 10), true).ok()); }
  EXPECT_EQ(testbed::replay(*open(0, {})).size(), 1U);
}

TEST_F(LogOnDisk, GivesEveryNewLogAnIdOfItsOwn) {
  { ASSERT_TRUE(open(0)->append(1, payload(1, 10), true).ok()); }
  base::TemporaryDirectory other_directory;
  const auto other = base::PosixDisk::open(other_directory.path()).value();
  { ASSERT_TRUE(Log::open(*other, kOptions, 0).value()->append(1, payload(1, 10), true).ok()); }
  const auto block_of = [](base::Disk& disk) {
    testbed::Payload block(testbed::kBlock);
    const auto file = disk.open(testbed::in_use(1), base::Access::kRead).value();
    EXPECT_TRUE(file->read(0, block).ok());
    return read_segment_header(block).value();
  };
  EXPECT_NE(block_of(*disk_).log_id, block_of(*other).log_id);
}

// One thread appends, another applies and releases, as the Machine and the projector do.
TEST_F(LogOnDisk, IsReleasedByAnotherThread) {
  constexpr std::uint64_t kTurns = 400;
  std::atomic<std::uint64_t> applied{0};
  {
    const auto log = open(0);
    std::atomic<bool> done{false};
    std::thread projector([&] {
      while (!done) {
        const std::uint64_t durable = log->durable_turn();
        ASSERT_TRUE(log->release(durable).ok());
        applied = durable;
        EXPECT_LE(log->bytes_held(), 20'000'000U);
        std::this_thread::yield();
      }
    });
    for (std::uint64_t turn = 1; turn <= kTurns; ++turn)
      EXPECT_TRUE(log->append(turn, payload(turn, size_of_turn(turn)), turn % 3 != 0).ok());
    done = true;
    projector.join();
    ASSERT_TRUE(log->flush().ok());
    EXPECT_EQ(log->durable_turn(), kTurns);
  }
  const auto log = open(applied);
  EXPECT_EQ(log->last_turn(), kTurns);
  std::uint64_t expected = applied;
  for (const testbed::Replayed& turn : testbed::replay(*log)) {
    ASSERT_EQ(turn.turn, ++expected);
    ASSERT_EQ(turn.bytes, payload(turn.turn, size_of_turn(turn.turn)));
  }
}

}  // namespace
}  // namespace baton::store::local
