// Client::exchange: what a worker sends and gets, and how a wait ends early.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stop_token>

#include "baton/client.h"
#include "baton/worker.h"
#include "client/scripted_server.h"
#include "json/flaw.h"
#include "wire/shapes.h"

namespace baton::client {
namespace {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

const std::string kId = "123e4567-e89b-42d3-a456-426614174000";
const std::string kText = "00112233445566778899aabbccddeeff";
const LeaseToken kToken = *parse_lease_token(kText);
const std::string kClaimed =
    R"({"execution_id":"123e4567-e89b-42d3-a456-426614174001","lease_token":")" + kText +
    R"(","lease_version":1,"attempt":1,)"
    R"("lease_expires_at":"2030-01-02T03:04:35.000Z","deadline_at":"2030-01-02T04:04:05.000Z",)"
    R"("job":{"id":")" +
    kId +
    R"(","type":"mail","queue":"q","canonical_state":"RUNNING","attempt":1,)"
    R"("checkpoint":{"base64":"AP8="},"payload":null,"payload_base64":"AAEC",)"
    R"("content_type":"image/png","started_at":"2030-01-02T03:04:05.000Z"}})";

std::unique_ptr<Client> plain_client(const ScriptedServer& server) {
  return Client::open({.url = server.url()}).value();
}

Result<ExchangeAnswer> exchanged(Client& client, Exchange exchange) {
  return client.exchange(std::move(exchange)).get();
}

std::string body_of(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

WorkCall call(CallKind kind, int attempt) {
  return wire::call_of(
      {.kind = kind, .execution = execution_id(*parse_job_id(kId), attempt), .token = kToken});
}

// Such a call as it is sent, up to its own members.
std::string sent(const std::string& op, const std::string& attempt) {
  return R"({"op":")" + op + R"(","execution_id":"123e4567-e89b-42d3-a456-4266141740)" + attempt +
         R"(","lease_token":")" + kText + '"';
}

TEST(ClientExchange, SendsCallsAndAClaimInOneRequest) {
  std::string request;
  ScriptedServer server({[&](Visitor& visitor) {
    request = visitor.request();
    visitor.answer(200, R"({"results":[{"ok":true,"lease_expires_at":"2030-01-02T03:04:35.000Z",)"
                        R"("cancel_requested":true},{"error":{"code":"stale_lease","status":409,)"
                        R"("detail":"the lease is over"}}],"executions":[)" +
                            kClaimed + "]}");
  }});
  auto client = plain_client(server);
  WorkCall beat = call(CallKind::kHeartbeat, 1);
  std::get<HeartbeatCall>(beat.call).progress = 50;
  std::get<HeartbeatCall>(beat.call).checkpoint = std::string("\0\xff", 2);
  WorkCall nack = call(CallKind::kNack, 2);
  std::get<NackCall>(nack.call).failure = {.message = "bad \xff byte"};
  const ExchangeAnswer answer =
      exchanged(*client, {.calls = {beat, nack},
                          .claim = ClaimRequest{.queues = {"q"}, .max = 3, .worker = "w"}})
          .value();
  EXPECT_EQ(body_of(request), R"({"ops":[)" + sent("heartbeat", "01") +
                                  R"(,"progress":50,"checkpoint":{"base64":"AP8="}},)" +
                                  sent("nack", "02") +
                                  R"(,"category":"TEMPORARY","message":"bad )"
                                  "\xEF\xBF\xBD"
                                  R"( byte"}],"claim":{"queues":["q"],"max":3,"worker":"w"}})");
  ASSERT_EQ(answer.results.size(), 2U);
  EXPECT_TRUE(answer.results[0]->cancel_requested);
  EXPECT_EQ(answer.results[1].error().code, Code::kStaleLease);
  const Claimed& claimed = answer.executions.at(0);
  EXPECT_EQ(claimed.token, kToken);
  EXPECT_EQ(claimed.job.checkpoint, std::string("\0\xff", 2));
  EXPECT_EQ(claimed.job.spec->payload, std::string("\0\1\2", 3));
  EXPECT_EQ(claimed.deadline_at - claimed.job.started_at, Duration(1h));
}

TEST(ClientExchange, AsksForNothingWhenThereIsNothingToAsk) {
  auto client = Client::open({.url = "http://127.0.0.1:1"}).value();
  EXPECT_TRUE(exchanged(*client, {}));
}

TEST(ClientExchange, EndsAWaitThatIsStopped) {
  std::promise<void> asked;
  ScriptedServer server({[&](Visitor& visitor) {
    visitor.request();
    asked.set_value();
    EXPECT_TRUE(visitor.sees_the_end());
  }});
  auto client = plain_client(server);
  std::stop_source stop;
  auto answer = client->exchange(
      {.claim =
           ClaimRequest{.queues = {"q"}, .worker = "w", .wait = 60s, .stop = stop.get_token()}});
  asked.get_future().get();
  stop.request_stop();
  EXPECT_TRUE(answer.get().value().executions.empty());
}

TEST(ClientExchange, AnswersWhatWaitsWhenTheClientIsClosed) {
  std::promise<void> asked;
  ScriptedServer server({[&](Visitor& visitor) {
    visitor.request();
    asked.set_value();
    visitor.sees_the_end();
  }});
  auto client = plain_client(server);
  auto answer =
      client->exchange({.claim = ClaimRequest{.queues = {"q"}, .worker = "w", .wait = 60s}});
  asked.get_future().get();
  client.reset();
  EXPECT_EQ(answer.get().error().code, Code::kShuttingDown);
}

TEST(ClientExchange, KeepsCallsApartFromAClaimThatWaits) {
  std::vector<std::string> bodies;
  ScriptedServer server({[&](Visitor& visitor) {
    bodies.push_back(body_of(visitor.request()));
    visitor.answer(200, R"({"results":[{"ok":true}],"executions":[]})");
    bodies.push_back(body_of(visitor.request()));
    visitor.answer(200, R"({"results":[],"executions":[]})");
  }});
  auto client = plain_client(server);
  EXPECT_TRUE(exchanged(*client, {.calls = {call(CallKind::kDone, 1)},
                                  .claim = ClaimRequest{.queues = {"q"}, .wait = 1ms}}));
  EXPECT_EQ(bodies.at(0).find("claim"), std::string::npos);
  EXPECT_TRUE(bodies.at(1).starts_with(R"({"ops":[],"claim":{)"));
}

// One call that the server will not read must not keep the others from being made.
TEST(ClientExchange, FindsTheCallThatIsRefused) {
  ScriptedServer server({[](Visitor& visitor) {
    for (std::string request = visitor.request(); !request.empty(); request = visitor.request()) {
      const std::string body = body_of(request);
      if (body.find("174003") != std::string::npos || body.find("claim") != std::string::npos) {
        visitor.answer(400, R"({"code":"bad_request","detail":"no","status":400})");
        continue;
      }
      std::string results;
      for (std::size_t at = body.find("\"op\""); at != std::string::npos;
           at = body.find("\"op\"", at + 1))
        results += results.empty() ? R"({"ok":true})" : R"(,{"ok":true})";
      visitor.answer(200, R"({"results":[)" + results + R"(],"executions":[]})");
    }
  }});
  auto client = plain_client(server);
  Exchange exchange{.claim = ClaimRequest{.queues = {"q"}, .worker = "w"}};
  for (const int attempt : {1, 2, 3, 4, 5})
    exchange.calls.push_back(call(CallKind::kDone, attempt));
  WorkCall unsendable = call(CallKind::kAck, 1);
  std::get<AckCall>(unsendable.call).spawn = {
      std::make_shared<Submission>(Submission{.type = "\xff"})};
  exchange.calls.push_back(unsendable);
  const ExchangeAnswer answer = exchanged(*client, exchange).value();
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(answer.results.at(i).ok(), i != 2) << i;
  EXPECT_EQ(answer.results.at(2).error().code, Code::kBadRequest);
  EXPECT_EQ(answer.results.at(5).error().code, Code::kInvalidJob);
  EXPECT_EQ(answer.claim_error->code, Code::kBadRequest);
  client.reset();
}

TEST(ClientExchange, DividesWhatIsTooLargeForOneRequest) {
  std::size_t requests = 0;
  ScriptedServer server({[&](Visitor& visitor) {
    while (!visitor.request().empty()) {
      ++requests;
      visitor.answer(200, R"({"results":[{"ok":true}],"executions":[]})");
    }
  }});
  auto client = plain_client(server);
  WorkCall ack = call(CallKind::kAck, 1);
  std::get<AckCall>(ack.call).result = {.bytes = '"' + std::string(5 << 20, 'x') + '"'};
  EXPECT_TRUE(exchanged(*client, {.calls = {ack, ack}}));
  client.reset();
  EXPECT_EQ(requests, 2U);
}

TEST(ClientExchange, DoesNotTakeAnAnswerWithTooFewResults) {
  ScriptedServer server({[](Visitor& visitor) {
    visitor.request();
    visitor.answer(200, R"({"results":[],"executions":[]})");
  }});
  auto client = plain_client(server);
  const auto answer = exchanged(*client, {.calls = {call(CallKind::kDone, 1)}});
  EXPECT_EQ(answer.error().code, Code::kStoreUnavailable);
}

TEST(ClientExchange, CarriesAWorker) {
  std::promise<std::string> acked;
  bool given = false;
  std::mutex mutex;
  const auto script = [&](Visitor& visitor) {
    for (std::string request = visitor.request(); !request.empty(); request = visitor.request()) {
      const std::string body = body_of(request);
      EXPECT_FALSE(json::find_flaw(body)) << body;
      const bool acks = body.find(R"("op":"ack")") != std::string::npos;
      std::unique_lock lock(mutex);
      const bool first = !std::exchange(given, true);
      lock.unlock();
      if (acks) acked.set_value(body);
      if (!acks && !first) return;  // a wait without end
      visitor.answer(200, std::string(R"({"results":[)") + (acks ? R"({"ok":true})" : "") +
                              R"(],"executions":[)" + (first ? kClaimed : "") + "]}");
    }
  };
  ScriptedServer server({script, script, script, script, script, script, script, script});
  auto client = plain_client(server);
  Worker worker(*client, {.name = "w", .queues = {"q"}});
  worker.on("mail", [](Context& context) { return '"' + to_string(context.job().id) + '"'; });
  ASSERT_TRUE(worker.start());
  EXPECT_NE(acked.get_future().get().find(R"("result":")" + kId + "\""), std::string::npos);
  worker.drain();
  EXPECT_EQ(worker.stats().completed, 1);
}

}  // namespace
}  // namespace baton::client
