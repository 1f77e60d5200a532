#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace baton::base {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = make_values();

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::size_t digits = 4;
    if (i + 4 == text.size()) {
      while (digits > 2 && text[i + digits - 1] == '=')
        --digits;
    }
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint8_t value = j < digits ? kValues[static_cast<unsigned char>(text[i + j])] : 0;
      if (value == kNoDigit) return std::nullopt;
      group = group << 6U | value;
    }
    for (std::size_t j = 0; j < 3; ++j) {
      const auto byte = static_cast<std::uint8_t>(group >> (16 - 8 * j));
      if (j + 1 < digits) {
        bytes += static_cast<char>(byte);
      } else if (byte != 0) {
        return std::nullopt;
      }
    }
  }
  return bytes;
}

}  // namespace baton::base
