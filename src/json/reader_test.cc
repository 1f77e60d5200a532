#include "json/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::json {
namespace {

struct Inner {
  std::int64_t count = -1;
  std::vector<std::string> names;
};

struct Outer {
  std::string text = "unset";
  bool flag = false;
  double ratio = 0;
  std::string any;
  Inner inner;
};

void read_inner(Reader& reader, Inner& out) {
  reader.members([&](std::string_view name) {
    if (name == "count") out.count = reader.integer({0, 9});
    if (name == "names") reader.elements([&] { out.names.push_back(reader.string()); });
  });
}

Status read(std::string_view text, Outer& out) {
  Reader reader(text);
  reader.members([&](std::string_view name) {
    if (name == "text" && !reader.is_null()) out.text = reader.string();
    if (name == "flag") out.flag = reader.boolean();
    if (name == "ratio") out.ratio = reader.real({0, 1});
    if (name == "any") out.any = reader.raw();
    if (name == "inner" && !reader.is_null()) read_inner(reader, out.inner);
  });
  return reader.finish();
}

Error error_of(std::string_view text) {
  Outer out;
  const Status status = read(text, out);
  EXPECT_FALSE(status.ok()) << text;
  return status.ok() ? Error{} : status.error();
}

TEST(JsonReader, ReadsWhatItIsAskedFor) {
  Outer out;
  const Status status = read(R"({"text":"a\u00e9\n\"","ratio":0.5,"flag":true,"any":{"x":[1, 2]},)"
                             R"("inner":{"names":["p","q"],"count":7}} )",
                             out);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(out.text, "a\xc3\xa9\n\"");
  EXPECT_TRUE(out.flag);
  EXPECT_EQ(out.ratio, 0.5);
  EXPECT_EQ(out.any, R"({"x":[1, 2]})");
  EXPECT_EQ(out.inner.count, 7);
  EXPECT_EQ(out.inner.names, (std::vector<std::string>{"p", "q"}));
}

TEST(JsonReader, KeepsRawValuesAsTheyCame) {
  for (const std::string text : {"null", "true", "1e999", "\"a \\u0041\"", "[ 1 ,2 ]", "{ }",
                                 "12345678901234567890123", "-0.0"}) {
    Outer out;
    const Status status = read("{\"any\": " + text + " , \"flag\":true}", out);
    ASSERT_TRUE(status.ok()) << text << ": " << status.error().message;
    EXPECT_EQ(out.any, text);
    EXPECT_TRUE(out.flag);
  }
}

TEST(JsonReader, NullLeavesAMemberUnset) {
  Outer out;
  ASSERT_TRUE(read(R"({"text":null,"inner":null})", out).ok());
  EXPECT_EQ(out.text, "unset");
}

TEST(JsonReader, PassesOverWhatIsNotRead) {
  Outer out;
  ASSERT_TRUE(read(R"({"new":{"a":[1,{}]},"flag":true,"inner":{"x":[]}})", out).ok());
  EXPECT_TRUE(out.flag);
}

struct Wrong {
  std::string_view text;
  std::string_view field;
  std::string_view message;
};

TEST(JsonReader, WhatIsNotExpectedIsNamed) {
  const std::string_view range = "must be a whole number from 0 to 9";
  for (const Wrong& wrong : {
           Wrong{R"({"text":1})", "text", "must be a string"},
           Wrong{R"({"text":["a"]})", "text", "must be a string"},
           Wrong{R"({"flag":1})", "flag", "must be true or false"},
           Wrong{R"({"flag":trux})", "flag", "must be true or false"},
           Wrong{R"({"ratio":2})", "ratio", "must be a number from 0 to 1"},
           Wrong{R"({"ratio":"0"})", "ratio", "must be a number from 0 to 1"},
           Wrong{R"({"inner":[]})", "inner", "must be an object"},
           Wrong{R"({"inner":{"count":10}})", "inner.count", range},
           Wrong{R"({"inner":{"count":-1}})", "inner.count", range},
           Wrong{R"({"inner":{"count":1.0}})", "inner.count", range},
           Wrong{R"({"inner":{"count":1e0}})", "inner.count", range},
           Wrong{R"({"inner":{"count":99999999999999999999}})", "inner.count", range},
           Wrong{R"({"inner":{"names":"a"}})", "inner.names", "must be an array"},
           Wrong{R"({"inner":{"names":["a",2]}})", "inner.names[1]", "must be a string"},
           Wrong{R"({"any":tru})", "any", "is not JSON: expected a value at byte 0"},
           Wrong{R"({"any":{"a":[01]}})", "any",
                 "is not JSON: a number must not begin with a zero at byte 7"},
       }) {
    const Error error = error_of(wrong.text);
    EXPECT_EQ(error.code, Code::kBadRequest) << wrong.text;
    EXPECT_EQ(error.field, wrong.field) << wrong.text;
    EXPECT_EQ(error.message, error.field + " " + std::string(wrong.message)) << wrong.text;
  }
}

TEST(JsonReader, BrokenDocumentsAreRefusedAsAWhole) {
  for (const std::string_view text : {"",
                                      "  ",
                                      "{",
                                      "}",
                                      "nul",
                                      "{\"text\"}",
                                      "{\"text\":}",
                                      "{\"text\":\"a}",
                                      "{\"flag\":true,}",
                                      "{\"flag\":true}{}",
                                      "{\"flag\":true} x",
                                      "{\"text\":\"\xff\"}",
                                      "{\"flag\" true}",
                                      "{'flag':true}",
                                      "{\"text\":\"a\" \"flag\":true}",
                                      "\"a\"",
                                      "7",
                                      "[1]",
                                      "true",
                                      "{\"text\":\"\\ud800\"}",
                                      "{\"text\":\"\\q\"}",
                                      "{\"text\":\"a\nb\"}",
                                      "{\"any\":[}}",
                                      "{\"any\":{\"a\":1}",
                                      "{\"any\":[1}",
                                      "{\"inner\":{\"names\":[\"a\",]}}",
                                      "\xef\xbb\xbf"}) {
    const Error error = error_of(text);
    EXPECT_EQ(error.code, Code::kBadRequest) << text;
    EXPECT_FALSE(error.message.empty()) << text;
  }
}

// After a large document the next ones are read in fresh memory.
TEST(JsonReader, GoesOnAfterALargeDocument) {
  Outer large;
  const std::string text(std::size_t{3} << 20, 'x');
  ASSERT_TRUE(read("{\"text\":\"" + text + "\"}", large).ok());
  EXPECT_EQ(large.text, text);
  Outer small;
  ASSERT_TRUE(read(R"({"text":"y"})", small).ok());
  EXPECT_EQ(small.text, "y");
}

}  // namespace
}  // namespace baton::json
