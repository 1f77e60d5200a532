#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::base {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, CharactersOfEveryLengthAreMeasured) {
  EXPECT_EQ(character_size("a"), 1u);
  EXPECT_EQ(character_size("\0x"sv), 1u);
  EXPECT_EQ(character_size("\x7F"), 1u);
  EXPECT_EQ(character_size("\xC2\x80"), 2u);
  EXPECT_EQ(character_size("ß and more"), 2u);
  EXPECT_EQ(character_size("\xE0\xA0\x80"), 3u);
  EXPECT_EQ(character_size("\xED\x9F\xBF"), 3u);
  EXPECT_EQ(character_size("€"), 3u);
  EXPECT_EQ(character_size("\xF0\x90\x80\x80"), 4u);
  EXPECT_EQ(character_size("\xF4\x8F\xBF\xBF"), 4u);
}

TEST(Utf8, WhatIsNoCharacterHasNoSize) {
  for (const std::string_view text :
       {""sv, "\x80"sv, "\xBF"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xC2"sv, "\xC2 "sv, "\xC2\xC0"sv,
        "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv, "\xE2\x82"sv, "\xE2\x82 "sv, "\xF0\x8F\xBF\xBF"sv,
        "\xF0\x90\x80"sv, "\xF0\x90\x80 "sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFF"sv})
    EXPECT_EQ(character_size(text), 0u) << testing::PrintToString(text);
}

// The definition itself: what a code point encodes to has a size, and no other two or three bytes.
TEST(Utf8, ThreeBytesAreACharacterExactlyWhenACodePointEncodesToThem) {
  for (unsigned first = 0xE0; first <= 0xEF; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), '\x80'};
      const unsigned code = (first & 0x0F) << 12 | (second & 0x3F) << 6;
      const bool is_one =
          second >= 0x80 && second < 0xC0 && code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
      EXPECT_EQ(character_size(text), is_one ? 3u : 0u) << first << ' ' << second;
    }
  }
}

TEST(Utf8, CountsCharactersNotBytes) {
  EXPECT_EQ(character_count(""), 0u);
  EXPECT_EQ(character_count("abc"), 3u);
  EXPECT_EQ(character_count("é"), 1u);
  EXPECT_EQ(character_count("a€b"), 3u);
  EXPECT_EQ(character_count("\xF0\x9F\x98\x80"), 1u);
  EXPECT_EQ(character_count("\x7F\xC3\xBF"), 2u);
  EXPECT_EQ(character_count("\x80\xBF"), 0u);
  EXPECT_EQ(character_count("\xC0\xFF"), 2u);
}

}  // namespace
}  // namespace baton::base
