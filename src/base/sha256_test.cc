#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hex.h"

namespace baton::base {
namespace {

// The examples of FIPS 180-2.
TEST(Sha256, MatchesThePublishedExamples) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, ReadsBytesAfterAZero) {
  using std::string_view;
  EXPECT_NE(sha256(string_view("\0a", 2)), sha256(string_view("\0b", 2)));
}

}  // namespace
}  // namespace baton::base
