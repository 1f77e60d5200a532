// Appends numbers and text to bytes, a std::string or the write buffer of the log: whole numbers as
// varints (seven bits a byte, the lowest first), everything wider little-endian. One thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/aligned_buffer.h"
#include "base/time.h"

namespace baton::store::local {

template <class Bytes>
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  void byte(std::uint8_t value) {
    if constexpr (std::is_same_v<Bytes, std::string>) {
      out_.push_back(static_cast<char>(value));
    } else {
      *out_.extend(1) = static_cast<std::byte>(value);
    }
  }

  void varint(std::uint64_t value) {
    if (value < 0x80) return byte(static_cast<std::uint8_t>(value));
    long_varint(value);
  }

  // A number that is seldom negative: those take ten bytes.
  void number(std::int64_t value) { varint(static_cast<std::uint64_t>(value)); }

  // A number that is near zero on either side.
  void signed_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }

  // How far from `from` a number is, whatever the two are.
  void distance(std::int64_t value, std::int64_t from) {
    const auto apart = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(from);
    signed_number(static_cast<std::int64_t>(apart));
  }

  void time(Time value, Time from) { distance(value.ms, from.ms); }

  void real(double value) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (std::byte& one : std::span(extend(sizeof bits), sizeof bits)) {
      one = static_cast<std::byte>(bits & 0xff);
      bits >>= 8;
    }
  }

  // Its length, then its bytes.
  void text(std::string_view value) {
    varint(value.size());
    append(value.data(), value.size());
  }

  // Bytes whose number the reader knows.
  void raw(std::span<const std::uint8_t> bytes) { append(bytes.data(), bytes.size()); }

 private:
  void long_varint(std::uint64_t value) {
    std::byte* at = extend((static_cast<std::size_t>(std::bit_width(value)) + 6) / 7);
    for (; value >= 0x80; value >>= 7)
      *at++ = static_cast<std::byte>(value | 0x80);
    *at = static_cast<std::byte>(value);
  }
  std::byte* extend(std::size_t count) {
    if constexpr (std::is_same_v<Bytes, std::string>) {
      out_.resize(out_.size() + count);
      return reinterpret_cast<std::byte*>(out_.data() + out_.size() - count);
    } else {
      return out_.extend(count);
    }
  }
  void append(const void* from, std::size_t count) {
    if constexpr (std::is_same_v<Bytes, std::string>) {
      out_.append(static_cast<const char*>(from), count);
    } else if (count > 0) {
      std::memcpy(out_.extend(count), from, count);
    }
  }

  Bytes& out_;
};

}  // namespace baton::store::local
