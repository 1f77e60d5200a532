#include "http/serialize.h"

#include <gtest/gtest.h>

#include <string>

#include "http/output.h"

namespace baton::http {
namespace {

std::string head(const Response& response, const HeadOptions& options = {}) {
  std::string out;
  append_head(out, response, options);
  return out;
}

TEST(Serialize, WritesTheDateAsHttpWantsIt) {
  DateLine date;
  date.set(Time{784'111'777'999});
  EXPECT_EQ(date.line(), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  date.set(Time{784'111'778'000});
  EXPECT_EQ(date.line(), "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n");
  date.set(Time{1'709'164'800'000});
  EXPECT_EQ(date.line(), "Date: Thu, 29 Feb 2024 00:00:00 GMT\r\n");
}

TEST(Serialize, SaysHowLongTheBodyIs) {
  EXPECT_EQ(head({.content_type = "a/b", .body = "12345", .fields = {{"Retry-After", "1"}}},
                 {.date_line = "Date: x\r\n"}),
            "HTTP/1.1 200 OK\r\nDate: x\r\nContent-Type: a/b\r\nRetry-After: 1\r\n"
            "Content-Length: 5\r\n\r\n");
  EXPECT_EQ(head({.status = 404}, {.keep_alive = false}),
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(head({}, {.framing = Framing::kChunks}),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(head({}, {.framing = Framing::kUntilClose, .keep_alive = false, .http_1_0 = true}),
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
}

TEST(Serialize, SaysNothingAboutABodyThatCannotBe) {
  EXPECT_EQ(head({.status = 204, .body = "x"}), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(head({.status = 304}, {.http_1_0 = true}),
            "HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\n\r\n");
}

TEST(Serialize, CountsChunksInHexadecimal) {
  std::string out;
  append_chunk(out, std::string(26, 'c'));
  EXPECT_EQ(out, "1a\r\n" + std::string(26, 'c') + "\r\n");
}

std::string in_flight(const Output& output) {
  std::string out;
  for (const std::string_view piece : output.in_flight())
    out += "[" + std::string(piece.substr(0, 8)) + "]";
  return out;
}

TEST(Output, PutsSmallThingsTogetherAndPassesLargeOnesOn) {
  Output output;
  EXPECT_TRUE(output.idle());
  EXPECT_FALSE(output.take_off());
  output.tail() += "ab";
  output.append("cd");
  std::string large(20'000, 'L');
  const char* const place = large.data();
  output.append(std::move(large));
  output.tail() += "ef";
  EXPECT_EQ(output.unsent(), 20'006U);
  ASSERT_TRUE(output.take_off());
  EXPECT_EQ(in_flight(output), "[abcd][LLLLLLLL][ef]");
  EXPECT_EQ(output.in_flight()[1].data(), place);
}

TEST(Output, RemembersWhatWasSent) {
  Output output;
  output.tail() += "first";
  ASSERT_TRUE(output.take_off());
  output.tail() += "second";
  EXPECT_FALSE(output.sent(2));
  EXPECT_EQ(in_flight(output), "[rst]");
  EXPECT_EQ(output.unsent(), 9U);
  EXPECT_TRUE(output.take_off());
  EXPECT_EQ(in_flight(output), "[rst]");
  EXPECT_TRUE(output.sent(3));
  EXPECT_TRUE(output.take_off());
  EXPECT_EQ(in_flight(output), "[second]");
  EXPECT_TRUE(output.sent(6));
  EXPECT_TRUE(output.idle());
}

}  // namespace
}  // namespace baton::http
