// The verbs against a server that says what the test tells it to.
#include "baton/client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "client/scripted_server.h"

namespace baton::client {
namespace {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

const std::string kId = "123e4567-e89b-42d3-a456-426614174000";
const JobId kJobId = *parse_job_id(kId);
const std::string kJob =
    R"({"id":")" + kId +
    R"(","type":"mail","queue":"q","state":"QUEUED","canonical_state":"PENDING",)"
    R"("payload":{"to":"me"},"content_type":"application/json","priority":"HIGH","profile":"standard",)"
    R"("attempt":0,"max_attempts":3,"retry_count":0,"max_retries":2,"tags":{"a":"b"},)"
    R"("created_at":"2030-01-02T03:04:05.006Z","updated_at":"2030-01-02T03:04:05.006Z",)"
    R"("run_at":null,"last_error":null,"version":7,"news":["from","a","later","server"]})";

std::unique_ptr<Client> client_of(const ScriptedServer& server, ClientOptions options = {}) {
  options.url = server.url();
  return Client::open(options).value();
}

// Answers every request with the same.
ScriptedServer::Script always(int status, const std::string& body, const std::string& fields = {}) {
  return [=](Visitor& visitor) {
    while (!visitor.request().empty())
      visitor.answer(status, body, fields);
  };
}

TEST(Client, RefusesOptionsThatCannotWork) {
  EXPECT_EQ(Client::open({.url = "nonsense"}).error().field, "url");
  EXPECT_EQ(Client::open({.url = "https://x", .ca_file = "/nowhere"}).error().field, "ca_file");
  EXPECT_EQ(Client::open({.token = "a\r\nb"}).error().field, "token");
  EXPECT_EQ(Client::open({.connect_timeout = 0ms}).error().field, "connect_timeout");
  EXPECT_EQ(Client::open({.answer_timeout = -1ms}).error().field, "answer_timeout");
}

TEST(Client, SendsARequestAndReadsTheJob) {
  std::string request;
  ScriptedServer server({[&](Visitor& visitor) {
    request = visitor.request();
    visitor.answer(200, kJob);
  }});
  auto client = client_of(server, {.token = "secret"});
  const Job job = client->get(kJobId).get().value();
  EXPECT_TRUE(request.starts_with("GET /v1/jobs/" + kId + " HTTP/1.1\r\nHost: 127.0.0.1:"))
      << request;
  EXPECT_NE(request.find("\r\nAuthorization: Bearer secret\r\n"), std::string::npos);
  EXPECT_EQ(job.id, kJobId);
  EXPECT_EQ(job.spec->type, "mail");
  EXPECT_EQ(job.spec->payload, R"({"to":"me"})");
  EXPECT_EQ(job.priority, Priority::kHigh);
  EXPECT_EQ(job.canonical_state, JobState::kPending);
  EXPECT_EQ(job.tags, (Tags{{"a", "b"}}));
  EXPECT_EQ(job.created_at, Time(1'893'553'445'006));
  EXPECT_FALSE(job.run_at.is_set());
  EXPECT_FALSE(job.last_error);
  EXPECT_EQ(job.version, 7);
}

TEST(Client, KeepsItsConnection) {
  ScriptedServer server({always(200, kJob)});
  auto client = client_of(server);
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(client->get(kJobId).get());
  EXPECT_EQ(server.connections(), 1U);
  client.reset();
}

TEST(Client, TakesANewConnectionAfterOneThatTheServerCloses) {
  const auto once = [](Visitor& visitor) {
    visitor.request();
    visitor.answer(200, kJob, "Connection: close\r\n");
  };
  ScriptedServer server({once, once});
  auto client = client_of(server);
  EXPECT_TRUE(client->get(kJobId).get());
  EXPECT_TRUE(client->get(kJobId).get());
  EXPECT_EQ(server.connections(), 2U);
}

TEST(Client, ClosesAConnectionThatTheServerWillNotUseAgain) {
  std::promise<void> ended;
  ScriptedServer server({[&](Visitor& visitor) {
    visitor.request();
    visitor.answer(200, kJob, "Connection: close\r\n");
    visitor.sees_the_end();
    ended.set_value();
  }});
  auto client = client_of(server);
  EXPECT_TRUE(client->get(kJobId).get());
  ended.get_future().get();
}

// The server reads the second request on a kept connection and goes away.
ScriptedServer::Script answers_once_then_drops(const std::string& first) {
  return [=](Visitor& visitor) {
    visitor.request();
    visitor.answer(200, first);
    visitor.request();
  };
}

TEST(Client, RepeatsWhatIsSafeWhenAKeptConnectionIsGone) {
  ScriptedServer server({answers_once_then_drops(kJob), always(200, kJob)});
  auto client = client_of(server);
  EXPECT_TRUE(client->get(kJobId).get());
  EXPECT_TRUE(client->get(kJobId).get());
  EXPECT_EQ(server.connections(), 2U);
  client.reset();
}

TEST(Client, RepeatsASubmissionOnlyWithAKey) {
  const std::string made = R"({"job":)" + kJob + R"(,"duplicate":true})";
  ScriptedServer server({answers_once_then_drops(kJob), always(200, made)});
  auto client = client_of(server);
  EXPECT_TRUE(client->get(kJobId).get());
  const Submitted submitted =
      client->submit({.type = "mail", .idempotency_key = "k"}).get().value();
  EXPECT_EQ(submitted.id, kJobId);
  EXPECT_TRUE(submitted.duplicate);

  client.reset();
  ScriptedServer other({answers_once_then_drops(kJob), always(200, made)});
  client = client_of(other);
  EXPECT_TRUE(client->get(kJobId).get());
  EXPECT_EQ(client->submit({.type = "mail"}).get().error().code, Code::kStoreUnavailable);
  EXPECT_EQ(other.connections(), 1U);
}

TEST(Client, DoesNotRepeatWhatFailsOnANewConnection) {
  ScriptedServer server({[](Visitor& visitor) { visitor.request(); }, always(200, kJob)});
  auto client = client_of(server);
  EXPECT_EQ(client->get(kJobId).get().error().code, Code::kStoreUnavailable);
  EXPECT_EQ(server.connections(), 1U);
}

TEST(Client, SaysWhenTheServerIsGone) {
  std::string url;
  {
    ScriptedServer server({});
    url = server.url();
  }
  auto client = Client::open({.url = url}).value();
  const Error error = client->get(kJobId).get().error();
  EXPECT_EQ(error.code, Code::kStoreUnavailable);
  EXPECT_NE(error.message.find("cannot connect to 127.0.0.1:"), std::string::npos);
}

TEST(Client, GivesUpOnAServerThatDoesNotAnswer) {
  ScriptedServer server({[](Visitor& visitor) {
    visitor.request();
    visitor.sees_the_end();
  }});
  auto client = client_of(server, {.answer_timeout = 30ms});
  EXPECT_EQ(client->get(kJobId).get().error().message, "the server did not answer in time");
}

TEST(Client, DoesNotBelieveHalfAnAnswer) {
  ScriptedServer server({[](Visitor& visitor) {
    visitor.request();
    visitor.say("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"id\":");
  }});
  auto client = client_of(server);
  EXPECT_EQ(client->get(kJobId).get().error().code, Code::kStoreUnavailable);
}

TEST(Client, ReadsChunksThatComeSlowly) {
  ScriptedServer server({[](Visitor& visitor) {
    visitor.request();
    visitor.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const char c : kJob)
      visitor.say(std::string("1\r\n") + c + "\r\n");
    visitor.say("0\r\n\r\n");
  }});
  EXPECT_EQ(client_of(server)->get(kJobId).get().value().id, kJobId);
}

TEST(Client, SeesTheAnswerToARequestThatIsRefusedEarly) {
  ScriptedServer server({[](Visitor& visitor) {
    visitor.answer(413, R"({"code":"payload_too_large","detail":"no","status":413})",
                   "Connection: close\r\n");
    visitor.sees_the_end();
  }});
  const std::string large = '"' + std::string(1 << 20, 'x') + '"';
  const auto answer = client_of(server)->submit({.type = "t", .payload = large}).get();
  EXPECT_EQ(answer.error().code, Code::kPayloadTooLarge);
}

TEST(Client, PassesTheServersErrorOn) {
  ScriptedServer server({always(
      422, R"({"type":"about:blank","status":422,"code":"invalid_job","detail":"cost must not )"
           R"(be negative","field":"cost","index":3,"retry_after_ms":1500})")});
  auto client = client_of(server);
  const Error error = client->submit({.type = "t"}).get().error();
  EXPECT_EQ(error.code, Code::kInvalidJob);
  EXPECT_EQ(error.message, "cost must not be negative");
  EXPECT_EQ(error.field, "jobs[3].cost");
  EXPECT_EQ(error.retry_after, 1500ms);
  client.reset();
}

TEST(Client, MakesAnErrorOfAnyRefusal) {
  struct Row {
    int status;
    std::string body;
    Code code;
  };
  for (const Row& row :
       {Row{500, R"({"code":"internal_error","detail":"oh"})", Code::kStoreUnavailable},
        Row{502, "<html>", Code::kStoreUnavailable},
        Row{405, R"({"code":"method_not_allowed"})", Code::kBadRequest},
        Row{404, "", Code::kNotFound}, Row{429, "{}", Code::kRateLimited},
        Row{408, "{}", Code::kStoreUnavailable}, Row{302, "", Code::kStoreUnavailable}}) {
    ScriptedServer server({always(row.status, row.body, "Retry-After: 2\r\n")});
    auto client = client_of(server);
    const Error error = client->get(kJobId).get().error();
    EXPECT_EQ(error.code, row.code) << row.status;
    EXPECT_FALSE(error.message.empty());
    EXPECT_EQ(error.retry_after, 2s);
    client.reset();
  }
}

TEST(Client, SaysThatItDoesNotUnderstand) {
  for (const char* body : {"", "[]", "{", R"({"id":5})", R"({"canonical_state":"DREAMING"})"}) {
    ScriptedServer server({always(200, body)});
    auto client = client_of(server);
    EXPECT_EQ(client->get(kJobId).get().error().code, Code::kStoreUnavailable) << body;
    client.reset();
  }
}

TEST(Client, WaitsInOneRequest) {
  std::string request;
  ScriptedServer server({[&](Visitor& visitor) {
    request = visitor.request();
    visitor.answer(200, R"({"id":")" + kId + R"(","canonical_state":"COMPLETED","result":[1],)" +
                            R"("result_content_type":"application/json"})");
  }});
  const Job job = client_of(server)->wait(kJobId, 20s).get()->job;
  EXPECT_TRUE(job.ended());
  EXPECT_EQ(job.result->bytes, "[1]");
  EXPECT_TRUE(request.starts_with("GET /v1/jobs/" + kId + "/wait?timeout_ms=")) << request;
}

TEST(Client, ReadsListsAndBatches) {
  ScriptedServer server({[](Visitor& visitor) {
    EXPECT_TRUE(visitor.request().starts_with(
        "GET /v1/jobs?queue=a%20b&canonical_state=FAILED&tag=k%3Av&cursor=n5&limit=2 "));
    visitor.answer(200, R"({"jobs":[)" + kJob + R"(],"next_cursor":"n4"})");
    EXPECT_TRUE(visitor.request().ends_with(
        R"({"jobs":[{"type":"t","queue":"default"}],"atomic":false,"chain":false})"));
    visitor.answer(200, R"({"results":[{"job":)" + kJob + R"(,"duplicate":false},)" +
                            R"({"error":{"code":"queue_full","detail":"full","status":429}}]})");
    visitor.request();
    visitor.answer(200, R"({"live_jobs":2,"queues":[{"name":"q","paused":true,)"
                        R"("counts":{"PENDING":2,"LATER":3}}]})");
  }});
  auto client = client_of(server);
  const JobPage page = client
                           ->list({.queue = "a b",
                                   .canonical_state = JobState::kFailed,
                                   .tag = {{"k", "v"}},
                                   .cursor = "n5",
                                   .limit = 2})
                           .get()
                           .value();
  EXPECT_EQ(page.jobs.at(0).id, kJobId);
  EXPECT_EQ(page.next_cursor, "n4");
  const auto results =
      client->submit_batch({.jobs = {{.type = "t"}}, .atomic = false}).get().value();
  EXPECT_EQ(results.at(0)->id, kJobId);
  EXPECT_EQ(results.at(1).error().code, Code::kQueueFull);
  const Stats stats = client->stats().get().value();
  EXPECT_EQ(stats.live_jobs, 2);
  EXPECT_EQ(stats.queues.at(0).count(JobState::kPending), 2);
  EXPECT_TRUE(stats.queues.at(0).settings.paused);
}

TEST(Client, ReadsAllPagesOfWorkers) {
  ScriptedServer server({[](Visitor& visitor) {
    EXPECT_TRUE(visitor.request().starts_with("GET /v1/workers "));
    visitor.answer(200, R"({"workers":[{"worker":"a b","queues":["q"]}],"next_cursor":"a b"})");
    EXPECT_TRUE(visitor.request().starts_with("GET /v1/workers?cursor=a%20b "));
    visitor.answer(200, R"({"workers":[{"worker":"c"}],"next_cursor":null})");
  }});
  const std::vector<SeenWorker> workers = client_of(server)->workers().get().value();
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(workers[0].queues, std::vector<std::string>{"q"});
  EXPECT_EQ(workers[1].name, "c");
}

}  // namespace
}  // namespace baton::client
