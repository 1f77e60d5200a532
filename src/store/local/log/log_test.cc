#include "store/local/log/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "store/local/log/testing.h"

namespace baton::store::local {
namespace {

using testbed::in_use;
using testbed::kBlock;
using testbed::kSmall;
using testbed::payload;
using testbed::replay;
using testbed::Replayed;

std::unique_ptr<Log> open(base::Disk& disk, std::uint64_t applied = 0,
                          const LogOptions& options = kSmall) {
  auto log = Log::open(disk, options, applied);
  EXPECT_TRUE(log.ok()) << (log.ok() ? "" : log.error().message);
  return log.ok() ? std::move(log).value() : nullptr;
}

// Appends turns `first` to `last`, each durable and with bytes of its own.
void append_turns(Log& log, std::uint64_t first, std::uint64_t last, std::size_t size = 100) {
  for (std::uint64_t turn = first; turn <= last; ++turn)
    ASSERT_TRUE(log.append(turn, payload(turn, size), true).ok());
}

std::vector<Replayed> turns(std::uint64_t first, std::uint64_t last, std::size_t size = 100) {
  std::vector<Replayed> expected;
  for (std::uint64_t turn = first; turn <= last; ++turn)
    expected.push_back({turn, payload(turn, size)});
  return expected;
}

std::vector<std::string> names_in(base::Disk& disk) { return disk.list().value(); }

std::size_t count_files(base::Disk& disk, SegmentState state) {
  const auto names = names_in(disk);
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const auto& name) {
    const auto parsed = parse_segment_name(name);
    return parsed && parsed->state == state;
  }));
}

TEST(Log, IsEmptyWhenItIsNew) {
  base::SimulatedDisk disk(1);
  for (int i = 0; i < 3; ++i) {
    const auto log = open(disk);
    EXPECT_EQ(log->last_turn(), 0U);
    EXPECT_EQ(log->durable_turn(), 0U);
    EXPECT_EQ(log->bytes_held(), 0U);
    EXPECT_TRUE(replay(*log).empty());
  }
}

TEST(Log, GivesBackEveryTurnInOrder) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    append_turns(*log, 1, 2);
    EXPECT_EQ(log->last_turn(), 2U);
  }
  const auto log = open(disk);
  EXPECT_EQ(log->last_turn(), 2U);
  EXPECT_EQ(replay(*log), turns(1, 2));
}

TEST(Log, KeepsTurnsOfEverySize) {
  base::SimulatedDisk disk(1);
  std::vector<Replayed> expected;
  {
    const auto log = open(disk);
    for (const std::size_t size :
         {0U, 1U, 4039U, 4040U, 4041U, 8135U, 8136U, 8137U, 12'232U, 12'233U, 100'000U}) {
      expected.push_back({expected.size() + 1, payload(size, size)});
      ASSERT_TRUE(log->append(expected.size(), expected.back().bytes, true).ok());
    }
  }
  EXPECT_EQ(replay(*open(disk)), expected);
}

TEST(Log, GoesOnAfterEveryOpen) {
  base::SimulatedDisk disk(1);
  for (std::uint64_t turn = 1; turn <= 20; ++turn) {
    const auto log = open(disk);
    ASSERT_EQ(replay(*log), turns(1, turn - 1));
    append_turns(*log, turn, turn);
  }
}

TEST(Log, FillsManySegments) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    append_turns(*log, 1, 100);
    EXPECT_EQ(count_files(disk, SegmentState::kInUse), 34U);
    EXPECT_EQ(log->bytes_held(), 100 * kBlock);
  }
  const auto log = open(disk);
  EXPECT_EQ(replay(*log), turns(1, 100));
  EXPECT_EQ(log->bytes_held(), 100 * kBlock);
}

TEST(Log, PutsALargeTurnIntoASegmentOfItsOwn) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    append_turns(*log, 1, 4);
    append_turns(*log, 5, 6, 50'000);
    append_turns(*log, 7, 8);
  }
  const auto log = open(disk);
  auto expected = turns(1, 4);
  for (const auto& more : {turns(5, 6, 50'000), turns(7, 8)})
    expected.insert(expected.end(), more.begin(), more.end());
  EXPECT_EQ(replay(*log), expected);
  ASSERT_TRUE(log->release(8).ok());
  for (const std::string& name : names_in(disk)) {
    const auto file = disk.open(name, base::Access::kRead).value();
    EXPECT_EQ(file->size().value(), kSmall.segment_bytes) << "large files are not kept: " << name;
  }
}

// The segment that was ready before a large one stays empty, and comes back.
TEST(Log, LosesNoFileToALargeTurn) {
  base::SimulatedDisk disk(1);
  const auto log = open(disk);
  for (std::uint64_t turn = 1; turn <= 40; ++turn) {
    append_turns(*log, turn, turn, turn % 2 == 0 ? 50'000 : 100);
    ASSERT_TRUE(log->release(turn).ok());
    ASSERT_LE(disk.list().value().size(), 5U);
  }
}

TEST(Log, WritesTurnsThatAreNotDurableWithTheNextThatIs) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    const std::uint64_t before = disk.operations();
    ASSERT_TRUE(log->append(1, payload(1, 100), false).ok());
    ASSERT_TRUE(log->append(2, payload(2, 100), false).ok());
    EXPECT_EQ(disk.operations(), before);
    EXPECT_EQ(log->last_turn(), 2U);
    EXPECT_EQ(log->durable_turn(), 0U);
    ASSERT_TRUE(log->append(3, payload(3, 100), true).ok());
    EXPECT_EQ(disk.operations(), before + 1) << "one write";
    EXPECT_EQ(log->durable_turn(), 3U);
    EXPECT_EQ(log->bytes_held(), kBlock) << "one record";
  }
  EXPECT_EQ(replay(*open(disk)), turns(1, 3));
}

TEST(Log, WritesWhatWaitsWhenItIsFlushed) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    ASSERT_TRUE(log->append(1, payload(1, 100), false).ok());
    ASSERT_TRUE(log->flush().ok());
    EXPECT_EQ(log->durable_turn(), 1U);
    const std::uint64_t before = disk.operations();
    ASSERT_TRUE(log->flush().ok());
    EXPECT_EQ(disk.operations(), before) << "nothing waits";
    ASSERT_TRUE(log->append(2, payload(2, 100), false).ok());
  }
  EXPECT_EQ(replay(*open(disk)), turns(1, 1)) << "what waited at the end is forgotten";
}

TEST(Log, WritesWhatWaitsWhenItIsMuch) {
  base::SimulatedDisk disk(1);
  const auto log = open(disk);
  std::uint64_t turn = 0;
  while (log->durable_turn() == 0 && turn < 1000) {
    ++turn;
    ASSERT_TRUE(log->append(turn, payload(turn, 1000), false).ok());
  }
  EXPECT_EQ(log->durable_turn(), turn);
  EXPECT_LT(turn, 300U);
  EXPECT_EQ(replay(*open(disk)), turns(1, turn, 1000));
}

TEST(Log, TakesATurnStraightIntoItsWriteBuffer) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    for (std::uint64_t turn = 1; turn <= 3; ++turn) {
      const auto write = [&](base::AlignedBuffer& buffer) {
        for (const std::byte byte : payload(turn, 5000))
          *buffer.extend(1) = byte;
      };
      ASSERT_TRUE(log->append(turn, write, turn != 1).ok());
    }
  }
  EXPECT_EQ(replay(*open(disk)), turns(1, 3, 5000));
}

// Turns that wait in memory stand in the buffer before the one that is given up.
TEST(Log, IsAsItWasAfterATurnThatThrowsMidway) {
  base::SimulatedDisk disk(1);
  const auto give_up = [](base::AlignedBuffer& buffer) {
    buffer.append(payload(9, 100'000));
    throw std::bad_alloc();
  };
  {
    const auto log = open(disk);
    EXPECT_THROW((void)log->append(1, give_up, true), std::bad_alloc);
    EXPECT_EQ(log->last_turn(), 0U);
    ASSERT_TRUE(log->append(1, payload(1, 100), false).ok());
    EXPECT_THROW((void)log->append(2, give_up, true), std::bad_alloc);
    EXPECT_EQ(log->last_turn(), 1U);
    EXPECT_EQ(log->durable_turn(), 0U);
    ASSERT_TRUE(log->append(2, payload(2, 100), true).ok());
    EXPECT_THROW((void)log->append(3, give_up, false), std::bad_alloc);
    ASSERT_TRUE(log->flush().ok());
  }
  EXPECT_EQ(replay(*open(disk)), turns(1, 2));
}

TEST(Log, ReplaysOnlyWhatTheCatalogHasNot) {
  base::SimulatedDisk disk(1);
  append_turns(*open(disk), 1, 10);
  for (std::uint64_t applied = 0; applied <= 10; ++applied)
    EXPECT_EQ(replay(*open(disk, applied)), turns(applied + 1, 10));
}

TEST(Log, StopsReplayAtTheFirstErrorOfTheVisitor) {
  base::SimulatedDisk disk(1);
  append_turns(*open(disk), 1, 10);
  std::uint64_t seen = 0;
  const Status stopped =
      open(disk)->replay([&](std::uint64_t turn, std::span<const std::byte>) -> Status {
        seen = turn;
        if (turn == 4) return Error{Code::kConflict, "enough", {}, {}};
        return Ok{};
      });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().message, "enough");
  EXPECT_EQ(seen, 4U);
}

// ---- Segments that are used again -------------------------------------------------------------

TEST(Log, UsesReleasedSegmentsAgain) {
  base::SimulatedDisk disk(1);
  const auto log = open(disk);
  for (std::uint64_t turn = 1; turn <= 200; ++turn) {
    append_turns(*log, turn, turn);
    ASSERT_TRUE(log->release(turn).ok());
  }
  EXPECT_LE(disk.list().value().size(), 5U);
  EXPECT_LE(log->bytes_held(), 3 * kBlock);
  EXPECT_EQ(replay(*open(disk, 199)), turns(200, 200));
}

TEST(Log, NeverMakesAFileWhileSegmentsComeBack) {
  base::SimulatedDisk disk(1);
  const auto log = open(disk);
  append_turns(*log, 1, 10);
  ASSERT_TRUE(log->release(10).ok());
  disk.set_free_bytes(0);
  for (std::uint64_t turn = 11; turn <= 200; ++turn) {
    append_turns(*log, turn, turn);
    ASSERT_TRUE(log->release(turn).ok());
  }
}

TEST(Log, KeepsFewSegmentsAfterABurst) {
  base::SimulatedDisk disk(1);
  const auto log = open(disk);
  append_turns(*log, 1, 100);
  ASSERT_TRUE(log->release(100).ok());
  EXPECT_EQ(count_files(disk, SegmentState::kFree), 1U) << "one of two is the next segment already";
  EXPECT_EQ(count_files(disk, SegmentState::kInUse), 2U);
}

TEST(Log, NeedsOneWriteForATurnWhenTheNextSegmentIsReady) {
  base::SimulatedDisk disk(1);
  const auto log = open(disk);
  for (std::uint64_t turn = 1; turn <= 50; ++turn) {
    ASSERT_TRUE(log->release(turn - 1).ok());
    const std::uint64_t before = disk.operations();
    append_turns(*log, turn, turn);
    ASSERT_EQ(disk.operations(), before + 1);
  }
}

// The old records of a file that is used again are whole, with checksums that fit.
TEST(Log, DoesNotCountWhatAFileHeldBefore) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    append_turns(*log, 1, 30);
    ASSERT_TRUE(log->release(30).ok());
    append_turns(*log, 31, 31);
  }
  for (std::uint64_t turn = 31; turn <= 60; ++turn) {
    const auto log = open(disk, 30);
    ASSERT_EQ(replay(*log), turns(31, turn));
    append_turns(*log, turn + 1, turn + 1);
  }
}

TEST(Log, TakesUpASegmentSizeThatHasChanged) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    append_turns(*log, 1, 30);
    ASSERT_TRUE(log->release(20).ok());
    EXPECT_EQ(count_files(disk, SegmentState::kFree), 1U);
  }
  LogOptions larger = kSmall;
  larger.segment_bytes = 8 * kBlock;
  {
    open(disk, 20, larger);  // leaves a segment ready that is as large as its header says
    const auto log = open(disk, 20, larger);
    EXPECT_EQ(replay(*log), turns(21, 30));
    append_turns(*log, 31, 40);
    ASSERT_TRUE(log->release(40).ok());
    append_turns(*log, 41, 41);
    ASSERT_TRUE(log->release(41).ok());
  }
  const auto log = open(disk, 40, larger);
  EXPECT_EQ(replay(*log), turns(41, 41));
  for (const std::string& name : names_in(disk))
    EXPECT_EQ(disk.open(name, base::Access::kRead).value()->size().value(), larger.segment_bytes);
}

// ---- The catalog and the log ------------------------------------------------------------------

TEST(Log, GoesOnBehindACatalogThatIsAhead) {
  base::SimulatedDisk disk(1);
  append_turns(*open(disk), 1, 4);
  {
    const auto log = open(disk, 10);
    EXPECT_EQ(log->last_turn(), 10U);
    EXPECT_TRUE(replay(*log).empty());
    append_turns(*log, 11, 15);
  }
  const auto log = open(disk, 10);
  EXPECT_EQ(replay(*log), turns(11, 15));
  EXPECT_EQ(replay(*open(disk, 12)), turns(13, 15));
}

TEST(Log, RefusesACatalogThatMissesReleasedTurns) {
  base::SimulatedDisk disk(1);
  {
    const auto log = open(disk);
    append_turns(*log, 1, 10);
    ASSERT_TRUE(log->release(9).ok());
  }
  EXPECT_EQ(testbed::refusal(disk, 9), "");
  EXPECT_EQ(testbed::refusal(disk, 5),
            "the log is incomplete: the catalog ends with turn 5, but the log begins with turn 10 "
            "in " +
                in_use(4) + " at offset 4096");
}

TEST(Log, BeginsWhereANewCatalogEnds) {
  base::SimulatedDisk disk(1);
  append_turns(*open(disk, 100), 101, 103);
  EXPECT_EQ(replay(*open(disk, 100)), turns(101, 103));
}

TEST(Log, DemandsTurnsWithoutAGap) {
  base::SimulatedDisk disk(1);
  const auto log = open(disk);
  append_turns(*log, 1, 1);
  EXPECT_DEATH((void)log->append(3, payload(3, 1), true), "last_turn");
  EXPECT_DEATH((void)log->append(1, payload(1, 1), true), "last_turn");
}

TEST(Log, RemovesWhatACrashHasLeftHalfMade) {
  base::SimulatedDisk disk(1);
  ASSERT_TRUE(disk.create(segment_name(5, SegmentState::kNew), base::Access::kWrite).ok());
  append_turns(*open(disk), 1, 1);
  EXPECT_EQ(count_files(disk, SegmentState::kNew), 0U);
}

TEST(Log, LeavesOtherFilesAlone) {
  base::SimulatedDisk disk(1);
  ASSERT_TRUE(disk.create("lock", base::Access::kWrite).ok());
  ASSERT_TRUE(disk.create("catalog.db", base::Access::kWrite).ok());
  append_turns(*open(disk), 1, 10);
  EXPECT_EQ(replay(*open(disk)), turns(1, 10));
  const auto names = names_in(disk);
  EXPECT_TRUE(std::find(names.begin(), names.end(), "lock") != names.end());
  EXPECT_TRUE(std::find(names.begin(), names.end(), "catalog.db") != names.end());
}

}  // namespace
}  // namespace baton::store::local
