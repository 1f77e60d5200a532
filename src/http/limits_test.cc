// What the server refuses itself, seen by a client: the right status, a problem document, and the
// connection closed or kept as it should be.
#include <gtest/gtest.h>

#include <string>

#include "http/testing.h"

namespace baton::http {
namespace {

ServerOptions small() {
  ServerOptions options;
  options.max_header_bytes = 500;
  options.max_target_bytes = 100;
  options.max_body_bytes = 1000;
  options.max_discarded_bytes = 100'000;
  return options;
}

std::string code_in(const Reply& reply) {
  EXPECT_EQ(reply.field("content-type"), "application/problem+json");
  const std::size_t at = reply.body.find("\"code\":\"");
  if (at == std::string::npos) return "(none)";
  return reply.body.substr(at + 8, reply.body.find('"', at + 8) - at - 8);
}

std::string target_of(std::size_t bytes) { return "/" + std::string(bytes - 1, 't'); }
std::string fields_of(std::size_t bytes) {
  return "A: " + std::string(bytes - std::string("Host: localhost\r\nA: \r\n").size(), 'f') +
         "\r\n";
}

struct Row {
  const char* what;
  std::string bytes;
  int status;
  const char* code;
  bool goes_on;
};

TEST(Limits, AreHeldAtAndOnePastTheirValue) {
  TestServer server(small());
  const Row rows[] = {
      {"target", get(target_of(100)), 200, nullptr, true},
      {"target", get(target_of(101)), 414, "uri_too_long", false},
      {"fields", get("/", fields_of(500)), 200, nullptr, true},
      {"fields", get("/", fields_of(501)), 431, "headers_too_large", false},
      {"body", post("/", std::string(1000, 'b')), 200, nullptr, true},
      {"body", post("/", std::string(1001, 'b')), 413, "payload_too_large", true},
      {"thrown away", post("/", std::string(100'000, 'b')), 413, "payload_too_large", true},
      {"too large", post("/", std::string(100'001, 'b')), 413, "payload_too_large", false},
      {"too large, and much so", post("/", std::string(5'000'000, 'b')), 413, "payload_too_large",
       false},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400, "bad_request", false},
      {"two lengths",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       400, "bad_request", false},
      {"encoding",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501,
       "not_implemented", false},
      {"version", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505, "http_version_not_supported", false},
      {"expectation", "POST / HTTP/1.1\r\nHost: x\r\nExpect: x\r\nContent-Length: 1\r\n\r\na", 417,
       "expectation_failed", false},
  };
  for (const Row& row : rows) {
    RawClient client(server.port());
    // What was asked before is answered before.
    client.send(get("/first"));
    client.send(row.bytes);
    client.send(get("/next"));
    EXPECT_EQ(client.read().body, "GET /first ") << row.what;
    const Reply reply = client.read();
    EXPECT_EQ(reply.status, row.status) << row.what;
    if (row.code != nullptr) {
      EXPECT_EQ(code_in(reply), row.code) << row.what;
    }
    if (row.goes_on) {
      EXPECT_EQ(client.read().body, "GET /next ") << row.what;
    } else {
      EXPECT_EQ(reply.field("connection"), "close") << row.what;
      EXPECT_TRUE(client.at_end()) << row.what;
    }
  }
}

TEST(Limits, AClientThatAsksFirstNeedNotSendALargeBody) {
  TestServer server(small());
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n");
  EXPECT_EQ(client.read().status, 413);
  EXPECT_TRUE(client.at_end());
}

TEST(Limits, ConnectionsBeyondTheLimitAreTurnedAway) {
  ServerOptions options;
  options.max_connections = 2;
  TestServer server(options);
  RawClient first(server.port());
  RawClient second(server.port());
  first.send(get("/hold/1"));
  second.send(get("/hold/2"));
  const Responder one = server.handler.take("/hold/1").responder;
  const Responder two = server.handler.take("/hold/2").responder;
  RawClient third(server.port());
  const Reply refused = third.read();
  EXPECT_EQ(code_in(refused), "too_many_connections");
  EXPECT_EQ(refused.field("retry-after"), "1");
  EXPECT_TRUE(third.at_end());
  third.close();
  one.send(Response{.body = "1"});
  EXPECT_EQ(first.read().body, "1");
  first.close();
  // The server learns of it in its own time.
  for (;;) {
    RawClient fourth(server.port());
    fourth.send(get("/"));
    const int status = fourth.read().status;
    if (status == 200) break;
    ASSERT_EQ(status, 503);
  }
  two.send(Response{.body = "2"});
  EXPECT_EQ(second.read().body, "2");
  EXPECT_GE(server.server->stats().refused_connections, 1U);
}

TEST(Limits, ProblemsAreWordedByTheLayerAbove) {
  ServerOptions options;
  options.format_problem = [](const Problem& problem) {
    return Response{.status = 418, .body = std::string(code_of(problem.fault))};
  };
  TestServer server(options);
  RawClient client(server.port());
  client.send("BAD\r\n\r\n");
  const Reply reply = client.read();
  EXPECT_EQ(reply.status, 418);
  EXPECT_EQ(reply.body, "bad_request");
}

}  // namespace
}  // namespace baton::http
