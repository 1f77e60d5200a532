// What connections may hold: bodies and answers within their budgets, small blocks when idle, an
// answer instead of an end when memory lacks, and nothing for clients that have gone.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "http/input.h"
#include "http/testing.h"

namespace baton::http {
namespace {

std::string problem_code(const Reply& reply) {
  const std::size_t at = reply.body.find("\"code\":\"");
  if (at == std::string::npos) return "(none)";
  return reply.body.substr(at + 8, reply.body.find('"', at + 8) - at - 8);
}

void expect_no_room(const Reply& reply) {
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(problem_code(reply), "store_unavailable");
  EXPECT_EQ(reply.field("retry-after"), "1");
}

// What broke: nothing counted the bodies of all connections together.
TEST(Memory, ABodyThatDoesNotFitBesideOthersIsReadAndRefused) {
  ServerOptions options;
  options.max_bodies_bytes = 600'000;
  TestServer server(options);
  const std::string body(250'000, 'b');
  RawClient first(server.port());
  first.send(post("/hold", body));
  const Responder held = server.handler.take("/hold").responder;
  EXPECT_GE(server.server->stats().body_bytes, body.size());
  EXPECT_LE(server.server->stats().body_bytes, options.max_bodies_bytes);
  RawClient second(server.port());
  // Larger than is left, and than what is small enough never to be refused.
  second.send(post("/second", std::string(500'000, 'b')) + post("/third", "small"));
  expect_no_room(second.read());
  EXPECT_EQ(second.read().body, "POST /third small") << "the connection goes on";
  held.send(Response{.body = "done"});
  EXPECT_EQ(first.read().body, "done");
  second.send(post("/second", body));
  EXPECT_EQ(second.read().status, 200);
  first.close();
  second.close();
  while (server.server->stats().open_connections != 0) {
  }
  EXPECT_EQ(server.server->stats().body_bytes, 0U);
}

TEST(Memory, BodiesInChunksAreCountedToo) {
  ServerOptions options;
  options.max_bodies_bytes = 300'000;
  TestServer server(options);
  RawClient client(server.port());
  std::string chunks;
  for (int i = 0; i < 10; ++i)
    chunks += "ea60\r\n" + std::string(60'000, 'c') + "\r\n";
  client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks +
              "0\r\n\r\n" + get("/next"));
  expect_no_room(client.read());
  EXPECT_EQ(client.read().body, "GET /next ");
}

// What broke: eight clients that never read what they asked for held all of it.
TEST(Memory, AnAnswerThatDoesNotFitBesideOthersIsRefused) {
  ServerOptions options;
  options.max_answers_bytes = 10'000'000;
  options.short_timeout = base::minutes(5);
  TestServer server(options);
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 3; ++i) {
    silent.push_back(std::make_unique<RawClient>(server.port(), 4096));
    silent.back()->send(get("/big?6000000"));
  }
  // One of them got it, and does not take it; another one is told so.
  int refused = 0;
  for (const auto& client : silent) {
    if (client->read_head().starts_with("HTTP/1.1 503")) ++refused;
  }
  EXPECT_EQ(refused, 2);
  RawClient other(server.port());
  other.send(get("/small") + post("/change", std::string(1'000, 'c')));
  EXPECT_EQ(other.read().status, 200);
  EXPECT_EQ(other.read().status, 200);
  EXPECT_LE(server.server->stats().answer_bytes, 13'000'000U);
}

TEST(Memory, WhoReadsSlowestIsCutOffWhenAnswersToChangesDoNotFit) {
  ServerOptions options;
  options.max_answers_bytes = 8'000'000;
  options.short_timeout = base::minutes(5);
  TestServer server(options);
  RawClient silent(server.port(), 4096);
  silent.send(get("/big?6000000"));
  while (server.server->stats().answer_bytes == 0) {
  }
  silent.read_head();
  RawClient other(server.port());
  other.send(post("/hold", "x"));
  server.handler.take("/hold").responder.send(Response{.body = std::string(5'000'000, 'a')});
  EXPECT_EQ(other.read().body.size(), 5'000'000U);
  EXPECT_LT(silent.read_to_end().size(), 6'000'000U);
}

TEST(Memory, WhoDoesNotReadIsCutOffSoonWhileMemoryIsShort) {
  ServerOptions options;
  options.max_answers_bytes = 10'000'000;
  options.short_timeout = base::milliseconds(40);
  TestServer server(options);
  RawClient silent(server.port(), 4096);
  silent.send(get("/big?6000000"));
  silent.read_head();
  while (server.server->stats().open_connections != 0) {
  }
  EXPECT_EQ(server.server->stats().answer_bytes, 0U);
}

TEST(Memory, AConnectionOnWhichTooMuchWaitsIsCutOff) {
  ServerOptions options;
  options.max_held_bytes = 1'000'000;
  TestServer server(options);
  RawClient client(server.port());
  client.send(get("/hold/1") + get("/hold/2") + get("/hold/3"));
  const Responder first = server.handler.take("/hold/1").responder;
  // Their turn is after the first one's.
  for (const char* path : {"/hold/2", "/hold/3"})
    server.handler.answer(path, std::string(700'000, 'a'));
  server.handler.wait_for_closed("/hold/1");
}

// /handle and /make throw what a lack of memory throws.
class PoorHandler final : public RequestHandler {
 public:
  void handle(const Request& request, Responder responder) override {
    if (request.path == "/handle") throw std::bad_alloc();
    if (request.path == "/both") {
      kept.push_back(responder);
      throw std::bad_alloc();
    }
    if (request.path == "/make") {
      return responder.send([]() -> Response { throw std::bad_alloc(); });
    }
    responder.send(Response{.body = "well"});
  }
  std::vector<Responder> kept;
};

TEST(Memory, ALackOfItCostsOneRequest) {
  PoorHandler handler;
  const auto server = HttpServer::start({}, handler).value();
  RawClient client(server->port());
  client.send(get("/handle") + get("/a") + get("/make") + get("/b") + get("/both") + get("/c"));
  for (int i = 0; i < 3; ++i) {
    expect_no_room(client.read());
    EXPECT_EQ(client.read().body, "well");
  }
  // An answer that comes after all is nobody's.
  handler.kept.front().send(Response{.body = "late"});
  client.send(get("/d"));
  EXPECT_EQ(client.read().body, "well");
}

TEST(Memory, AnIdleConnectionHasASmallBlock) {
  Input input(std::make_shared<Budget>(1'000'000));
  EXPECT_EQ(input.room({.idle = true})->size(), 4096U);
  // A busy one gets larger blocks, up to a limit.
  for (int i = 0; i < 10; ++i) {
    input.arrived(input.room({})->size());
    input.advance(input.window().size);
  }
  EXPECT_EQ(input.room({})->size(), 65536U);
  EXPECT_EQ(input.room({.idle = true})->size(), 4096U);
  EXPECT_EQ(input.room({})->size(), 65536U);
}

// What broke: a client that had sent more than is read at once and went away was not noticed, and
// whatever it waited for was still given to it.
TEST(Memory, AClientThatHasGoneIsNoticedThoughNothingIsReadFromIt) {
  ServerOptions options;
  options.max_open_requests = 2;
  TestServer server(options);
  for (const bool resets : {false, true}) {
    RawClient client(server.port());
    std::string requests;
    for (int i = 0; i < 1000; ++i)
      requests += get("/hold/" + std::to_string(i), "A: " + std::string(200, 'a') + "\r\n");
    client.send(requests);
    std::vector<Responder> held;
    held.push_back(server.handler.take("/hold/0").responder);
    held.push_back(server.handler.take("/hold/1").responder);
    EXPECT_FALSE(held.front().closed());
    resets ? client.reset() : client.close();
    server.handler.wait_for_closed("/hold/0");
    server.handler.wait_for_closed("/hold/1");
    server.handler.forget_closed();
  }
}

// A client may close its own side and still want its answers.
TEST(Memory, AClientThatSendsNothingMoreStillGetsItsAnswers) {
  ServerOptions options;
  options.max_open_requests = 2;
  TestServer server(options);
  RawClient client(server.port());
  std::string requests = get("/hold/1") + get("/hold/2");
  for (int i = 0; i < 300; ++i)
    requests += get("/a", "A: " + std::string(1000, 'a') + "\r\n");
  client.send(requests);
  client.finish_sending();
  server.handler.wait_for_closed("/hold/1");
  server.handler.answer("/hold/1", "1");
  server.handler.answer("/hold/2", "2");
  EXPECT_EQ(client.read().body, "1");
  EXPECT_EQ(client.read().body, "2");
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(client.read().body, "GET /a ");
  EXPECT_TRUE(client.at_end());
}

}  // namespace
}  // namespace baton::http
