#include "base/hex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace baton::base {
namespace {

TEST(Hex, TwoDigitsAByte) {
  EXPECT_EQ(hex(std::vector<std::uint8_t>{0x00, 0x0F, 0xA0, 0xFF, 0x19}), "000fa0ff19");
  EXPECT_EQ(hex({}), "");
}

TEST(Hex, UpperCaseOnRequest) {
  std::string text = "%";
  append_hex(text, 0xAF, kUpperHex);
  EXPECT_EQ(text, "%AF");
}

TEST(Hex, EveryDigitHasItsValueInEitherCase) {
  for (int c = -128; c < 128; ++c) {
    const std::size_t lower = kLowerHex.find(static_cast<char>(c));
    const std::size_t upper = kUpperHex.find(static_cast<char>(c));
    const std::size_t digit = std::min(lower, upper);
    EXPECT_EQ(hex_value(static_cast<char>(c)),
              digit == std::string_view::npos ? -1 : static_cast<int>(digit))
        << c;
  }
}

}  // namespace
}  // namespace baton::base
