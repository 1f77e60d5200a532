#include "base/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace baton::base {
namespace {

struct Pair {
  std::string_view bytes;
  std::string_view text;
};

// The examples of RFC 4648.
TEST(Base64, WritesAndReadsTheStandardsExamples) {
  for (const Pair& pair : {Pair{"", ""}, Pair{"f", "Zg=="}, Pair{"fo", "Zm8="}, Pair{"foo", "Zm9v"},
                           Pair{"foob", "Zm9vYg=="}, Pair{"fooba", "Zm9vYmE="},
                           Pair{"foobar", "Zm9vYmFy"}, Pair{"\xfb\xff", "+/8="}}) {
    EXPECT_EQ(encode_base64(pair.bytes), pair.text);
    EXPECT_EQ(decode_base64(pair.text), pair.bytes);
  }
}

TEST(Base64, RefusesEverythingElse) {
  for (const std::string_view text :
       {"Z", "Zg", "Zg=", "Zg===", "=Zg=", "Z===", "====", "Zm9v\n", "Zm 9", "Zm9-", "Zm9_",
        "Zh==", "Zm9=", "Zg==Zg==", "Zm9vY"}) {
    EXPECT_FALSE(decode_base64(text)) << text;
  }
}

RC_GTEST_PROP(Base64Property, ReadsWhatItWrote, (const std::string& bytes)) {
  RC_ASSERT(decode_base64(encode_base64(bytes)) == bytes);
}

}  // namespace
}  // namespace baton::base
