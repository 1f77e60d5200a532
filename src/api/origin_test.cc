// Which requests may come from a browser: tables over the fields that a page cannot choose freely.
#include "api/origin.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::api {
namespace {
using http::Method;

const std::vector<std::string> kAllowed = {"baton.example", "::2"};

struct Row {
  std::string fields;        // as they come, each with its line's end
  std::string refused_by{};  // the field to blame; empty: the request passes
  Method method = Method::kGet;
  bool page = false;
};

std::string refusal(const Row& row, const std::vector<std::string>& allowed = kAllowed) {
  http::Request request;
  request.method = row.method;
  request.headers = http::Headers(row.fields);
  const auto refused = check_origin(request, allowed, row.page);
  if (!refused) return {};
  EXPECT_EQ(refused->code, Code::kForbidden);
  EXPECT_FALSE(refused->message.empty());
  return refused->field;
}

TEST(Origin, AServerIsCalledByItsAddressByLocalhostOrByAnAllowedName) {
  for (const std::string host :
       {"127.0.0.1", "127.0.0.1:2286", "127.0.0.1:1", "10.1.2.3:80", "[::1]", "[::1]:2286",
        "[::ffff:127.0.0.1]:1", "localhost", "localhost:99", "LocalHost", "baton.example",
        "BATON.example:443", "127.0.0.1:"})
    EXPECT_EQ(refusal({.fields = "Host: " + host + "\r\n"}), "") << host;
  for (const std::string host : {"",
                                 ":80",
                                 "evil.test",
                                 "evil.test:2286",
                                 "localhost.evil.test",
                                 "127.0.0.1.evil.test",
                                 "localhost.",
                                 "xlocalhost",
                                 "x.localhost",
                                 "baton.example.evil.test",
                                 "xbaton.example",
                                 "127.1",
                                 "2130706433",
                                 "0x7f.0.0.1",
                                 "::1",
                                 "[::1",
                                 "[::1]x",
                                 "[localhost]",
                                 "[127.0.0.1]",
                                 "127.0.0.1:x",
                                 "127.0.0.1:80:80",
                                 "[::1%25lo]",
                                 "[]",
                                 "localhost:-1"})
    EXPECT_EQ(refusal({.fields = "Host: " + host + "\r\n"}), "Host") << host;
  EXPECT_EQ(refusal({.fields = "Host: baton.example\r\n"}, {}), "Host");
  EXPECT_EQ(refusal({.fields = ""}), "") << "HTTP/1.0";
}

TEST(Origin, APageMayCallOnlyTheServerThatItCameFrom) {
  struct Pair {
    std::string host;
    std::string origin;
    bool passes;
  };
  const std::vector<Pair> pairs = {
      {"127.0.0.1:2286", "http://127.0.0.1:2286", true},
      {"localhost:2286", "http://LOCALHOST:2286", true},
      {"[::1]:2286", "http://[::1]:2286", true},
      {"127.0.0.1", "http://127.0.0.1", true},
      {"127.0.0.1:80", "http://127.0.0.1", true},
      {"127.0.0.1:443", "https://127.0.0.1", true},
      {"127.0.0.1", "https://127.0.0.1:443", true},
      {"127.0.0.1:2286", "https://127.0.0.1:2286", true},
      {"127.0.0.1:2286", "https://baton.example", true},
      {"127.0.0.1:2286", "http://baton.example:8080", true},
      {"127.0.0.1:2286", "http://[::2]", true},
      {"127.0.0.1:2286", "null", false},
      {"127.0.0.1:2286", "", false},
      {"127.0.0.1:2286", "http://", false},
      {"127.0.0.1:2286", "http://127.0.0.1", false},
      {"127.0.0.1:2286", "http://127.0.0.1:2287", false},
      {"127.0.0.1:2286", "http://localhost:2286", false},
      {"localhost:2286", "http://127.0.0.1:2286", false},
      {"127.0.0.1:2286", "http://evil.test", false},
      {"127.0.0.1:2286", "http://evil.test:2286", false},
      {"127.0.0.1:2286", "http://127.0.0.1:2286.evil.test", false},
      {"127.0.0.1:2286", "http://127.0.0.1:2286/", false},
      {"127.0.0.1:2286", "http://evil@127.0.0.1:2286", false},
      {"127.0.0.1:2286", "127.0.0.1:2286", false},
      {"127.0.0.1:2286", "file://127.0.0.1:2286", false},
      {"127.0.0.1:2286", "ws://127.0.0.1:2286", false},
      {"127.0.0.1:2286", "http://127.0.0.1:2286 http://evil.test", false},
      {"127.0.0.1:2286", "http://xbaton.example", false},
      {"[::1]:2286", "http://::1:2286", false},
  };
  for (const Pair& pair : pairs) {
    for (const Method method : {Method::kGet, Method::kPost}) {
      for (const bool page : {false, true}) {
        const std::string fields = "Host: " + pair.host + "\r\nOrigin: " + pair.origin + "\r\n";
        EXPECT_EQ(refusal({fields, {}, method, page}), pair.passes ? "" : "Origin") << fields;
      }
    }
  }
  EXPECT_EQ(refusal({.fields = "Origin: http://127.0.0.1\r\n"}), "Origin") << "without a Host";
}

TEST(Origin, AnotherSiteMayOnlyLeadPeopleToAPage) {
  const std::string host = "Host: 127.0.0.1:2286\r\n";
  const std::string cross = host + "Sec-Fetch-Site: cross-site\r\n";
  const std::string link = cross + "Sec-Fetch-Mode: navigate\r\n";
  const std::vector<Row> rows = {
      {host + "Sec-Fetch-Site: same-origin\r\n"},
      {host + "Sec-Fetch-Site: same-site\r\n"},
      {host + "Sec-Fetch-Site: none\r\n"},
      {cross, "Sec-Fetch-Site"},
      {cross, "Sec-Fetch-Site", Method::kPost},
      {cross, "Sec-Fetch-Site", Method::kGet, true},
      {cross + "Sec-Fetch-Mode: no-cors\r\n", "Sec-Fetch-Site", Method::kGet, true},
      {link, "Sec-Fetch-Site"},
      {link, "", Method::kGet, true},
      {link + "Sec-Fetch-Dest: document\r\n", "", Method::kGet, true},
      {link + "Sec-Fetch-Dest: iframe\r\n", "Sec-Fetch-Site", Method::kGet, true},
      {link + "Sec-Fetch-Dest: document\r\n", "Sec-Fetch-Site", Method::kPost, true},
      {link + "Sec-Fetch-Dest: document\r\n", "Sec-Fetch-Site", Method::kHead, true},
  };
  for (const Row& row : rows)
    EXPECT_EQ(refusal(row), row.refused_by) << row.fields << row.page;
}

TEST(Origin, ABodyIsJsonAndSaysSo) {
  struct Typed {
    std::string fields;
    std::string body;
    bool passes;
  };
  const std::vector<Typed> rows = {
      {"", "", true},
      {"", "{}", false},
      {"Content-Type: application/json\r\n", "{}", true},
      {"Content-Type: application/json\r\n", "", true},
      {"Content-Type: Application/JSON ; charset=utf-8\r\n", "{}", true},
      {"Content-Type: \r\n", "{}", false},
      {"Content-Type: \r\n", "", false},
      {"Content-Type: text/plain\r\n", "{}", false},
      {"Content-Type: text/plain\r\n", "", false},
      {"Content-Type: application/x-www-form-urlencoded\r\n", "", false},
      {"Content-Type: multipart/form-data; boundary=application/json\r\n", "", false},
      {"Content-Type: text/plain; application/json\r\n", "{}", false},
      {"Content-Type: application/jsonx\r\n", "{}", false},
  };
  for (const Typed& row : rows) {
    http::Request request;
    request.headers = http::Headers(row.fields);
    request.body = row.body;
    const auto refused = check_content_type(request);
    EXPECT_EQ(!refused, row.passes) << row.fields << row.body;
    if (!refused) continue;
    EXPECT_EQ(refused->code, Code::kUnsupportedMediaType);
    EXPECT_EQ(refused->field, "Content-Type");
  }
}

TEST(Origin, AnAllowedHostIsANameOrAnAddressWithoutAPort) {
  for (const char* text : {"a", "baton.example", "a-b_c.d", "10.0.0.1", "::1"})
    EXPECT_TRUE(is_host_name(text)) << text;
  for (const char* text : {"", "a:80", "[::1]", "http://a", "a/b", "a b", "*", "*.example", "::x"})
    EXPECT_FALSE(is_host_name(text)) << text;
}

}  // namespace
}  // namespace baton::api
