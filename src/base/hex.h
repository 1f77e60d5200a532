// Hexadecimal digits of bytes, both ways. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace baton::base {

inline constexpr std::string_view kLowerHex = "0123456789abcdef";
inline constexpr std::string_view kUpperHex = "0123456789ABCDEF";  // of percent-encoding

// 0 to 15, of a digit in either case; -1 for anything else.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Two digits of `digits`.
inline void append_hex(std::string& text, std::uint8_t byte, std::string_view digits = kLowerHex) {
  text.push_back(digits[byte >> 4]);
  text.push_back(digits[byte & 0x0F]);
}

// Two digits a byte, in lower case.
inline std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes)
    append_hex(text, byte);
  return text;
}

}  // namespace baton::base
