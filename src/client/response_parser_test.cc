#include "client/response_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::client {
namespace {

using Progress = ResponseParser::Progress;

const std::string kPlain =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello";
const std::string kChunked =
    "HTTP/1.1 201 Created\r\ntransfer-encoding: Chunked\r\n\r\n"
    "3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n";

// Broken by its end, whether the connection goes on or not.
void refused(const std::string& bytes) {
  ResponseParser parser;
  if (parser.take(bytes) == Progress::kNeedsMore) {
    EXPECT_EQ(parser.at_end(), Progress::kBroken) << bytes;
  }
  EXPECT_FALSE(parser.problem().empty()) << bytes;
}

TEST(ResponseParser, ReadsAnAnswerInPiecesOfAnySize) {
  for (const std::string& bytes : {kPlain, kChunked}) {
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
      ResponseParser parser;
      EXPECT_FALSE(parser.begun());
      for (std::size_t at = 0; at < bytes.size(); at += size) {
        const bool last = at + size >= bytes.size();
        ASSERT_EQ(parser.take(std::string_view(bytes).substr(at, size)),
                  last ? Progress::kDone : Progress::kNeedsMore);
      }
      EXPECT_TRUE(parser.begun());
      EXPECT_EQ(parser.response().body, "hello");
      EXPECT_TRUE(parser.response().keep_alive);
    }
  }
}

TEST(ResponseParser, ReadsWhatItNeedsOfTheHead) {
  ResponseParser parser;
  ASSERT_EQ(parser.take("HTTP/1.1 429 \r\nRETRY-AFTER:  3 \r\nConnection: x, Close\r\n"
                        "Content-Type: application/problem+json\r\nContent-Length: 0\r\n\r\n"),
            Progress::kDone);
  EXPECT_EQ(parser.response().status, 429);
  EXPECT_EQ(parser.response().retry_after, Duration(3000));
  EXPECT_EQ(parser.response().content_type, "application/problem+json");
  EXPECT_FALSE(parser.response().keep_alive);
}

TEST(ResponseParser, PassesOverInterimAnswers) {
  ResponseParser parser;
  ASSERT_EQ(parser.take("HTTP/1.1 100 Continue\r\n\r\n" + kPlain), Progress::kDone);
  EXPECT_EQ(parser.response().status, 200);
}

TEST(ResponseParser, ReadsToTheEndOnlyWhenTheServerCloses) {
  ResponseParser parser;
  ASSERT_EQ(parser.take("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of"),
            Progress::kNeedsMore);
  ASSERT_EQ(parser.take(" it"), Progress::kNeedsMore);
  ASSERT_EQ(parser.at_end(), Progress::kDone);
  EXPECT_EQ(parser.response().body, "all of it");
  refused("HTTP/1.1 200 OK\r\n\r\nall of it");
}

TEST(ResponseParser, KnowsAnswersWithoutABody) {
  ResponseParser parser;
  EXPECT_EQ(parser.take("HTTP/1.1 204 No Content\r\n\r\n"), Progress::kDone);
}

TEST(ResponseParser, RefusesWhatHasNoCertainEnd) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  refused(head + "Content-Length: 5\r\n\r\nhell");
  refused(head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello");
  refused(head + "Content-Length: +5\r\n\r\nhello");
  refused(head + "Content-Length: 5x\r\n\r\nhello");
  refused(head + "Content-Length:\r\n\r\n");
  refused(head + "Content-Length: 99999999999999999999\r\n\r\n");
  refused(head + "Content-Length: 999999999999\r\n\r\n");
  refused(head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n");
  refused(head + "Transfer-Encoding: gzip, chunked\r\n\r\n");
  refused(head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\nx\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n");
  refused(kPlain + "HTTP");
}

TEST(ResponseParser, RefusesWhatIsNotHttp) {
  refused("");
  refused("SSH-2.0-OpenSSH_9.2\r\n");
  refused("HTTP/2.0 200 OK\r\n\r\n");
  refused("HTTP/1.1 20 OK\r\n\r\n");
  refused("HTTP/1.1 099 OK\r\n\r\n");
  refused("HTTP/1.1 2000\r\n\r\n");
  refused("HTTP/1.1 200 OK\n\n");
  refused("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\n: nameless\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nName : x\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nA: b\r\n folded\r\nContent-Length: 0\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nLong: " + std::string(70'000, 'x') + "\r\n\r\n");
}

}  // namespace
}  // namespace baton::client
