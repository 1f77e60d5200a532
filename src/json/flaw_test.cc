#include "json/flaw.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::json {
namespace {

// Everything that RFC 8259 allows.
TEST(JsonFlaw, FindsNoneInJson) {
  for (const std::string_view text : {"null",
                                      "true",
                                      "false",
                                      " 0 ",
                                      "-0",
                                      "-0.0e-0",
                                      "1e999",
                                      "123456789012345678901234567890",
                                      "0.5",
                                      "1E+3",
                                      "\"\"",
                                      "\"a\\n\\u00e9\\\"\"",
                                      "\"\xc3\xa9\"",
                                      "\"\\ud800\"",
                                      "[]",
                                      "[ ]",
                                      "{}",
                                      "[1,2 , 3]",
                                      "{\"a\":1,\"a\":[{}]}",
                                      "\t\r\n{ \"a\" : [ null ] }\n",
                                      "[[],{},[[]],\"x\"]"}) {
    const auto flaw = find_flaw(text);
    EXPECT_FALSE(flaw) << text << ": " << (flaw ? flaw->what : "");
  }
}

struct Broken {
  std::string_view text;
  std::size_t at;
};

TEST(JsonFlaw, SaysWhereItIs) {
  for (const Broken& broken : {
           Broken{"", 0},
           Broken{" ", 1},
           Broken{"tru", 0},
           Broken{"nul1", 0},
           Broken{"True", 0},
           Broken{"{\"a\":tru}", 5},
           Broken{"[1,]", 3},
           Broken{"[1 2]", 3},
           Broken{"[", 1},
           Broken{"]", 0},
           Broken{"[}", 1},
           Broken{"{\"a\"}", 4},
           Broken{"{a:1}", 1},
           Broken{"{\"a\":1,}", 7},
           Broken{"{\"a\":1", 6},
           Broken{"01", 1},
           Broken{"-", 1},
           Broken{"+1", 0},
           Broken{".5", 0},
           Broken{"1.", 2},
           Broken{"1e", 2},
           Broken{"1e+", 3},
           Broken{"0x1", 1},
           Broken{"NaN", 0},
           Broken{"Infinity", 0},
           Broken{"-Infinity", 1},
           Broken{"\"", 1},
           Broken{"\"\\x\"", 2},
           Broken{"\"\\u12g4\"", 5},
           Broken{"\"\n\"", 1},
           Broken{"'a'", 0},
           Broken{"1 2", 2},
           Broken{"{} {}", 3},
           Broken{"// c\n1", 0},
           Broken{"[1]]", 3},
           Broken{"\"\\", 2},
           Broken{"\"\\u00", 5},
           Broken{"[\"a\",\"b]", 8},
           Broken{"{\"a\" 1}", 5},
           Broken{"{1:1}", 1},
           Broken{"[nulll]", 5},
           Broken{"\"\xc3(\"", 0},
           Broken{"\"\xed\xa0\x80\"", 0},
           Broken{"\xef\xbb\xbf{}", 0},
       }) {
    const auto flaw = find_flaw(broken.text);
    ASSERT_TRUE(flaw) << broken.text;
    EXPECT_EQ(flaw->at, broken.at) << broken.text << ": " << flaw->what;
  }
}

TEST(JsonFlaw, NestingHasALimit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_FALSE(find_flaw(nested(kMaxNesting)));
  const auto flaw = find_flaw(nested(kMaxNesting + 1));
  ASSERT_TRUE(flaw);
  EXPECT_EQ(flaw->at, kMaxNesting);
  EXPECT_EQ(flaw->what, "it is nested too deeply");
}

}  // namespace
}  // namespace baton::json
