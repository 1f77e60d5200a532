#include <gtest/gtest.h>

#include <future>
#include <string>

#include "http/testing.h"

namespace baton::http {
namespace {

std::future<bool> drain(TestServer& server, Duration deadline) {
  return std::async(std::launch::async,
                    [&server, deadline] { return server.server->drain(deadline); });
}

TEST(Drain, ClosesIdleConnectionsAndTakesNoNewOnes) {
  TestServer server;
  RawClient idle(server.port());
  idle.send(get("/a"));
  EXPECT_EQ(idle.read().status, 200);
  EXPECT_TRUE(server.server->drain(base::seconds(20)));
  EXPECT_TRUE(idle.at_end());
  EXPECT_FALSE(RawClient(server.port()).connected());
}

TEST(Drain, WaitsForOpenRequestsAndForThoseThatHaveBegun) {
  TestServer server;
  RawClient idle(server.port());
  idle.send(get("/a"));
  EXPECT_EQ(idle.read().status, 200);
  RawClient waiting(server.port());
  waiting.send(get("/hold/1") + get("/hold/2"));
  const Responder first = server.handler.take("/hold/1").responder;
  const Responder second = server.handler.take("/hold/2").responder;
  RawClient halfway(server.port());
  halfway.send(get("/a") + "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nhal");
  EXPECT_EQ(halfway.read().status, 200);

  auto drained = drain(server, base::seconds(20));
  EXPECT_TRUE(idle.at_end());
  second.send(Response{.body = "2"});
  first.send(Response{.body = "1"});
  const Reply one = waiting.read();
  EXPECT_EQ(one.body, "1");
  EXPECT_EQ(one.field("connection"), "(none)");
  EXPECT_EQ(waiting.read().field("connection"), "close");
  EXPECT_TRUE(waiting.at_end());
  waiting.close();
  halfway.send("f");
  const Reply half = halfway.read();
  EXPECT_EQ(half.body, "POST /b half");
  EXPECT_EQ(half.field("connection"), "close");
  EXPECT_TRUE(halfway.at_end());
  halfway.close();
  EXPECT_TRUE(drained.get());
}

TEST(Drain, CutsOffWhatIsLeftAtTheDeadline) {
  TestServer server;
  RawClient client(server.port());
  client.send(get("/hold"));
  const Responder responder = server.handler.take("/hold").responder;
  EXPECT_FALSE(server.server->drain(base::milliseconds(20)));
  server.handler.wait_for_closed("/hold");
  EXPECT_EQ(client.read().status, 0);
}

}  // namespace
}  // namespace baton::http
