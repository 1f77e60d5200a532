// What a connection makes of the bytes that a server sends, whole, in pieces and broken.
#include "client/http_connection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "client/scripted_server.h"

namespace baton::client {
namespace {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

const std::string kRequest = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string kPlain =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello";
const std::string kChunked =
    "HTTP/1.1 201 Created\r\ntransfer-encoding: Chunked\r\n\r\n"
    "3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n";

std::unique_ptr<HttpConnection> connected(const ScriptedServer& server) {
  return HttpConnection::open({parse_address(server.url()).value(), 5s, nullptr}, {}).value();
}

Attempt ask(HttpConnection& connection, Duration timeout = 20s) {
  return connection.send(kRequest, Deadline::in(timeout), {});
}

// Says the bytes, in pieces of `size`, to the first request and closes.
ScriptedServer::Script says(const std::string& bytes, std::size_t size = std::string::npos) {
  return [=](Visitor& visitor) {
    visitor.request();
    for (std::size_t at = 0; at < bytes.size(); at += std::min(size, bytes.size()))
      visitor.say(std::string_view(bytes).substr(at, size));
  };
}

Attempt answer_of(const std::string& bytes) {
  ScriptedServer server({says(bytes)});
  return ask(*connected(server));
}

void refused(const std::string& bytes) {
  const Attempt attempt = answer_of(bytes);
  EXPECT_FALSE(attempt.response) << bytes.substr(0, 200);
  EXPECT_FALSE(attempt.closed_unanswered) << bytes.substr(0, 200);
  EXPECT_EQ(attempt.error.code, Code::kStoreUnavailable);
  EXPECT_TRUE(attempt.error.message.starts_with("the server's answer is not understood: "))
      << attempt.error.message;
}

TEST(HttpConnection, ReadsAnAnswerInPiecesOfAnySize) {
  for (const std::string& bytes : {kPlain, kChunked}) {
    for (std::size_t size = 1; size <= bytes.size(); size += 1 + size / 4) {
      ScriptedServer server({says(bytes, size)});
      EXPECT_EQ(ask(*connected(server)).response.value().body, "hello") << size;
    }
  }
}

// Broke: an assertion of Beast's failed when "0\r\n" and "\r" were read one after the other.
TEST(HttpConnection, ReadsAnEmptyBodyWhoseLastChunkComesInPieces) {
  const std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (int i = 0; i < 20; ++i) {
    ScriptedServer server({says(bytes, 1)});
    EXPECT_EQ(ask(*connected(server)).response.value().body, "");
  }
}

TEST(HttpConnection, ReadsWhatIsNeededOfTheHead) {
  const HttpAnswer response =
      answer_of(
          "HTTP/1.1 429 \r\nRETRY-AFTER:  3 \r\nConnection: x, Close\r\n"
          "Content-Type: application/problem+json\r\nContent-Length: 0\r\n\r\n")
          .response.value();
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.retry_after, 3s);
  EXPECT_EQ(response.content_type, "application/problem+json");
}

TEST(HttpConnection, SkipsInterimAnswers) {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(answer_of(interim + interim + kPlain).response.value().status, 200);
}

TEST(HttpConnection, ReadsToTheEndOnlyWhenTheServerCloses) {
  EXPECT_EQ(
      answer_of("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it").response.value().body,
      "all of it");
  EXPECT_EQ(answer_of("HTTP/1.0 200 OK\r\n\r\nall of it").response.value().body, "all of it");
  refused("HTTP/1.1 200 OK\r\n\r\nall of it");
}

TEST(HttpConnection, KnowsAnswersWithoutABody) {
  EXPECT_EQ(answer_of("HTTP/1.1 204 No Content\r\n\r\n").response.value().status, 204);
}

TEST(HttpConnection, RefusesWhatHasNoCertainEnd) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  refused(head);
  refused(head + "Content-Length: 5\r\n\r\nhell");
  refused(head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello");
  refused(head + "Content-Length: +5\r\n\r\nhello");
  refused(head + "Content-Length: 5x\r\n\r\nhello");
  refused(head + "Content-Length:\r\n\r\n");
  refused(head + "Content-Length: 99999999999999999999\r\n\r\n");
  refused(head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\nx\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n");
  refused(kPlain + "HTTP");
}

TEST(HttpConnection, RefusesWhatIsTooLong) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  refused(head + "Long: " + std::string(70'000, 'x') + "\r\n\r\n");
  refused(head + "Content-Length: 999999999999\r\n\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n10000001\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(200'000, 'x') + "\r\na\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: " + std::string(200'000, 'x') + "\r\n");
  refused(head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n");
}

TEST(HttpConnection, RefusesWhatIsNotHttp) {
  refused("SSH-2.0-OpenSSH_9.2\r\n");
  refused("HTTP/2.0 200 OK\r\n\r\n");
  refused("HTTP/1.1 20 OK\r\n\r\n");
  refused("HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n");
  refused("HTTP/1.1 2000\r\n\r\n");
  refused("HTTP/1.1 200 OK\n\n");
  refused("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\n: nameless\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nName : x\r\n\r\n");
}

TEST(HttpConnection, SaysThatItWasClosedBeforeAByteCame) {
  const Attempt attempt = answer_of("");
  EXPECT_TRUE(attempt.closed_unanswered);
  EXPECT_EQ(attempt.error.message, "the server closed the connection without an answer");
}

TEST(HttpConnection, GivesUpOnAnAnswerThatDoesNotEndInTime) {
  ScriptedServer server({[](Visitor& visitor) {
    visitor.request();
    visitor.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell");
    visitor.sees_the_end();
  }});
  const auto connection = connected(server);
  const Attempt attempt = ask(*connection, 30ms);
  EXPECT_EQ(attempt.error.message, "the server did not answer in time");
  EXPECT_FALSE(attempt.closed_unanswered);
  EXPECT_FALSE(connection->reusable());
}

TEST(HttpConnection, GivesUpOnAServerThatDoesNotGreet) {
  const auto silent = [](Visitor& visitor) { visitor.sees_the_end(); };
  const auto no_tls = [](Visitor& visitor) {
    visitor.say("HTTP/1.1 400 Bad Request\r\n\r\n");
    visitor.sees_the_end();
  };
  ScriptedServer server({silent, no_tls});
  HttpConnection::Target target{parse_address(server.url()).value(), 30ms,
                                make_tls_context({}).value()};
  EXPECT_EQ(HttpConnection::open(target, {}).error().message, "the server did not answer in time");
  target.connect_timeout = 20s;
  EXPECT_TRUE(HttpConnection::open(target, {})
                  .error()
                  .message.starts_with("no secure connection to the server: "));
}

TEST(HttpConnection, IsReusableOnlyWhileTheServerKeepsItAndIsQuiet) {
  std::promise<void> more;
  ScriptedServer server(
      {[&](Visitor& visitor) {
         visitor.request();
         visitor.say(kPlain);
         more.get_future().get();
         visitor.say("HTTP/1.1 200 OK\r\n");
         visitor.sees_the_end();
       },
       says("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")});
  const auto chatty = connected(server);
  EXPECT_TRUE(ask(*chatty).response);
  EXPECT_TRUE(chatty->reusable());
  more.set_value();
  while (chatty->reusable())
    std::this_thread::yield();
  const auto closing = connected(server);
  EXPECT_TRUE(ask(*closing).response);
  EXPECT_FALSE(closing->reusable());
}

TEST(HttpConnection, IsInterruptedWhileItWaits) {
  std::promise<void> asked;
  ScriptedServer server({[&](Visitor& visitor) {
    visitor.request();
    asked.set_value();
    visitor.sees_the_end();
  }});
  const auto connection = connected(server);
  std::stop_source stop;
  const std::jthread stopper([&] {
    asked.get_future().get();
    stop.request_stop();
  });
  EXPECT_EQ(connection->send(kRequest, Deadline::in(60s), stop.get_token()).error.code,
            Code::kShuttingDown);
  EXPECT_FALSE(connection->reusable());
}

TEST(HttpConnection, SendsNothingAfterAnInterrupt) {
  ScriptedServer server({[](Visitor& visitor) { EXPECT_EQ(visitor.request(), ""); }});
  auto connection = connected(server);
  std::stop_source stop;
  stop.request_stop();
  const Attempt attempt = connection->send(kRequest, Deadline::in(60s), stop.get_token());
  EXPECT_EQ(attempt.error.code, Code::kShuttingDown);
  EXPECT_FALSE(attempt.closed_unanswered);
  connection.reset();
  const HttpConnection::Target target{parse_address(server.url()).value(), 5s, nullptr};
  EXPECT_EQ(HttpConnection::open(target, stop.get_token()).error().code, Code::kShuttingDown);
}

}  // namespace
}  // namespace baton::client
