#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

namespace baton::base {
namespace {

using Layout = JsonWriter::Layout;

std::string written(const std::function<void(JsonWriter&)>& write,
                    Layout layout = Layout::kCompact) {
  std::string out;
  JsonWriter writer(out, layout);
  write(writer);
  return out;
}

std::string text(std::string_view value) {
  return written([&](JsonWriter& json) { json.string(value); });
}

void nested(JsonWriter& json) {
  json.begin_object();
  json.key("a");
  json.number(1);
  json.key("b");
  json.begin_array();
  json.boolean(true);
  json.boolean(false);
  json.null();
  json.begin_object();
  json.end_object();
  json.end_array();
  json.key("c");
  json.begin_object();
  json.key("d");
  json.string("x");
  json.end_object();
  json.end_object();
}

TEST(JsonWriter, WritesSingleValues) {
  EXPECT_EQ(text("hello"), R"("hello")");
  EXPECT_EQ(text(""), R"("")");
  EXPECT_EQ(written([](JsonWriter& json) { json.null(); }), "null");
  EXPECT_EQ(written([](JsonWriter& json) { json.boolean(true); }), "true");
  EXPECT_EQ(written([](JsonWriter& json) { json.boolean(false); }), "false");
  EXPECT_EQ(written([](JsonWriter& json) { json.raw("[1, 2]"); }), "[1, 2]");
}

TEST(JsonWriter, WritesTheWholeRangeOfNumbers) {
  const auto number = [](std::int64_t value) {
    return written([&](JsonWriter& json) { json.number(value); });
  };
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-7), "-7");
  EXPECT_EQ(number(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(number(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(JsonWriter, WritesRealNumbersInTheShortestForm) {
  const auto real = [](double value) {
    return written([&](JsonWriter& json) { json.real(value); });
  };
  EXPECT_EQ(real(2.0), "2");
  EXPECT_EQ(real(0.1), "0.1");
  EXPECT_EQ(real(-1.5), "-1.5");
  EXPECT_EQ(real(1e300), "1e+300");
}

TEST(JsonWriter, EscapesWhatJsonDemands) {
  EXPECT_EQ(text("a\"b"), R"("a\"b")");
  EXPECT_EQ(text("a\\b"), R"("a\\b")");
  EXPECT_EQ(text("a\nb\tc"), R"("a\u000ab\u0009c")");
  EXPECT_EQ(text(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(text("\x1f"), R"("\u001f")");
}

// Texts are looked through several characters at a time: none may slip through at any place.
TEST(JsonWriter, EscapesEveryCharacterAtEveryPlace) {
  for (std::size_t size = 1; size <= 17; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[place] = static_cast<char>(byte);
        std::string escaped(1, text[place]);
        if (byte == '"' || byte == '\\') escaped.insert(0, "\\");
        if (byte < ' ') {
          char code[8];
          std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(byte));
          escaped = code;
        }
        const std::string wanted =
            "\"" + std::string(place, 'a') + escaped + std::string(size - place - 1, 'a') + "\"";
        std::string out;
        JsonWriter(out).string(text);
        ASSERT_EQ(out, wanted) << size << " " << place << " " << byte;
      }
    }
  }
}

TEST(JsonWriter, LeavesEverythingElseAsItIs) {
  EXPECT_EQ(text(" /\x7f"), "\" /\x7f\"");
  EXPECT_EQ(text("Zürich €"), "\"Zürich €\"");
}

TEST(JsonWriter, EscapesKeysToo) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_object();
              json.key("a\"b");
              json.null();
              json.end_object();
            }),
            R"({"a\"b":null})");
}

TEST(JsonWriter, PlacesCommasInNestedValues) {
  EXPECT_EQ(written(nested), R"({"a":1,"b":[true,false,null,{}],"c":{"d":"x"}})");
}

TEST(JsonWriter, PrettyOutputHasOneMemberALine) {
  EXPECT_EQ(written(nested, Layout::kPretty), R"({
  "a": 1,
  "b": [
    true,
    false,
    null,
    {}
  ],
  "c": {
    "d": "x"
  }
})");
}

TEST(JsonWriter, EmptyObjectsAndArraysStayOnOneLine) {
  const auto empty = [](JsonWriter& json) {
    json.begin_array();
    json.begin_array();
    json.end_array();
    json.begin_object();
    json.end_object();
    json.end_array();
  };
  EXPECT_EQ(written(empty), "[[],{}]");
  EXPECT_EQ(written(empty, Layout::kPretty), "[\n  [],\n  {}\n]");
}

TEST(JsonWriter, RawAndRealTakePartInTheCommas) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_array();
              json.raw("{}");
              json.real(0.5);
              json.string("s");
              json.number(3);
              json.end_array();
            }),
            R"([{},0.5,"s",3])");
}

TEST(JsonWriter, AppendsToWhatIsThere) {
  std::string out = "data: ";
  JsonWriter json(out);
  json.number(1);
  EXPECT_EQ(out, "data: 1");
}

TEST(JsonWriterDeathTest, ClosingWhatIsNotOpenIsABug) {
  std::string out;
  JsonWriter json(out);
  EXPECT_DEATH(json.end_object(), "assertion failed");
}

TEST(JsonWriter, WritesPlainKeysAsOthers) {
  for (const JsonWriter::Layout layout :
       {JsonWriter::Layout::kCompact, JsonWriter::Layout::kPretty}) {
    std::string plain;
    std::string other;
    for (std::string* text : {&plain, &other}) {
      JsonWriter json(*text, layout);
      json.begin_object();
      for (const char* name : {"a", "b_ms"}) {
        text == &plain ? json.plain_key(name) : json.key(name);
        json.number(1);
      }
      json.end_object();
    }
    EXPECT_EQ(plain, other);
  }
}

}  // namespace
}  // namespace baton::base
