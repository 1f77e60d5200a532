#include "lifecycle/text.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::lifecycle {
namespace {

TEST(Text, APlainNameHasLettersDigitsAndAFewSigns) {
  EXPECT_TRUE(is_plain_name(""));
  EXPECT_TRUE(is_plain_name("azAZ09._:/-"));
  for (int c = 0; c < 256; ++c) {
    const std::string text(1, static_cast<char>(c));
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool plain = letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == ':' ||
                       c == '/' || c == '-';
    EXPECT_EQ(is_plain_name(text), plain) << c;
    EXPECT_EQ(is_plain_name("a" + text + "b"), plain) << c;
  }
}

TEST(Text, AnAddressStartsWithItsSchemeAndGoesOn) {
  EXPECT_TRUE(is_http_url("http://a"));
  EXPECT_TRUE(is_http_url("https://a"));
  EXPECT_TRUE(is_http_url("https://example.org:8443/x?y=~z#!"));
  EXPECT_FALSE(is_http_url(""));
  EXPECT_FALSE(is_http_url("http://"));
  EXPECT_FALSE(is_http_url("https://"));
  EXPECT_FALSE(is_http_url("ftp://a"));
  EXPECT_FALSE(is_http_url("example.org"));
  EXPECT_FALSE(is_http_url(" http://a"));
  EXPECT_FALSE(is_http_url("httpx://a"));
}

TEST(Text, AnAddressHasNoSpacesAndNothingBeyondAscii) {
  for (int c = 0; c < 256; ++c) {
    const std::string text = "http://a" + std::string(1, static_cast<char>(c)) + "b";
    EXPECT_EQ(is_http_url(text), c > 0x20 && c < 0x7F) << c;
  }
}

}  // namespace
}  // namespace baton::lifecycle
