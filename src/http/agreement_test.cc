// Whatever our parser accepts, an independent one (Boost.Beast's) must understand in the same way:
// the same method, target and body, and the same place at which the next request begins. Beast may
// refuse, where we are the more generous; two readers that disagree are what smuggling needs.
#include <gtest/gtest.h>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "http/parser.h"

namespace baton::http {
namespace {

struct Reading {
  std::string method;
  std::string path;
  std::string body;
  std::size_t bytes = 0;
  bool keep_alive = true;
};

std::optional<Reading> read_ours(std::string bytes) {
  RequestParser parser({.max_header_bytes = 4000,
                        .max_target_bytes = 1000,
                        .max_body_bytes = 4000,
                        .max_discarded_bytes = 4000});
  Window window{bytes.data(), bytes.size()};
  Progress progress = parser.parse(window);
  if (progress == Progress::kHead) progress = parser.parse(window);
  if (progress != Progress::kComplete) return std::nullopt;
  Request request;
  parser.fill(bytes.data(), request);
  return Reading{std::string(request.method_name), std::string(request.path),
                 std::string(request.body), parser.position(), request.keep_alive};
}

std::optional<Reading> read_beast(const std::string& bytes) {
  namespace beast = boost::beast::http;
  beast::request_parser<beast::string_body> parser;
  parser.eager(true);
  boost::system::error_code error;
  std::size_t position = 0;
  while (!error && !parser.is_done()) {
    const std::size_t count = parser.put(
        boost::asio::const_buffer(bytes.data() + position, bytes.size() - position), error);
    position += count;
    if (count == 0) break;
  }
  if (error || !parser.is_done()) return std::nullopt;
  const auto& message = parser.get();
  std::string target(message.target());
  for (const std::string_view scheme : {"http://", "https://", "HTTP://"})
    if (target.starts_with(scheme)) target.erase(0, target.find('/', scheme.size()));
  return Reading{std::string(message.method_string()), target.substr(0, target.find('?')),
                 message.body(), position, parser.keep_alive()};
}

const std::vector<std::string> kSeeds = {
    "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://x/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789",
    "POST /a HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
    "PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n1;a=b\r\n!\r\n0\r\nTrailer: x\r\n\r\n",
    "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nX-Content-Length: 9\r\n\r\n1\r\nz",
};
const std::string kNext = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";

// Pieces that matter to where a request ends.
const std::vector<std::string_view> kPieces = {"\r\n",
                                               "\r",
                                               "\n",
                                               " ",
                                               "\t",
                                               ":",
                                               ";",
                                               ",",
                                               "0",
                                               "1",
                                               "a",
                                               "+",
                                               "\r\n\r\n",
                                               " \r\n",
                                               "Content-Length: 1\r\n",
                                               "Content-Length: 10\r\n",
                                               "Transfer-Encoding: chunked\r\n",
                                               "Transfer-Encoding: identity\r\n",
                                               "Transfer-Encoding: chunked, gzip\r\n",
                                               "Connection: close\r\n",
                                               "Connection: keep-alive\r\n",
                                               "Host: y\r\n",
                                               "0\r\n\r\n",
                                               std::string_view("\0", 1),
                                               "\x80"};

std::string damaged(std::string bytes, base::Random& random) {
  for (std::uint64_t edits = 1 + random.below(3); edits != 0; --edits) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes.erase(at, 1 + random.below(3));
        break;
      case 2:
        bytes.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      default:  // at the beginning of a line, where a field would be
        bytes.insert(bytes.find('\n') == std::string::npos ? 0 : bytes.find('\n') + 1,
                     kPieces[random.below(kPieces.size())]);
    }
    if (bytes.empty()) bytes = " ";
  }
  return bytes;
}

void expect_agreement(const Reading& ours, const Reading& theirs, const std::string& bytes) {
  EXPECT_EQ(ours.method, theirs.method) << bytes;
  EXPECT_EQ(ours.path, theirs.path) << bytes;
  EXPECT_EQ(ours.body, theirs.body) << bytes;
  EXPECT_EQ(ours.bytes, theirs.bytes) << bytes;
  // Asked to close and to keep, we close, which is always safe.
  EXPECT_TRUE(!ours.keep_alive || theirs.keep_alive) << bytes;
}

TEST(Agreement, BothUnderstandWhatIsInOrder) {
  for (const std::string& seed : kSeeds) {
    const auto ours = read_ours(seed + kNext);
    ASSERT_TRUE(ours) << seed;
    const auto theirs = read_beast(seed + kNext);
    ASSERT_TRUE(theirs) << seed;
    expect_agreement(*ours, *theirs, seed);
    EXPECT_EQ(ours->keep_alive, theirs->keep_alive) << seed;
    EXPECT_EQ(ours->bytes, seed.size());
  }
}

TEST(Agreement, NobodyUnderstandsWhatWeAcceptInAnotherWay) {
  base::Random random(20);
  int accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string bytes = damaged(kSeeds[random.below(kSeeds.size())], random) + kNext;
    const auto ours = read_ours(bytes);
    // The empty line that we let pass before a request is unknown to Beast.
    if (!ours || bytes.starts_with("\r\n")) continue;
    ++accepted;
    const auto theirs = read_beast(bytes);
    if (!theirs) continue;
    expect_agreement(*ours, *theirs, bytes);
    if (HasFailure()) return;
  }
  EXPECT_GT(accepted, 5'000);
}

}  // namespace
}  // namespace baton::http
