#include "store/local/log/format.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "store/local/log/crc32c.h"

namespace baton::store::local {
namespace {

using Block = std::array<std::byte, kSegmentHeaderBytes>;

constexpr SegmentHeader kHeader = {0x1122334455667788, 0xA1, 16 << 20, 42};

Block header_block() {
  Block block;
  write_segment_header(kHeader, block);
  return block;
}

// A record of two turns, "abc" and nothing.
std::vector<std::byte> record() {
  std::vector<std::byte> bytes(kRecordHeaderBytes + 8 + 3 + 8);
  write_turn_length(3, bytes.data() + kRecordHeaderBytes);
  std::memcpy(bytes.data() + kRecordHeaderBytes + 8, "abc", 3);
  write_turn_length(0, bytes.data() + kRecordHeaderBytes + 11);
  seal_record({7, 8, 42, 2, 19}, bytes);
  return bytes;
}

TEST(LogFormat, KeepsASegmentHeader) {
  const auto read = read_segment_header(header_block());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, kHeader);
}

// docs/log-format.md gives these places; programs of any version find magic, format and checksum
// there.
TEST(LogFormat, PutsTheFieldsOfASegmentHeaderWhereTheDocumentSays) {
  const Block block = header_block();
  EXPECT_EQ(std::memcmp(block.data(), "BATONLOG", 8), 0);
  const std::array<unsigned char, 4> format = {1, 0, 0, 0};
  EXPECT_EQ(std::memcmp(block.data() + 8, format.data(), 4), 0);
  const std::array<unsigned char, 8> id = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
  EXPECT_EQ(std::memcmp(block.data() + 16, id.data(), 8), 0);
  EXPECT_EQ(block[24], std::byte{0xA1});
  EXPECT_EQ(block[34], std::byte{0x00});
  EXPECT_EQ(block[35], std::byte{0x01});
  EXPECT_EQ(block[40], std::byte{42});
}

TEST(LogFormat, NoticesEveryFlippedBitOfASegmentHeader) {
  Block block = header_block();
  for (std::size_t bit = 0; bit < 8 * block.size(); ++bit) {
    block[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    const auto read = read_segment_header(block);
    ASSERT_FALSE(read.ok());
    ASSERT_EQ(read.error().message, "has a damaged header");
    block[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

TEST(LogFormat, RefusesAFormatFromTheFuture) {
  Block block = header_block();
  block[8] = std::byte{2};
  std::memset(block.data() + 12, 0, 4);
  const std::uint32_t crc = crc32c(block);
  std::memcpy(block.data() + 12, &crc, 4);
  const auto read = read_segment_header(block);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message,
            "was written in log format 2; this program knows format 1 and is too old for it");
}

TEST(LogFormat, KeepsTheTurnsOfARecord) {
  const auto bytes = record();
  const auto header = read_record(bytes, 7, 8);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->first_turn, 42U);
  EXPECT_EQ(header->last_turn(), 43U);
  EXPECT_EQ(header->bytes_on_disk(), base::kDiskBlock);
  std::vector<std::pair<std::uint64_t, std::size_t>> turns;
  const auto visit = [&](std::uint64_t turn, std::span<const std::byte> payload) -> Status {
    turns.emplace_back(turn, payload.size());
    return Ok{};
  };
  ASSERT_TRUE(for_each_turn(*header, bytes, visit).ok());
  EXPECT_EQ(turns, (std::vector<std::pair<std::uint64_t, std::size_t>>{{42, 3}, {43, 0}}));
}

TEST(LogFormat, NoticesEveryFlippedBitOfARecord) {
  auto bytes = record();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    ASSERT_FALSE(read_record(bytes, 7, 8)) << bit;
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

TEST(LogFormat, CountsOnlyRecordsOfTheLogAndTheSegment) {
  const auto bytes = record();
  EXPECT_TRUE(read_record(bytes, 7, 8));
  EXPECT_FALSE(read_record(bytes, 6, 8));
  EXPECT_FALSE(read_record(bytes, 7, 9));
}

TEST(LogFormat, NeedsAllOfARecord) {
  const auto bytes = record();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(read_record(std::span(bytes).first(size), 7, 8)) << size;
}

// A checksum that fits is not enough: the turns must fill the body.
TEST(LogFormat, RefusesTurnsThatDoNotFillTheRecord) {
  for (const std::uint64_t length : {2U, 4U, 1'000'000U}) {
    auto bytes = record();
    write_turn_length(length, bytes.data() + kRecordHeaderBytes);
    seal_record({7, 8, 42, 2, 19}, bytes);
    EXPECT_FALSE(read_record(bytes, 7, 8)) << length;
  }
  auto bytes = record();
  for (const std::uint32_t count : {0U, 1U, 3U}) {
    seal_record({7, 8, 42, count, 19}, bytes);
    EXPECT_FALSE(read_record(bytes, 7, 8)) << count;
  }
}

TEST(LogFormat, NamesFilesAndKnowsTheirNames) {
  EXPECT_EQ(segment_name(0xA1, SegmentState::kInUse), "log-00000000000000a1.seg");
  EXPECT_EQ(segment_name(1, SegmentState::kFree), "log-0000000000000001.free");
  for (const auto state : {SegmentState::kInUse, SegmentState::kFree, SegmentState::kNew}) {
    for (const std::uint64_t number : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      const auto parsed = parse_segment_name(segment_name(number, state));
      ASSERT_TRUE(parsed);
      EXPECT_EQ(parsed->number, number);
      EXPECT_EQ(parsed->state, state);
    }
  }
  for (const char* other :
       {"", "lock", "log-", "log-00000000000000A1.seg", "log-00000000000000g1.seg",
        "log-0000000000000001.old", "log-000000000000001.seg", "xlog-000000000000001.seg"})
    EXPECT_FALSE(parse_segment_name(other)) << other;
}

}  // namespace
}  // namespace baton::store::local
