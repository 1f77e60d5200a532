// What a crash may leave of a write-ahead log is not called damage, however the sectors of the last
// transaction lie between those of earlier logs; and damage to what was durable is.
#include "store/local/catalog/wal_check.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>

#include "base/random.h"
#include "store/local/catalog/page_checksum.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kSector = 512;
constexpr std::size_t kSaltAt = 8;  // in a frame's header; and so on
constexpr std::size_t kSumAt = 16;

using Bytes = std::vector<std::byte>;

void put(Bytes& bytes, std::size_t at, std::uint32_t value) {
  if (bytes.size() < at + 4) bytes.resize(at + 4);
  for (std::size_t i = 0; i < 4; ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (24 - 8 * i));
}

std::uint32_t number(const Bytes& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

std::uint64_t two_numbers(const Bytes& bytes, std::size_t at) {
  return std::uint64_t{number(bytes, at)} << 32 | number(bytes, at + 4);
}

// SQLite's sum, of a log that has its words in big-endian order.
std::uint64_t sum(std::uint64_t before, const Bytes& bytes, std::size_t at, std::size_t count) {
  auto first = static_cast<std::uint32_t>(before >> 32);
  auto second = static_cast<std::uint32_t>(before);
  for (const std::size_t end = at + count; at < end; at += 8) {
    first += number(bytes, at) + second;
    second += number(bytes, at + 4) + first;
  }
  return std::uint64_t{first} << 32 | second;
}

std::uint64_t sum_of_frame(std::uint64_t before, const Bytes& bytes, std::uint64_t frame) {
  const std::size_t at = frame_at(frame);
  return sum(sum(before, bytes, at, 8), bytes, at + kFrameHeaderBytes, kPageBytes);
}

// Writes a log as SQLite does.
class Writer {
 public:
  explicit Writer(Bytes& bytes) : bytes_(bytes) { restart(); }

  // What it has is in the database: it begins anew, over the frames of before.
  void restart() {
    ++salt_;
    const std::uint32_t header[] = {0x377f'0683, 3'007'000, kPageBytes, 0, salt_, ~salt_};
    for (std::size_t i = 0; i < std::size(header); ++i)
      put(bytes_, 4 * i, header[i]);
    last_ = sum(0, bytes_, 0, 24);
    put_sum(24);
    next_ = 0;
  }

  void transaction(std::uint64_t frames) {
    for (std::uint64_t i = 1; i <= frames; ++i)
      frame(i == frames);
  }

  // A new process: goes on behind the last transaction that is whole.
  void recover() {
    next_ = 0;
    std::uint64_t sum = two_numbers(bytes_, kWalHeaderBytes - 8);
    last_ = sum;
    for (std::uint64_t i = 0; frame_at(i + 1) <= bytes_.size(); ++i) {
      const std::size_t at = frame_at(i);
      sum = sum_of_frame(sum, bytes_, i);
      if (number(bytes_, at + kSaltAt) != salt_ || sum != two_numbers(bytes_, at + kSumAt)) return;
      if (number(bytes_, at + 4) == 0) continue;
      next_ = i + 1;
      last_ = sum;
    }
  }

  std::uint64_t frames() const { return next_; }

 private:
  void put_sum(std::size_t at) {
    put(bytes_, at, static_cast<std::uint32_t>(last_ >> 32));
    put(bytes_, at + 4, static_cast<std::uint32_t>(last_));
  }

  void frame(bool ends) {
    const std::size_t at = frame_at(next_);
    bytes_.resize(std::max(bytes_.size(), at + kFrameHeaderBytes + kPageBytes));
    put(bytes_, at, static_cast<std::uint32_t>(1 + random_.below(30)));
    put(bytes_, at + 4, ends ? 30 : 0);
    put(bytes_, at + kSaltAt, salt_);
    put(bytes_, at + kSaltAt + 4, ~salt_);
    for (std::size_t i = 0; i < kPageBytes; i += kSector)
      put(bytes_, at + kFrameHeaderBytes + i, static_cast<std::uint32_t>(random_.next()));
    last_ = sum_of_frame(last_, bytes_, next_);
    put_sum(at + kSumAt);
    ++next_;
  }

  Bytes& bytes_;
  base::Random random_{1};
  std::uint32_t salt_ = 100;
  std::uint64_t next_ = 0;
  std::uint64_t last_ = 0;
};

struct Verdict {
  int code = SQLITE_OK;
  std::uint64_t whole = 0;
  std::string why;
};

Verdict check(const Bytes& bytes) {
  Verdict verdict;
  const ReadWal read = [&bytes](std::uint64_t offset, std::span<std::byte> into) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    return SQLITE_OK;
  };
  verdict.code = check_wal(read, bytes.size(), verdict.whole, verdict.why);
  return verdict;
}

void expect_damaged(const Bytes& bytes, std::uint64_t frame, const std::string& what) {
  const Verdict verdict = check(bytes);
  EXPECT_EQ(verdict.code, SQLITE_IOERR_DATA) << what << " of frame " << frame + 1;
  EXPECT_EQ(verdict.why.find("frame " + std::to_string(frame + 1) + " "), 0U) << verdict.why;
}

// The second sector of those over which a frame's header lies is from `from`.
void take_second_sector(Bytes& bytes, const Bytes& from, std::uint64_t frame) {
  const std::size_t begin = (frame_at(frame) / kSector + 1) * kSector;
  const auto at = static_cast<std::ptrdiff_t>(begin);
  std::copy_n(from.begin() + at, kSector, bytes.begin() + at);
}

// Each sector is as it was before the last transaction or as it is after it.
void tear(const Bytes& before, Bytes& bytes, base::Random& random) {
  const std::uint64_t odds = random.below(9);
  for (std::size_t begin = 0; begin < before.size(); begin += kSector) {
    if (random.below(8) < odds) continue;
    const std::size_t count = std::min(kSector, before.size() - begin);
    std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(begin), count,
                bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

// A header at the end of a sector had the size from an earlier log, which ended a transaction
// there, and the salt and the sum from a transaction that the power cut off: that was taken for the
// end of one with later ones behind it, and the store did not open.
TEST(WalCheck, AHeaderBetweenTwoSectorsThatACrashHasTornIsNoDamage) {
  std::uint64_t torn = 0;
  while (frame_at(torn) % kSector != kSector - kSaltAt)
    ++torn;
  Bytes bytes;
  Writer writer(bytes);
  writer.transaction(torn + 1);
  writer.transaction(4);
  writer.restart();
  writer.transaction(torn - 1);
  const Bytes before = bytes;
  writer.transaction(6);
  Bytes crashed = before;
  take_second_sector(crashed, bytes, torn);
  for (std::size_t at = frame_at(torn + 1); at < frame_at(torn + 3); ++at)
    crashed[at] = bytes[at];
  const Verdict verdict = check(crashed);
  EXPECT_EQ(verdict.code, SQLITE_OK) << verdict.why;
  EXPECT_EQ(verdict.whole, frame_at(torn - 1));
}

// A short transaction stands over a long one of the same log, neither of which is whole.
TEST(WalCheck, WhatIsLeftOfALongerTransactionIsNoDamage) {
  Bytes bytes;
  Writer writer(bytes);
  writer.transaction(3);
  writer.transaction(20);
  bytes[frame_at(3) + 100] ^= std::byte{1};
  writer.recover();
  ASSERT_EQ(writer.frames(), 3U);
  writer.transaction(1);
  writer.transaction(5);
  bytes[frame_at(4) + 100] ^= std::byte{1};
  const Verdict verdict = check(bytes);
  EXPECT_EQ(verdict.code, SQLITE_OK) << verdict.why;
  EXPECT_EQ(verdict.whole, frame_at(4));
}

TEST(WalCheck, NoCrashAfterAnyNumberOfOthersLooksLikeDamage) {
  base::Random random(1);
  Bytes bytes;
  Writer writer(bytes);
  for (int life = 0; life < 1000; ++life) {
    if (random.below(8) == 0) writer.restart();
    for (std::uint64_t left = random.below(4); left > 0 && writer.frames() < 60; --left)
      writer.transaction(1 + random.below(9));
    const std::uint64_t durable = writer.frames();
    const Bytes before = bytes;
    writer.transaction(1 + random.below(random.below(4) == 0 ? 60 : 6));
    tear(before, bytes, random);
    const Verdict verdict = check(bytes);
    ASSERT_EQ(verdict.code, SQLITE_OK) << "life " << life << ": " << verdict.why;
    ASSERT_GE(verdict.whole, frame_at(durable)) << "life " << life;
    writer.recover();
    ASSERT_GE(writer.frames(), durable) << "life " << life;
    if (writer.frames() > 60) writer.restart();
  }
}

// Some transactions over an earlier log, and commits of one frame that seal them (connection.cc).
struct SealedLog {
  explicit SealedLog(int seals) {
    Writer writer(bytes);
    writer.transaction(40);
    writer.restart();
    for (const std::uint64_t frames : {3U, 1U, 2U, 7U, 1U, 9U})
      writer.transaction(frames);
    counting = writer.frames();
    for (int i = 0; i < seals; ++i)
      writer.transaction(1);
  }

  Bytes bytes;
  std::uint64_t counting = 0;  // frames before the seals
};

TEST(WalCheck, ABitThatTurnedAroundIsFoundBeforeTwoMoreCommits) {
  const SealedLog log(2);
  ASSERT_EQ(check(log.bytes).code, SQLITE_OK);
  base::Random random(1);
  for (std::uint64_t frame = 0; frame < log.counting; ++frame) {
    for (std::size_t i = 0; i < kFrameHeaderBytes * 8 + 64; ++i) {
      const bool in_header = i < kFrameHeaderBytes * 8;
      const std::size_t bit = in_header ? i : kFrameHeaderBytes * 8 + random.below(kPageBytes * 8);
      Bytes bytes = log.bytes;
      bytes[frame_at(frame) + bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      expect_damaged(bytes, frame, "bit " + std::to_string(bit));
    }
  }
}

TEST(WalCheck, AHeaderThatIsGoneIsFoundBeforeThreeMoreCommits) {
  const SealedLog log(3);
  for (std::uint64_t frame = 0; frame < log.counting; ++frame) {
    Bytes bytes = log.bytes;
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(frame_at(frame));
    std::fill_n(at, kFrameHeaderBytes, std::byte{});
    expect_damaged(bytes, frame, "the header");
  }
}

}  // namespace
}  // namespace baton::store::local
