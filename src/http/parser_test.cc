#include "http/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace baton::http {
namespace {

constexpr ParserLimits kLimits{.max_header_bytes = 400,
                               .max_target_bytes = 100,
                               .max_body_bytes = 64,
                               .max_discarded_bytes = 256};

// What came out of a stream of bytes: one line for each request or refusal.
std::vector<std::string> read_in_pieces(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> out;
  RequestParser parser(kLimits);
  std::string buffer;
  while (!bytes.empty()) {
    buffer += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (;;) {
      Window window{buffer.data(), buffer.size()};
      const Progress progress = parser.parse(window);
      buffer.resize(window.size);
      if (progress == Progress::kNeedMore) break;
      if (progress == Progress::kHead) continue;
      if (progress == Progress::kRefused) {
        out.push_back(std::to_string(status_of(parser.problem().fault)));
        if (!parser.framed()) return out;
      } else {
        Request request;
        parser.fill(buffer.data(), request);
        out.push_back(std::string(request.method_name) + " " + std::string(request.path) + "?" +
                      std::string(request.query) + " [" + std::string(request.body) + "]" +
                      (request.keep_alive ? "" : " close"));
      }
      buffer.erase(0, parser.position());
      parser.reset();
    }
  }
  return out;
}

std::vector<std::string> read(std::string_view bytes) {
  std::vector<std::string> whole = read_in_pieces(bytes, bytes.size());
  for (std::size_t piece = 1; piece < bytes.size(); ++piece)
    EXPECT_EQ(read_in_pieces(bytes, piece), whole) << bytes << "\nin pieces of " << piece;
  return whole;
}

using Lines = std::vector<std::string>;

TEST(Parser, ReadsRequestsOneAfterTheOther) {
  EXPECT_EQ(read("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"
                 "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
                 "\r\nDELETE /e HTTP/1.1\r\nHost: x\r\nConnection: foo, Close\r\n\r\n"),
            (Lines{"GET /a?b=c []", "POST /d? [hello]", "DELETE /e? [] close"}));
}

TEST(Parser, TakesChunksOutOfTheirFraming) {
  EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
                 "5\r\nhello\r\n0006;name=\"value\"\r\n world\r\n1\r\n\n\r\n0\r\nTrailer: x\r\n\r\n"
                 "GET /next HTTP/1.1\r\nHost: x\r\n\r\n"),
            (Lines{"POST /? [hello world\n]", "GET /next? []"}));
}

TEST(Parser, KnowsWhenAConnectionGoesOn) {
  EXPECT_EQ(read("GET / HTTP/1.0\r\n\r\n"), (Lines{"GET /? [] close"}));
  EXPECT_EQ(read("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), (Lines{"GET /? []"}));
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost:\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n"),
            (Lines{"GET /? [] close"}));
}

TEST(Parser, TakesThePathOutOfAnAbsoluteTarget) {
  EXPECT_EQ(read("GET http://x:80/a?b HTTP/1.1\r\nHost: x\r\n\r\n"), (Lines{"GET /a?b []"}));
  EXPECT_EQ(read("GET HTTPS://x/ HTTP/1.1\r\nHost: x\r\n\r\n"), (Lines{"GET /? []"}));
  EXPECT_EQ(read("GET http://x HTTP/1.1\r\nHost: x\r\n\r\n"), (Lines{"400"}));
  EXPECT_EQ(read("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), (Lines{"OPTIONS *? []"}));
}

TEST(Parser, FindsFieldsInAnyCase) {
  std::string bytes =
      "GET / HTTP/1.1\r\nHost: x\r\nBaton-Lease: \t abc \r\nAccept:\r\nBaton-Lease-2: n\r\n\r\n";
  RequestParser parser(kLimits);
  Window window{bytes.data(), bytes.size()};
  ASSERT_EQ(parser.parse(window), Progress::kComplete);
  Request request;
  parser.fill(bytes.data(), request);
  EXPECT_EQ(request.headers.find("baton-lease"), "abc");
  EXPECT_EQ(request.headers.find("BATON-LEASE-2"), "n");
  EXPECT_EQ(request.headers.find("accept"), "");
  EXPECT_EQ(request.headers.find("baton"), std::nullopt);
  EXPECT_EQ(request.headers.find("x"), std::nullopt);
}

struct Refused {
  const char* why;
  std::string_view bytes;
  const char* status;
};

using namespace std::string_view_literals;

// Shapes that two readers could understand differently, and others that are no HTTP. Each is
// followed by a request that must not be reached.
const Refused kRefused[] = {
    {"both lengths",
     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"sv,
     "400"},
    {"both lengths, turned around",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"sv,
     "400"},
    {"two lengths that differ",
     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"sv, "400"},
    {"two lengths that agree",
     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na"sv, "400"},
    {"a list of lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na"sv, "400"},
    {"a length with a sign", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na"sv, "400"},
    {"a negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\na"sv, "400"},
    {"a hexadecimal length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\na"sv, "400"},
    {"a length that is not there", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\na"sv,
     "400"},
    {"a length beyond 64 bits",
     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551617\r\n\r\na"sv, "400"},
    {"two transfer encodings",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"sv,
     "400"},
    {"chunked is not the last encoding",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"sv, "400"},
    {"an encoding that looks like chunked",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"sv, "400"},
    {"chunked in quotes",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"sv, "400"},
    {"an unknown encoding before chunked",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"sv, "501"},
    {"chunked with HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"sv,
     "400"},
    {"a chunk without a size",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\r\na\r\n0\r\n\r\n"sv, "400"},
    {"a chunk size that is none",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\ng\r\na\r\n0\r\n\r\n"sv,
     "400"},
    {"a chunk size with 0x",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n"sv,
     "400"},
    {"a chunk size with a sign",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\na\r\n0\r\n\r\n"sv,
     "400"},
    {"a space before a chunk size",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n 1\r\na\r\n0\r\n\r\n"sv,
     "400"},
    {"a space after a chunk size",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n"sv,
     "400"},
    {"a chunk size beyond 64 bits",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000001\r\na\r\n0\r\n\r\n"sv,
     "400"},
    {"a chunk size that ends with LF",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n"sv, "400"},
    {"a CR in a chunk extension",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;a\rb\r\na\r\n0\r\n\r\n"sv,
     "400"},
    {"a chunk longer than its size",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"sv,
     "400"},
    {"a chunk that ends with LF",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n"sv, "400"},
    {"a trailer that is no field",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nabc\r\n\r\n"sv, "400"},
    {"a folded line", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n"sv, "400"},
    {"a folded first line", "GET / HTTP/1.1\r\n Host: x\r\n\r\n"sv, "400"},
    {"a space before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n"sv, "400"},
    {"a tab before the colon", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length\t: 1\r\n\r\na"sv,
     "400"},
    {"a field without a colon", "GET / HTTP/1.1\r\nHost: x\r\nAbc\r\n\r\n"sv, "400"},
    {"a field without a name", "GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n"sv, "400"},
    {"a name that is no token", "GET / HTTP/1.1\r\nHost: x\r\nA(b): c\r\n\r\n"sv, "400"},
    {"a lone CR in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rContent-Length: 5\r\n\r\n"sv,
     "400"},
    {"a lone LF after a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n"sv, "400"},
    {"a lone LF at the end of the head", "GET / HTTP/1.1\r\nHost: x\r\n\n"sv, "400"},
    {"a zero in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n"sv, "400"},
    {"no host", "GET / HTTP/1.1\r\n\r\n"sv, "400"},
    {"two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"sv, "400"},
    {"a host with a space", "GET / HTTP/1.1\r\nHost: x y\r\n\r\n"sv, "400"},
    {"a host with a path", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n"sv, "400"},
    {"a control character in the target", "GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a zero in the target", "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a CR in the target", "GET /\r HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a tab in the target", "GET /\t HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a DEL in the target", "GET /\x7f HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"bytes beyond ASCII in the target", "GET /\xc3\xa4 HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a fragment", "GET /#a HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"two spaces", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a space at the end of the line", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n"sv, "400"},
    {"a space before the method", " GET / HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"no target", "GET HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a target without a slash", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a method that is no token", "G@T / HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"a method of 33 letters", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG / HTTP/1.1\r\nHost: x\r\n\r\n"sv,
     "400"},
    {"HTTP/0.9", "GET /\r\n"sv, "400"},
    {"a version in small letters", "GET / http/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"HTTP/1.10", "GET / HTTP/1.10\r\nHost: x\r\n\r\n"sv, "400"},
    {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"sv, "505"},
    {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n"sv, "505"},
    {"two empty lines", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"sv, "400"},
    {"another expectation",
     "POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 1\r\n\r\na"sv, "417"},
};

TEST(Parser, RefusesWhatCouldBeUnderstoodInTwoWays) {
  for (const Refused& row : kRefused) {
    const std::string bytes = std::string(row.bytes) + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_EQ(read(bytes), (Lines{row.status})) << row.why;
  }
}

std::string get(std::size_t target_bytes, std::size_t header_bytes) {
  const std::string fixed = "Host: x\r\nA: \r\n";
  return "GET /" + std::string(target_bytes - 1, 'a') +
         " HTTP/1.1\r\nHost: x\r\nA: " + std::string(header_bytes - fixed.size(), 'b') + "\r\n\r\n";
}

TEST(Parser, HoldsTheLimitsOfTheHead) {
  EXPECT_EQ(read(get(100, 400)).at(0).substr(0, 3), "GET");
  EXPECT_EQ(read(get(101, 100)), (Lines{"414"}));
  EXPECT_EQ(read(get(100, 401)), (Lines{"431"}));
  EXPECT_EQ(read_in_pieces("GET /" + std::string(1000, 'a'), 1), (Lines{"414"}));
  EXPECT_EQ(read_in_pieces("GET / HTTP/1.1\r\nA: " + std::string(1000, 'a'), 1), (Lines{"431"}));
  EXPECT_EQ(read_in_pieces("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                               std::string(2000, 'a'),
                           1),
            (Lines{"400"}));
  const std::string chunked =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: ";
  EXPECT_EQ(read(chunked + std::string(395, 'a') + "\r\n\r\n"), (Lines{"POST /? []"}));
  EXPECT_EQ(read(chunked + std::string(396, 'a') + "\r\n\r\n"), (Lines{"431"}));
}

std::string post(std::size_t body_bytes) {
  return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body_bytes) +
         "\r\n\r\n" + std::string(body_bytes, 'b');
}
std::string post_chunks(std::size_t body_bytes) {
  std::string out = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t i = 0; i < body_bytes; ++i)
    out += "1\r\nb\r\n";
  return out + "0\r\n\r\n";
}

TEST(Parser, ReadsABodyThatIsTooLargeToItsEnd) {
  const std::string next = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string whole = "POST /? [" + std::string(64, 'b') + "]";
  EXPECT_EQ(read(post(64) + next), (Lines{whole, "GET /next? []"}));
  EXPECT_EQ(read(post(65) + next), (Lines{"413", "GET /next? []"}));
  EXPECT_EQ(read(post(256) + next), (Lines{"413", "GET /next? []"}));
  EXPECT_EQ(read(post(257) + next), (Lines{"413"}));
  EXPECT_EQ(read(post_chunks(64) + next), (Lines{whole, "GET /next? []"}));
  EXPECT_EQ(read(post_chunks(65) + next), (Lines{"413", "GET /next? []"}));
  EXPECT_EQ(read_in_pieces(post_chunks(256) + next, 7), (Lines{"413", "GET /next? []"}));
  EXPECT_EQ(read_in_pieces(post_chunks(257) + next, 7), (Lines{"413"}));
}

TEST(Parser, KeepsNoBytesOfABodyThatItThrowsAway) {
  std::string bytes = post(200);
  RequestParser parser(kLimits);
  const std::size_t head = bytes.size() - 200;
  Window window{bytes.data(), head + 100};
  EXPECT_EQ(parser.parse(window), Progress::kHead);
  EXPECT_EQ(parser.parse(window), Progress::kNeedMore);
  EXPECT_EQ(window.size, head);
  EXPECT_EQ(parser.body_bytes(), 100U);
  EXPECT_EQ(parser.expected_size(), 0U);
}

TEST(Parser, SaysWhenTheClientWaitsForAnInvitation) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n";
  const auto asks = [](std::string bytes) {
    RequestParser parser(kLimits);
    Window window{bytes.data(), bytes.size()};
    EXPECT_EQ(parser.parse(window), Progress::kHead) << bytes;
    return parser.expects_continue();
  };
  EXPECT_TRUE(asks(head));
  EXPECT_FALSE(asks(head + "h"));
  EXPECT_FALSE(asks("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  // It is told at once that the body would be too large, and need not send it.
  EXPECT_EQ(
      read("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 65\r\n\r\n"),
      (Lines{"413"}));
}

}  // namespace
}  // namespace baton::http
