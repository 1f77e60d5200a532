// Where a server may listen: which texts are an address, and which addresses are loopback.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/server.h"

namespace baton::server {
namespace {

TEST(ParseListen, ReadsHostAndPort) {
  struct Row {
    std::string text;
    std::string host;
    std::uint16_t port;
  };
  const std::vector<Row> rows = {
      {"127.0.0.1:2286", "127.0.0.1", 2286},   {"localhost:0", "localhost", 0},
      {"localhost:65535", "localhost", 65535}, {"[::1]:80", "::1", 80},
      {"example.com:080", "example.com", 80},  {"[x]:1", "x", 1},
  };
  for (const Row& row : rows) {
    Options options;
    EXPECT_TRUE(parse_listen(row.text, options).ok()) << row.text;
    EXPECT_EQ(options.host, row.host) << row.text;
    EXPECT_EQ(options.port, row.port) << row.text;
  }
}

TEST(ParseListen, RefusesEverythingElseAndChangesNothing) {
  for (const std::string text : {"",
                                 ":",
                                 ":80",
                                 "127.0.0.1",
                                 "127.0.0.1:",
                                 "127.0.0.1:x",
                                 "127.0.0.1:80x",
                                 "127.0.0.1: 80",
                                 "127.0.0.1:-1",
                                 "127.0.0.1:+80",
                                 "127.0.0.1:65536",
                                 "127.0.0.1:99999999999999999999",
                                 "::1",
                                 "::1:80",
                                 "[::1]",
                                 "[::1]80",
                                 "[::1:80",
                                 "[]:80",
                                 "::1]:80",
                                 "[:80"}) {
    Options options;
    options.host = "before";
    options.port = 7;
    const Status parsed = parse_listen(text, options);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, Code::kBadRequest) << text;
    EXPECT_EQ(parsed.error().field, "listen") << text;
    EXPECT_EQ(options.host, "before") << text;
    EXPECT_EQ(options.port, 7) << text;
  }
}

// What broke: a name was taken for an address because it began like one.
TEST(Loopback, IsAnAddressOrLocalhostAndNoOtherName) {
  for (const std::string host :
       {"127.0.0.1", "127.0.0.0", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "localhost"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const std::string host : {"",
                                 "0.0.0.0",
                                 "::",
                                 "128.0.0.1",
                                 "126.255.255.255",
                                 "10.0.0.1",
                                 "192.168.0.1",
                                 "::2",
                                 "fe80::1",
                                 "::ffff:127.0.0.1",
                                 "127",
                                 "127.",
                                 "127.0.0.1.",
                                 "127.0.0.1.example.com",
                                 "127.example.com",
                                 "localhost.example.com",
                                 "Localhost.",
                                 "xlocalhost",
                                 "example.com",
                                 "*",
                                 " 127.0.0.1",
                                 "127.0.0.1 ",
                                 "1270.0.0.1"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace baton::server
