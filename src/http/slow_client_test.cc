// Clients that are slow, on purpose or not: each is ended after its time, and nobody else waits.
#include <gtest/gtest.h>

#include <string>

#include "http/testing.h"

namespace baton::http {
namespace {

// Everything else is out of reach, so that only the timeout under test can end a connection.
ServerOptions patient() {
  ServerOptions options;
  options.idle_timeout = options.header_timeout = base::minutes(5);
  options.body_timeout = options.write_timeout = base::minutes(5);
  return options;
}

constexpr Duration kShort = base::milliseconds(40);

TEST(SlowClient, IsClosedWhenItAsksNothing) {
  ServerOptions options = patient();
  options.idle_timeout = kShort;
  TestServer server(options);
  RawClient silent(server.port());
  EXPECT_TRUE(silent.at_end());
  RawClient once(server.port());
  once.send(get("/a"));
  EXPECT_EQ(once.read().status, 200);
  EXPECT_TRUE(once.at_end());
}

TEST(SlowClient, IsNotIdleWhileItWaitsForAnAnswer) {
  ServerOptions options = patient();
  options.idle_timeout = kShort;
  TestServer server(options);
  RawClient waiting(server.port());
  waiting.send(get("/hold"));
  const Responder responder = server.handler.take("/hold").responder;
  RawClient idle(server.port());
  EXPECT_TRUE(idle.at_end());
  responder.send(Response{.body = "at last"});
  EXPECT_EQ(waiting.read().body, "at last");
}

TEST(SlowClient, IsToldWhenItsHeadTakesTooLong) {
  ServerOptions options = patient();
  options.header_timeout = kShort;
  TestServer server(options);
  RawClient slow(server.port());
  slow.send("GET / HT");
  RawClient other(server.port());
  other.send(get("/b"));
  EXPECT_EQ(other.read().status, 200);
  const Reply reply = slow.read();
  EXPECT_EQ(reply.status, 408);
  EXPECT_NE(reply.body.find("request_timeout"), std::string::npos);
  EXPECT_TRUE(slow.at_end());
}

TEST(SlowClient, GainsNoTimeBySendingOneByteAfterTheOther) {
  ServerOptions options = patient();
  options.header_timeout = kShort;
  TestServer server(options);
  RawClient slow(server.port());
  slow.send("GET / HTTP/1.1\r\nA: ");
  // Ends because the server does.
  while (slow.send("a") && server.server->stats().problems == 0) {
  }
  EXPECT_EQ(server.server->stats().problems, 1U);
}

TEST(SlowClient, IsToldWhenItsBodyTakesTooLong) {
  ServerOptions options = patient();
  options.body_timeout = kShort;
  TestServer server(options);
  for (const char* head :
       {"Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\na"}) {
    RawClient slow(server.port());
    slow.send(std::string("POST / HTTP/1.1\r\nHost: x\r\n") + head);
    EXPECT_EQ(slow.read().status, 408);
    EXPECT_TRUE(slow.at_end());
  }
}

TEST(SlowClient, EarnsTimeForItsBodyByWhatItHasSent) {
  ServerOptions options = patient();
  options.body_timeout = kShort;
  options.min_bytes_per_second = 10;  // 1,000 bytes are worth 100 seconds
  TestServer server(options);
  RawClient slow(server.port());
  slow.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n" + std::string(1000, 'b'));
  // Far longer than the timeout: another client fails meanwhile.
  RawClient slower(server.port());
  slower.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_EQ(slower.read().status, 408);
  slow.send("b");
  EXPECT_EQ(slow.read().status, 200);
}

TEST(SlowClient, IsCutOffWhenItDoesNotRead) {
  ServerOptions options = patient();
  options.write_timeout = kShort;
  TestServer server(options);
  RawClient slow(server.port(), 4096);
  slow.send(get("/big?20000000") + get("/hold"));
  RawClient other(server.port());
  other.send(get("/b"));
  EXPECT_EQ(other.read().status, 200);
  // It is gone before it reads anything.
  while (server.server->stats().open_connections > 1) {
  }
  EXPECT_LT(slow.read_to_end().size(), 20'000'000U);
}

TEST(SlowClient, GetsAllOfALargeAnswerIfItReads) {
  TestServer server(patient());
  RawClient client(server.port(), 4096);
  client.send(get("/big?5000000") + get("/big?300000") + get("/end"));
  EXPECT_EQ(client.read().body, std::string(5'000'000, 'b'));
  EXPECT_EQ(client.read().body.size(), 300'000U);
  EXPECT_EQ(client.read().body, "GET /end ");
}

TEST(SlowClient, IsAskedNothingNewWhileTooMuchIsUnsent) {
  ServerOptions options = patient();
  options.max_waiting_bytes = 1000;
  TestServer server(options);
  RawClient client(server.port(), 4096);
  client.send(get("/big?20000000") + get("/hold"));
  RawClient other(server.port());
  other.send(get("/b"));
  EXPECT_EQ(other.read().status, 200);
  EXPECT_EQ(server.handler.held(), 0U);
  EXPECT_EQ(client.read().body.size(), 20'000'000U);
  server.handler.answer("/hold", "now");
  EXPECT_EQ(client.read().body, "now");
}

}  // namespace
}  // namespace baton::http
