#include "store/local/catalog/wal_check.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "store/local/catalog/page_checksum.h"

namespace baton::store::local {
namespace {

constexpr std::uint64_t kFrameBytes = kFrameHeaderBytes + kPageBytes;
constexpr std::uint32_t kMagic = 0x377f'0682;  // with its lowest bit: sums of big-endian words
constexpr std::size_t kFramesAtOnce = 64;

using FrameHeader = std::array<std::byte, kFrameHeaderBytes>;

std::uint32_t big_endian(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

struct Sum {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  friend bool operator==(const Sum&, const Sum&) = default;
};

Sum sum_at(std::span<const std::byte> bytes, std::size_t at) {
  return {big_endian(bytes, at), big_endian(bytes, at + 4)};
}

// The sum goes over words of the byte order that the log's header names.
template <bool kSwapped>
Sum added(Sum sum, std::span<const std::byte> bytes) {
  const auto word = [&bytes](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return kSwapped ? __builtin_bswap32(value) : value;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    sum.first += word(at) + sum.second;
    sum.second += word(at + 4) + sum.first;
  }
  return sum;
}

Sum added(Sum sum, std::span<const std::byte> bytes, bool big_endian_words) {
  const bool native = big_endian_words == (std::endian::native == std::endian::big);
  return native ? added<false>(sum, bytes) : added<true>(sum, bytes);
}

// The sum of a frame goes on from the one before it, over half of its header and its page.
Sum sum_after(Sum before, std::span<const std::byte> header, std::span<const std::byte> page,
              bool big_endian_words) {
  return added(added(before, header.first(8), big_endian_words), page, big_endian_words);
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte == std::byte{}; });
}

// Goes through a log from its first frame to the end of the file.
class Walk {
 public:
  Walk(std::span<const std::byte> header)
      : big_endian_words_((big_endian(header, 0) & 1) != 0),
        salt_(sum_at(header, 16)),
        before_(sum_at(header, 24)),
        or_else_(before_) {}

  // False: the log is damaged.
  bool take(std::uint64_t number, std::span<const std::byte> frame) {
    const bool whole = follows(frame);
    // A transaction is durable before the next one begins, so that a crash tears only the last.
    if (whole && ended_) return false;
    if (!whole && !broken_) {
      broken_ = true;
      broken_at_ = number;
    }
    ended_ = broken_ && whole && big_endian(frame, 4) != 0;
    return true;
  }

  bool broken() const { return broken_; }
  std::uint64_t broken_at() const { return broken_at_; }

 private:
  // Whether it was written into this log behind the frame that now stands before it. Without that
  // nothing in a header counts: a crash may leave half of it beside half of an earlier log's, and a
  // transaction that never ended lies behind the one that was written over its beginning.
  bool follows(std::span<const std::byte> frame) {
    const auto header = frame.first(kFrameHeaderBytes);
    const auto page = frame.subspan(kFrameHeaderBytes);
    const Sum before = std::exchange(before_, sum_at(header, 16));
    const Sum or_else = std::exchange(or_else_, before_);
    // What an earlier use of the file left behind is not this log's.
    if (sum_at(header, 8) != salt_) return false;
    const Sum sum = sum_after(before, header, page, big_endian_words_);
    if (sum == before_) return true;
    if (or_else != before && sum_after(or_else, header, page, big_endian_words_) == before_)
      return true;
    or_else_ = sum;
    return false;
  }

  bool big_endian_words_;
  Sum salt_;
  Sum before_;   // of the frame before, as the file has it
  Sum or_else_;  // and as it should be: it may be all that is damaged
  bool broken_ = false;
  std::uint64_t broken_at_ = 0;
  bool ended_ = false;  // the frame before ended a transaction, behind the broken one
};

}  // namespace

std::uint64_t frame_at(std::uint64_t frame) { return kWalHeaderBytes + frame * kFrameBytes; }

int check_frame(const ReadWal& read, std::uint64_t frame, std::span<const std::byte> page) {
  std::array<std::byte, 4> magic;
  std::array<std::byte, 8> before;
  FrameHeader header;
  const std::uint64_t before_at = frame == 0 ? kWalHeaderBytes - 8 : frame_at(frame - 1) + 16;
  if (const int code = read(0, magic); code != SQLITE_OK) return code;
  if (const int code = read(before_at, before); code != SQLITE_OK) return code;
  if (const int code = read(frame_at(frame), header); code != SQLITE_OK) return code;
  const bool big_endian_words = (big_endian(magic, 0) & 1) != 0;
  const Sum sum = sum_after(sum_at(before, 0), header, page, big_endian_words);
  return sum == sum_at(header, 16) ? SQLITE_OK : SQLITE_IOERR_DATA;
}

int check_wal(const ReadWal& read, std::uint64_t size, std::uint64_t& whole, std::string& why) {
  whole = 0;
  if (size < kWalHeaderBytes) return SQLITE_OK;
  std::array<std::byte, kWalHeaderBytes> header;
  if (const int code = read(0, header); code != SQLITE_OK) return code;
  // It was never written.
  if (all_zero(header)) return SQLITE_OK;
  const bool big_endian_words = (big_endian(header, 0) & 1) != 0;
  const bool is_wal = (big_endian(header, 0) & ~1U) == kMagic;
  const std::span bytes(header);
  if (!is_wal || added({}, bytes.first(24), big_endian_words) != sum_at(header, 24)) {
    why = "its header does not fit its checksum";
    return SQLITE_IOERR_DATA;
  }
  if (big_endian(header, 8) != kPageBytes) return SQLITE_OK;  // not of a catalog
  Walk walk(header);
  const std::uint64_t frames = (size - kWalHeaderBytes) / kFrameBytes;
  std::vector<std::byte> some(kFramesAtOnce * kFrameBytes);
  for (std::uint64_t first = 0; first < frames; first += kFramesAtOnce) {
    const std::uint64_t count = std::min<std::uint64_t>(kFramesAtOnce, frames - first);
    const std::span part = std::span(some).first(count * kFrameBytes);
    if (const int code = read(frame_at(first), part); code != SQLITE_OK) return code;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (walk.take(first + i, part.subspan(i * kFrameBytes, kFrameBytes))) continue;
      why = "frame " + std::to_string(walk.broken_at() + 1) +
            " does not fit its checksum, and later transactions follow";
      return SQLITE_IOERR_DATA;
    }
  }
  whole = walk.broken() ? frame_at(walk.broken_at()) : frame_at(frames);
  return SQLITE_OK;
}

}  // namespace baton::store::local
