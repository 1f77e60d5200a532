// Damage that no crash of ours leaves: the log must say what it found instead of skipping it. And
// torn ends, which every crash may leave and which must not be taken for damage.
#include <gtest/gtest.h>

#include <cstring>

#include "store/local/log/crc32c.h"
#include "store/local/log/testing.h"

namespace baton::store::local {
namespace {

using testbed::in_use;
using testbed::kBlock;
using testbed::kSmall;
using testbed::Payload;
using testbed::payload;
using testbed::refusal;

// Puts bytes into a file behind the log's back.
void overwrite(base::Disk& disk, const std::string& name, std::uint64_t offset,
               std::span<const std::byte> bytes) {
  const auto file = disk.open(name, base::Access::kWrite).value();
  ASSERT_TRUE(file->write(offset, bytes).ok());
  ASSERT_TRUE(file->sync().ok());
}

Payload bytes_of(base::Disk& disk, const std::string& name) {
  const auto file = disk.open(name, base::Access::kRead).value();
  Payload bytes(file->size().value());
  EXPECT_TRUE(file->read(0, bytes).ok());
  return bytes;
}

// Turns 1 to `last`, one block and record each: three in a segment.
void fill(base::Disk& disk, std::uint64_t last, std::size_t size = 100) {
  const auto log = Log::open(disk, kSmall, 0).value();
  for (std::uint64_t turn = 1; turn <= last; ++turn)
    ASSERT_TRUE(log->append(turn, payload(turn, size), true).ok());
}

std::uint64_t last_turn(base::Disk& disk, std::uint64_t applied = 0) {
  const auto log = Log::open(disk, kSmall, applied);
  EXPECT_TRUE(log.ok()) << log.error().message;
  return log.ok() ? (*log)->last_turn() : 0;
}

std::string damage_at(std::uint64_t number, std::uint64_t offset, std::uint64_t turn) {
  return "the log is damaged: " + in_use(number) + " at offset " + std::to_string(offset) +
         " holds no valid record of turn " + std::to_string(turn) + ", but turn " +
         std::to_string(turn + 1) + " follows";
}

// ---- Torn ends --------------------------------------------------------------------------------

// The last record has three blocks; from each byte on it is not what was written.
TEST(LogDamage, AnEndThatIsTornAtAnyByteIsTheEnd) {
  base::SimulatedDisk disk(1);
  constexpr std::size_t kSize = 2 * kBlock + 100;
  {
    const auto log = Log::open(disk, kSmall, 0).value();
    for (std::uint64_t turn = 1; turn <= 3; ++turn)
      ASSERT_TRUE(log->append(turn, payload(turn, 100), true).ok());
    ASSERT_TRUE(log->append(4, payload(4, kSize), true).ok());
  }
  const Payload whole = bytes_of(disk, in_use(2));
  const std::size_t written = kRecordHeaderBytes + kTurnHeaderBytes + kSize;
  for (std::size_t torn = 0; torn < written; torn += torn < 200 ? 1 : 61) {
    for (const std::byte other : {std::byte{0}, std::byte{0xA5}}) {
      Payload bytes = whole;
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(kBlock + torn), bytes.end(), other);
      overwrite(disk, in_use(2), 0, bytes);
      ASSERT_EQ(last_turn(disk), 3U) << torn;
      // Opening makes the empty segment anew, under another name.
      ASSERT_TRUE(disk.rename(disk.list().value().back(), in_use(2)).ok());
    }
  }
  overwrite(disk, in_use(2), 0, whole);
  EXPECT_EQ(last_turn(disk), 4U);
}

// The end is in the middle of a segment that is written to further.
TEST(LogDamage, AnEndWithAnyMissingSectorsIsOverwritten) {
  constexpr std::size_t kSize = kBlock + 1000;
  for (std::uint32_t missing = 1; missing < 1U << 11; missing += 1 + missing / 64) {
    base::SimulatedDisk disk(1);
    {
      const auto log = Log::open(disk, kSmall, 0).value();
      ASSERT_TRUE(log->append(1, payload(1, 100), true).ok());
      ASSERT_TRUE(log->append(2, payload(2, kSize), true).ok());
    }
    const Payload zeros(512);
    for (std::uint32_t sector = 0; sector < 11; ++sector) {
      if ((missing >> sector & 1) == 0) continue;
      overwrite(disk, in_use(1), 2 * kBlock + sector * std::uint64_t{512}, zeros);
    }
    const auto log = Log::open(disk, kSmall, 0).value();
    ASSERT_EQ(log->last_turn(), 1U) << missing;
    ASSERT_TRUE(log->append(2, payload(7, 10), true).ok());
    ASSERT_TRUE(log->append(3, payload(8, 10), true).ok());
    disk.crash();
    const auto again = Log::open(disk, kSmall, 0).value();
    ASSERT_EQ(testbed::replay(*again),
              (std::vector<testbed::Replayed>{
                  {1, payload(1, 100)}, {2, payload(7, 10)}, {3, payload(8, 10)}}));
  }
}

// A client may send bytes that look like a record. They do not know the id of the log.
TEST(LogDamage, BytesOfATurnThatLookLikeARecordAreNone) {
  Payload inner(kRecordHeaderBytes + kTurnHeaderBytes);
  write_turn_length(0, inner.data() + kRecordHeaderBytes);
  seal_record({kSmall.new_id + 1, 1, 2, 1, kTurnHeaderBytes}, inner);
  Payload bytes(2 * kBlock);
  const std::size_t to_block = kBlock - kRecordHeaderBytes - kTurnHeaderBytes;
  std::memcpy(bytes.data() + to_block, inner.data(), inner.size());

  base::SimulatedDisk disk(1);
  {
    const auto log = Log::open(disk, kSmall, 0).value();
    ASSERT_TRUE(log->append(1, bytes, true).ok());
  }
  disk.flip_bit(in_use(1), 8 * kBlock);
  EXPECT_EQ(last_turn(disk), 0U) << "a torn end";
}

// ---- Damage -----------------------------------------------------------------------------------

TEST(LogDamage, InAnyRecordButTheLastIsNamed) {
  constexpr std::uint64_t kTurns = 9;
  for (std::uint64_t turn = 1; turn < kTurns; ++turn) {
    const std::uint64_t number = (turn + 2) / 3;
    const std::uint64_t offset = kBlock * (1 + (turn - 1) % 3);
    for (const std::uint64_t byte : {0U, 4U, 8U, 16U, 24U, 32U, 40U, 48U, 56U, 100U, 155U}) {
      base::SimulatedDisk disk(1);
      fill(disk, kTurns);
      disk.flip_bit(in_use(number), 8 * (offset + byte));
      const std::string message = refusal(disk);
      ASSERT_EQ(message.find(damage_at(number, offset, turn)), 0U) << message;
      ASSERT_EQ(refusal(disk), message) << "opening has changed nothing";
    }
  }
}

// Nothing tells it from a torn end.
TEST(LogDamage, InTheLastRecordIsTheEnd) {
  base::SimulatedDisk disk(1);
  fill(disk, 8);
  disk.flip_bit(in_use(3), 8 * (2 * kBlock + 60));
  EXPECT_EQ(last_turn(disk), 7U);
}

TEST(LogDamage, InTheZerosBehindARecordDoesNotMatter) {
  base::SimulatedDisk disk(1);
  fill(disk, 8);
  disk.flip_bit(in_use(1), 8 * (2 * kBlock - 1));
  EXPECT_EQ(last_turn(disk), 8U);
}

TEST(LogDamage, OfTurnsInTheCatalogIsNamedAsWell) {
  base::SimulatedDisk disk(1);
  fill(disk, 8);
  disk.flip_bit(in_use(1), 8 * (2 * kBlock + 60));
  EXPECT_EQ(refusal(disk, 8).find(damage_at(1, 2 * kBlock, 2)), 0U);
}

TEST(LogDamage, InAHeaderIsNamed) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    base::SimulatedDisk disk(1);
    fill(disk, 8);
    disk.flip_bit(in_use(number), 800);
    EXPECT_EQ(refusal(disk), in_use(number) + " has a damaged header");
  }
}

TEST(LogDamage, AMissingFileIsNoticed) {
  base::SimulatedDisk disk(1);
  fill(disk, 9);
  ASSERT_TRUE(disk.remove(in_use(2)).ok());
  EXPECT_EQ(refusal(disk), "the log is damaged: " + in_use(1) +
                               " at offset 16384 holds no valid record of turn 4, but turn 7 "
                               "follows in " +
                               in_use(3) + " at offset 4096");
  EXPECT_EQ(last_turn(disk, 6), 9U) << "the catalog has what is missing";
}

TEST(LogDamage, ALargeTurnThatIsDamagedIsNamed) {
  base::SimulatedDisk disk(1);
  {
    const auto log = Log::open(disk, kSmall, 0).value();
    ASSERT_TRUE(log->append(1, payload(1, 100), true).ok());
    ASSERT_TRUE(log->append(2, payload(2, 50'000), true).ok());
    ASSERT_TRUE(log->append(3, payload(3, 100), true).ok());
  }
  disk.flip_bit(in_use(2), 160'000);
  EXPECT_EQ(refusal(disk).find(damage_at(2, kBlock, 2)), 0U) << refusal(disk);
}

TEST(LogDamage, AFileThatWasCutOffIsNamed) {
  base::SimulatedDisk disk(1);
  fill(disk, 8);
  ASSERT_TRUE(disk.open(in_use(1), base::Access::kWrite).value()->resize(3 * kBlock).ok());
  EXPECT_EQ(refusal(disk), in_use(1) + " has 12288 bytes instead of 16384");
  ASSERT_TRUE(disk.open(in_use(1), base::Access::kWrite).value()->resize(10).ok());
  EXPECT_EQ(refusal(disk), in_use(1) + " is too short for a log segment");
}

TEST(LogDamage, AFileUnderAnotherNameIsNamed) {
  base::SimulatedDisk disk(1);
  fill(disk, 8);
  ASSERT_TRUE(disk.rename(in_use(1), in_use(9)).ok());
  EXPECT_EQ(refusal(disk, 3), in_use(9) + " is segment 1 by its header");
}

TEST(LogDamage, AFileOfAnotherLogIsNamed) {
  base::SimulatedDisk disk(1);
  fill(disk, 8);
  LogOptions other = kSmall;
  other.new_id = 8;
  base::SimulatedDisk elsewhere(1);
  ASSERT_TRUE(Log::open(elsewhere, other, 0).ok());
  overwrite(disk, in_use(3), 0, bytes_of(elsewhere, in_use(1)));
  ASSERT_TRUE(disk.rename(in_use(3), in_use(1)).ok());
  EXPECT_EQ(refusal(disk), in_use(2) + " belongs to another log");
}

TEST(LogDamage, AFormatFromTheFutureIsRefused) {
  base::SimulatedDisk disk(1);
  fill(disk, 2);
  Payload block = bytes_of(disk, in_use(1));
  block.resize(kBlock);
  block[8] = std::byte{2};
  std::memset(block.data() + 12, 0, 4);
  const std::uint32_t crc = crc32c(block);
  std::memcpy(block.data() + 12, &crc, 4);
  overwrite(disk, in_use(1), 0, block);
  EXPECT_EQ(refusal(disk), in_use(1) +
                               " was written in log format 2; this program knows format 1 and is "
                               "too old for it");
}

// The turn that is due, but not where it should be.
TEST(LogDamage, ARecordAtTheWrongPlaceIsNamed) {
  base::SimulatedDisk disk(1);
  fill(disk, 1);
  Payload record(kRecordHeaderBytes + kTurnHeaderBytes);
  write_turn_length(0, record.data() + kRecordHeaderBytes);
  seal_record({kSmall.new_id, 1, 2, 1, kTurnHeaderBytes}, record);
  overwrite(disk, in_use(1), 3 * kBlock, record);
  EXPECT_EQ(refusal(disk), "the log is damaged: " + in_use(1) +
                               " at offset 8192 holds no valid record of turn 2, but turn 2 "
                               "follows at offset 12288");
}

// Besides the number of the segment, the header says which turns are too old for it.
TEST(LogDamage, ATurnBelowTheFirstOfASegmentDoesNotCount) {
  base::SimulatedDisk disk(1);
  fill(disk, 2);
  Payload block(kBlock);
  write_segment_header({kSmall.new_id, 1, kSmall.segment_bytes, 3}, block);
  overwrite(disk, in_use(1), 0, block);
  EXPECT_EQ(last_turn(disk), 0U);
}

}  // namespace
}  // namespace baton::store::local
