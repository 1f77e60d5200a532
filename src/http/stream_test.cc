// Answers that take their time: long polls, streams of events, and clients that go away meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/testing.h"

namespace baton::http {
namespace {

TEST(LongPoll, CostsNoThreadAndIsAnsweredLater) {
  TestServer server;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send(get("/hold/" + std::to_string(i)));
  }
  for (int i = 199; i >= 0; --i)
    server.handler.answer("/hold/" + std::to_string(i), std::to_string(i));
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(clients[static_cast<std::size_t>(i)]->read().body, std::to_string(i));
}

TEST(LongPoll, IsToldWhenTheClientGoesAway) {
  TestServer server;
  RawClient closes(server.port());
  closes.send(get("/hold/closes"));
  const TestHandler::Held first = server.handler.take("/hold/closes");
  EXPECT_FALSE(first.responder.closed());
  closes.close();
  server.handler.wait_for_closed("/hold/closes");
  EXPECT_TRUE(first.responder.closed());
  bool called = false;
  first.responder.on_closed([&] { called = true; });
  EXPECT_TRUE(called);
  EXPECT_EQ(first.request->path, "/hold/closes");
  first.responder.send(Response{.body = "nobody reads this"});

  RawClient resets(server.port());
  resets.send(get("/hold/1", "Connection: close\r\n"));
  const TestHandler::Held second = server.handler.take("/hold/1");
  resets.reset();
  server.handler.wait_for_closed("/hold/1");
}

TEST(LongPoll, IsNotToldOnceItIsAnswered) {
  TestServer server;
  int calls = 0;
  {
    RawClient client(server.port());
    client.send(get("/hold"));
    const TestHandler::Held held = server.handler.take("/hold");
    held.responder.on_closed([&] { ++calls; });
    held.responder.send(Response{.body = "x"});
    EXPECT_EQ(client.read().body, "x");
  }
  while (server.server->stats().open_connections != 0) {
  }
  EXPECT_EQ(calls, 0);
}

TEST(MadeAnswer, IsMadeOnAThreadOfTheServerInItsTurn) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold/1") + get("/hold/2") + get("/3"));
  const TestHandler::Held first = server.handler.take("/hold/1");
  std::thread::id maker;
  server.handler.take("/hold/2").responder.send(
      [] { return Response{.status = 202, .body = "second"}; });
  first.responder.send([&] {
    maker = std::this_thread::get_id();
    return Response{.status = 201, .content_type = "text/plain", .body = "first"};
  });
  const Reply reply = client.read();
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.body, "first");
  EXPECT_EQ(reply.field("content-type"), "text/plain");
  EXPECT_EQ(client.read().body, "second");
  EXPECT_EQ(client.read().body, "GET /3 ");
  server.server.reset();
  EXPECT_NE(maker, std::thread::id());
  EXPECT_NE(maker, std::this_thread::get_id());
}

TEST(MadeAnswer, MayBeGivenWhileTheRequestIsHandled) {
  class MakingHandler final : public RequestHandler {
   public:
    void handle(const Request&, Responder responder) override {
      responder.send([] { return Response{.body = "made"}; });
    }
  };
  MakingHandler handler;
  const auto server = HttpServer::start({}, handler).value();
  RawClient client(server->port());
  client.send(get("/1") + get("/2"));
  EXPECT_EQ(client.read().body, "made");
  EXPECT_EQ(client.read().body, "made");
}

TEST(MadeAnswer, IsNotMadeForAClientThatHasGone) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold"));
  const TestHandler::Held held = server.handler.take("/hold");
  client.reset();
  server.handler.wait_for_closed("/hold");
  bool made = false;
  auto kept = std::make_shared<int>(0);
  held.responder.send([&made, kept] {
    made = true;
    return Response{};
  });
  server.server.reset();
  EXPECT_FALSE(made);
  EXPECT_EQ(kept.use_count(), 1) << "what the function held was not given back";
}

TEST(Stream, SendsPiecesAsTheyCome) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold") + get("/next"));
  const Responder events = server.handler.take("/hold").responder;
  events.begin_stream({.content_type = "text/event-stream", .body = "retry: 1\n\n"});
  const std::string head = client.read_head();
  EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_NE(head.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  std::string body;
  EXPECT_TRUE(client.read_chunk(body));
  EXPECT_EQ(body, "retry: 1\n\n");
  for (int i = 0; i < 10; ++i) {
    body.clear();
    EXPECT_TRUE(events.write("data: " + std::to_string(i) + "\n\n"));
    EXPECT_TRUE(client.read_chunk(body));
    EXPECT_EQ(body, "data: " + std::to_string(i) + "\n\n");
  }
  events.end();
  EXPECT_FALSE(client.read_chunk(body));
  EXPECT_EQ(client.read().body, "GET /next ");
}

TEST(Stream, WaitsForItsTurn) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold/1") + get("/hold/2"));
  const Responder events = server.handler.take("/hold/2").responder;
  events.begin_stream({.content_type = "text/event-stream"});
  events.write("a");
  events.write("b");
  events.end();
  server.handler.answer("/hold/1", "one");
  EXPECT_EQ(client.read().body, "one");
  EXPECT_EQ(client.read().body, "ab");
}

TEST(Stream, EndsWithTheConnectionForHttp10) {
  TestServer server;
  RawClient client(server.port());
  client.send("GET /hold HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const Responder events = server.handler.take("/hold").responder;
  events.begin_stream({.content_type = "text/event-stream", .body = "a"});
  events.write("b");
  events.end();
  const Reply reply = client.read();
  EXPECT_EQ(reply.field("connection"), "close");
  EXPECT_EQ(reply.body, "ab");
}

TEST(Stream, HasNoBodyForHead) {
  TestServer server;
  RawClient client(server.port());
  client.send("HEAD /hold HTTP/1.1\r\nHost: x\r\n\r\n" + get("/next"));
  const Responder events = server.handler.take("/hold").responder;
  events.begin_stream({.content_type = "text/event-stream", .body = "a"});
  events.write("b");
  events.end();
  EXPECT_EQ(client.read(true).field("content-type"), "text/event-stream");
  EXPECT_EQ(client.read().body, "GET /next ");
}

TEST(Stream, StopsWhenTheClientGoesAway) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold"));
  const Responder events = server.handler.take("/hold").responder;
  events.begin_stream({.content_type = "text/event-stream"});
  client.read_head();
  client.close();
  server.handler.wait_for_closed("/hold");
  EXPECT_FALSE(events.write("x"));
  events.end();
}

// What broke: whoever let go of a stream without its end kept the connection for ever. A client
// that goes away is noticed by write(), and nobody ends what nobody reads.
TEST(Stream, IsCutOffWhenNobodyHoldsItAnyMore) {
  for (const bool client_has_gone : {false, true}) {
    TestServer server;
    RawClient client(server.port());
    client.send(get("/hold"));
    {
      const Responder stream = server.handler.take("/hold").responder;
      stream.begin_stream({.body = "a"});
      client.read_head();
      if (client_has_gone) {
        client.finish_sending();
        server.handler.wait_for_closed("/hold");
        EXPECT_FALSE(stream.write("b"));
      }
    }
    // The last chunk is missing, so that it does not look like the end.
    EXPECT_EQ(client.read_to_end(), "1\r\na\r\n") << client_has_gone;
    while (server.server->stats().open_connections != 0) {
    }
    EXPECT_TRUE(server.server->drain(base::seconds(20)));
  }
}

TEST(Stream, CutsOffAReaderThatLeavesTooMuchUnread) {
  ServerOptions options;
  options.max_unsent_bytes = 100'000;
  TestServer server(options);
  RawClient client(server.port(), 4096);
  client.send(get("/hold"));
  const Responder events = server.handler.take("/hold").responder;
  events.begin_stream({.content_type = "text/event-stream"});
  while (events.write(std::string(10'000, 'e'))) {
  }
  server.handler.wait_for_closed("/hold");
}

// Pieces of 10,000 bytes, as long as there are any.
class Source {
 public:
  std::function<std::string()> pieces() {
    return [this] {
      ++asked;
      if (left == 0) return std::string();
      --left;
      return std::string(10'000, 's');
    };
  }
  std::atomic<int> left = 0;
  std::atomic<int> asked = 0;
};

TEST(StreamSource, IsAskedWhenThereMayBeMore) {
  TestServer server;
  Source source;
  RawClient client(server.port());
  client.send(get("/hold") + get("/next"));
  const Responder stream = server.handler.take("/hold").responder;
  stream.begin_stream({.content_type = "text/event-stream", .body = "first"}, source.pieces());
  client.read_head();
  std::string body;
  client.read_chunk(body);
  EXPECT_EQ(body, "first");
  for (int i = 0; i < 3; ++i) {
    source.left = 100;
    EXPECT_TRUE(stream.more());
    body.clear();
    while (body.size() < 1'000'000)
      ASSERT_TRUE(client.read_chunk(body));
  }
  stream.end();
  EXPECT_FALSE(client.read_chunk(body));
  EXPECT_EQ(client.read().body, "GET /next ");
}

// What broke: what a client did not read piled up for it.
TEST(StreamSource, IsNotAskedForWhatNobodyReads) {
  TestServer server;
  Source source;
  source.left = 10'000;
  RawClient client(server.port(), 4096);
  client.send(get("/hold"));
  const Responder stream = server.handler.take("/hold").responder;
  stream.begin_stream({.content_type = "text/event-stream"}, source.pieces());
  client.read_head();
  // The sockets take some of the hundred megabytes; then nothing moves, whatever is told.
  int before = -1;
  while (before != source.asked) {
    before = source.asked;
    for (int i = 0; i < 1000; ++i)
      EXPECT_TRUE(stream.more());
    RawClient other(server.port());
    other.send(get("/"));
    EXPECT_EQ(other.read().status, 200);
  }
  EXPECT_LT(source.asked, 1'500);
  EXPECT_LT(server.server->stats().answer_bytes, 500'000U);
  // It goes on when the client reads.
  std::string body;
  while (body.size() < 100'000'000)
    ASSERT_TRUE(client.read_chunk(body));
  client.close();
  server.handler.wait_for_closed("/hold");
  EXPECT_FALSE(stream.more());
}

TEST(StreamSource, ServesClientsOfHttp10) {
  TestServer server;
  Source source;
  source.left = 3;
  RawClient client(server.port());
  client.send("GET /hold HTTP/1.0\r\n\r\n");
  const Responder stream = server.handler.take("/hold").responder;
  stream.begin_stream({.content_type = "text/event-stream"}, source.pieces());
  while (source.left != 0) {
  }
  stream.end();
  EXPECT_EQ(client.read().body.size(), 30'000U);
}

}  // namespace
}  // namespace baton::http
