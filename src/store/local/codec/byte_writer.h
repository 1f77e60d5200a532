// Appends numbers and text to bytes, a std::string or the write buffer of the log: whole numbers as
// varints (seven bits a byte, the lowest first), everything wider little-endian. One thread.
#pragma once

#include <bit>
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

  void byte(std::uint8_t value) { append(static_cast<char>(value)); }

  void varint(std::uint64_t value) {
    if (value < 0x80) return byte(static_cast<std::uint8_t>(value));
    char bytes[10];
    std::size_t size = 0;
    for (; value >= 0x80; value >>= 7)
      bytes[size++] = static_cast<char>(value | 0x80);
    bytes[size++] = static_cast<char>(value);
    append({bytes, size});
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
    char bytes[sizeof bits];
    for (char& one : bytes) {
      one = static_cast<char>(bits & 0xff);
      bits >>= 8;
    }
    append({bytes, sizeof bytes});
  }

  // Its length, then its bytes.
  void text(std::string_view value) {
    varint(value.size());
    append(value);
  }

  // Bytes whose number the reader knows.
  void raw(std::span<const std::uint8_t> bytes) {
    append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

 private:
  void append(char byte) {
    if constexpr (std::is_same_v<Bytes, std::string>) {
      out_.push_back(byte);
    } else {
      *out_.extend(1) = static_cast<std::byte>(byte);
    }
  }
  void append(std::string_view bytes) {
    if constexpr (std::is_same_v<Bytes, std::string>) {
      out_.append(bytes);
    } else {
      out_.append(std::as_bytes(std::span(bytes)));
    }
  }

  Bytes& out_;
};

}  // namespace baton::store::local
