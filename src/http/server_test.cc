#include "http/server.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "http/testing.h"

namespace baton::http {
namespace {

TEST(Server, AnswersAndKeepsTheConnection) {
  TestServer server;
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(post("/a?b", "hello"));
    const Reply reply = client.read();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "POST /a hello");
    EXPECT_EQ(reply.field("content-type"), "text/plain");
    EXPECT_EQ(reply.field("connection"), "(none)");
    EXPECT_EQ(reply.field("date").size(), 29U);
  }
  client.send(get("/last", "Connection: close\r\n"));
  EXPECT_EQ(client.read().field("connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(Server, TellsTheHandlerWhatIsAsked) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold?q=1", "Authorization: Bearer t\r\n"));
  const TestHandler::Held held = server.handler.take("/hold");
  EXPECT_EQ(held.request->query, "q=1");
  EXPECT_EQ(held.request->headers.find("authorization"), "Bearer t");
  held.responder.send(Response{.status = 204});
  EXPECT_EQ(client.read().status, 204);
}

TEST(Server, AnswersManyRequestsWithFewWrites) {
  TestServer server;
  RawClient client(server.port());
  constexpr int kRounds = 50;
  constexpr int kDepth = 100;
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes;
    for (int i = 0; i < kDepth; ++i)
      bytes += get("/" + std::to_string(i));
    ASSERT_TRUE(client.send(bytes));
    for (int i = 0; i < kDepth; ++i)
      ASSERT_EQ(client.read().body, "GET /" + std::to_string(i) + " ");
  }
  const ServerStats stats = server.server->stats();
  EXPECT_EQ(stats.requests, 5000U);
  EXPECT_LT(stats.writes, 500U);
}

TEST(Server, AnswersInTheOrderOfTheRequests) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold/1") + get("/now/2") + get("/hold/3") + get("/now/4") + get("/hold/5"));
  server.handler.answer("/hold/5", "five");
  server.handler.answer("/hold/3", "three");
  server.handler.answer("/hold/1", "one");
  for (const char* body : {"one", "GET /now/2 ", "three", "GET /now/4 ", "five"})
    EXPECT_EQ(client.read().body, body);
}

TEST(Server, ReadsARequestInTwoPiecesHoweverItIsCut) {
  TestServer server;
  RawClient client(server.port());
  const std::string bytes =
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: u\r\n\r\n" +
      post("/b", "xyz");
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    ASSERT_TRUE(client.send(std::string_view(bytes).substr(0, cut)));
    ASSERT_TRUE(client.send(std::string_view(bytes).substr(cut)));
    ASSERT_EQ(client.read().body, "POST /a abc0123456789") << cut;
    ASSERT_EQ(client.read().body, "POST /b xyz") << cut;
  }
}

TEST(Server, KeepsTheBytesOfARequestUntilItIsAnswered) {
  TestServer server;
  RawClient client(server.port());
  const std::string body(3000, 'x');
  std::string others;
  for (int i = 0; i < 100; ++i)
    others += post("/other", std::string(3000, 'y'));
  client.send(post("/hold/first", body));
  const TestHandler::Held held = server.handler.take("/hold/first");
  client.send(others);
  client.send(get("/hold/last"));
  const TestHandler::Held last = server.handler.take("/hold/last");
  EXPECT_EQ(held.request->body, body);
  EXPECT_EQ(held.request->headers.find("content-length"), "3000");
  held.responder.send(Response{.body = "first"});
  last.responder.send(Response{.body = "last"});
  EXPECT_EQ(client.read().body, "first");
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(client.read().body.size(), 3000U + 12);
  EXPECT_EQ(client.read().body, "last");
}

TEST(Server, StopsReadingWhileTooManyRequestsAreOpen) {
  ServerOptions options;
  options.max_open_requests = 2;
  TestServer server(options);
  RawClient client(server.port());
  client.send(get("/hold/1") + get("/hold/2") + get("/hold/3"));
  const TestHandler::Held second = server.handler.take("/hold/2");
  RawClient other(server.port());
  other.send(get("/"));
  EXPECT_EQ(other.read().status, 200);
  EXPECT_EQ(server.handler.held(), 1U);
  server.handler.answer("/hold/1", "1");
  EXPECT_EQ(client.read().body, "1");
  server.handler.answer("/hold/3", "3");
  second.responder.send(Response{.body = "2"});
  EXPECT_EQ(client.read().body, "2");
  EXPECT_EQ(client.read().body, "3");
}

TEST(Server, AnswersHeadWithoutABody) {
  TestServer server;
  RawClient client(server.port());
  client.send("HEAD /big?100000 HTTP/1.1\r\nHost: x\r\n\r\n" + get("/next"));
  const Reply reply = client.read(true);
  EXPECT_EQ(reply.field("content-length"), "100000");
  EXPECT_EQ(client.read().body, "GET /next ");
}

TEST(Server, InvitesTheBodyAfterEarlierAnswers) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold/1") +
              "POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  server.handler.answer("/hold/1", "one");
  EXPECT_EQ(client.read().body, "one");
  EXPECT_EQ(client.read().status, 100);
  client.send("hi");
  EXPECT_EQ(client.read().body, "POST /a hi");
}

TEST(Server, SpeaksHttp10) {
  TestServer server;
  RawClient once(server.port());
  once.send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_EQ(once.read().field("connection"), "close");
  EXPECT_TRUE(once.at_end());
  RawClient again(server.port());
  for (int i = 0; i < 2; ++i) {
    again.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(again.read().field("connection"), "keep-alive");
  }
}

TEST(Server, AnswersAClientThatHasFinishedSending) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/a") + get("/b"));
  client.finish_sending();
  EXPECT_EQ(client.read().body, "GET /a ");
  EXPECT_EQ(client.read().body, "GET /b ");
  EXPECT_TRUE(client.at_end());
}

TEST(Server, AnswersARequestThatWasGivenUp) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/drop") + get("/next"));
  const Reply reply = client.read();
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.body.find("\"code\":\"internal_error\""), std::string::npos);
  EXPECT_EQ(client.read().body, "GET /next ");
}

TEST(Server, LetsNoValueEndALine) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold"));
  server.handler.take("/hold").responder.send(
      {.content_type = "text/plain\r\nX: y", .fields = {{"A\nB", "c\r\n\r\nd"}}});
  const Reply reply = client.read();
  EXPECT_EQ(reply.field("content-type"), "text/plain  X: y");
  EXPECT_EQ(reply.field("x"), "(none)");
  EXPECT_EQ(reply.field("content-length"), "0");
}

TEST(Server, ServesManyConnectionsOnTwoThreads) {
  ServerOptions options;
  options.threads = 2;
  TestServer server(options);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&server, t] {
      const std::string path = "/hold/" + std::to_string(t);
      for (int i = 0; i < 50; ++i) {
        RawClient client(server.port());
        client.send(get("/a") + get(path) + get("/b"));
        server.handler.answer(path, "held");
        EXPECT_EQ(client.read().body, "GET /a ");
        EXPECT_EQ(client.read().body, "held");
        EXPECT_EQ(client.read().body, "GET /b ");
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(server.server->stats().accepted, 200U);
}

TEST(Server, SaysWhyItCannotListen) {
  TestServer server;
  ServerOptions options;
  options.port = server.port();
  EXPECT_EQ(HttpServer::start(options, server.handler).error().code, Code::kConflict);
  options.host = "no such host";
  EXPECT_EQ(HttpServer::start(options, server.handler).error().code, Code::kBadRequest);
}

TEST(Server, ForgetsRespondersThatOutliveIt) {
  auto server = std::make_unique<TestServer>();
  RawClient client(server->port());
  client.send(get("/hold/a") + get("/hold/b"));
  const Responder a = server->handler.take("/hold/a").responder;
  const TestHandler::Held b = server->handler.take("/hold/b");
  server->server.reset();
  a.send(Response{.body = "late"});
  EXPECT_TRUE(a.closed());
  EXPECT_EQ(b.request->path, "/hold/b");
  EXPECT_EQ(client.read().status, 0);
}

}  // namespace
}  // namespace baton::http
