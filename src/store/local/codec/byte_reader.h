// Reads what a ByteWriter wrote, from bytes that may be anything. The first thing that cannot be
// is remembered as the reader's failure; from then on every read gives zero or nothing, so that a
// decoder checks once, at its end. No read goes past the end. A value, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "baton/result.h"

namespace baton::store::local {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  std::uint8_t byte() {
    if (left_.empty()) return cut_short();
    const auto value = std::to_integer<std::uint8_t>(left_.front());
    left_ = left_.subspan(1);
    return value;
  }

  std::uint64_t varint() {
    if (!left_.empty() && std::to_integer<std::uint8_t>(left_.front()) < 0x80) return byte();
    return long_varint();
  }

  std::int64_t number() { return static_cast<std::int64_t>(varint()); }

  std::int64_t signed_number() {
    const std::uint64_t bits = varint();
    return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
  }

  // A signed number that fits an int.
  int small_number();
  // A number that fits 32 bits.
  std::uint32_t index();

  // The number that is so far from `from`.
  std::int64_t distance(std::int64_t from) {
    const auto apart = static_cast<std::uint64_t>(signed_number());
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + apart);
  }

  Time time(Time from) { return Time{distance(from.ms)}; }

  // Never "not a number".
  double real();

  // A view into the bytes.
  std::string_view text();
  void raw(std::span<std::uint8_t> into);

  // How many elements follow, each of which takes at least `bytes_each`: never more than could.
  std::size_t count(std::size_t bytes_each = 1);

  // One of the values that have a meaning.
  std::uint8_t byte_below(std::size_t bound);

  // One of the bits that have a meaning.
  std::uint64_t mask(std::uint64_t known);

  // Says what is wrong; only the first call counts.
  void fail(std::string why);
  // The bytes are right, and name something that this program does not have.
  void fail_unknown(std::string why);
  bool ok() const { return why_.empty(); }
  std::size_t left() const { return left_.size(); }
  // Everything must have been read.
  void expect_end();
  // The failure, as an error: "<what> does not decode: <why>". `damaged`, or store_unavailable for
  // what is unknown.
  Error error(std::string_view what) const;

 private:
  std::uint8_t cut_short();
  std::uint64_t long_varint();

  std::span<const std::byte> left_;
  std::string why_;
  Code code_ = Code::kDamaged;
};

}  // namespace baton::store::local
