// What a client writes, the server reads as the same; and what it does not read, it refuses.
#include <gtest/gtest.h>

#include <chrono>

#include "wire/shapes.h"

namespace baton::wire {
namespace {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

const JobId kJob = *parse_job_id("123e4567-e89b-42d3-a456-426614174000");
const ExecutionId kExecution = execution_id(kJob, 3);
const LeaseToken kToken = *parse_lease_token("00112233445566778899aabbccddeeff");

template <class T>
T read_back(const T& value, T start = {}) {
  return read_request<T>(request_text(value), std::move(start)).value();
}

template <class T>
Error refusal(std::string_view body) {
  const Result<T> read = read_request<T>(body);
  EXPECT_FALSE(read) << body;
  return read ? Error{} : read.error();
}

Submission full_submission() {
  return {.type = "mail",
          .queue = "q",
          .payload = R"({"a": 1})",
          .priority = Priority::kLow,
          .delay = 5s,
          .run_at = Time(1'900'000'000'123),
          .idempotency_key = "k",
          .idempotency = Idempotency::kAuto,
          .unique = Unique{"u", UniqueWhile::kWaiting, OnConflict::kReplace},
          .retry = {.max_attempts = 3,
                    .strategy = Strategy::kTable,
                    .initial = 1s,
                    .multiplier = 1.5,
                    .max = 2s,
                    .jitter = Jitter::kFull,
                    .table = {1s, 2s}},
          .timeouts = {.execution = 1s, .lease = 2s, .lifetime = 3s},
          .timeout_is = FailureIs::kTerminal,
          .system_is = FailureIs::kTemporary,
          .depends_on = {{.type = DependencyType::kFanIn, .jobs = {"#a"}, .allow_failures = true},
                         {.jobs = {to_string(kJob)}}},
          .tags = {{"a", "1"}, {"b", "2"}},
          .correlation_id = "c",
          .callback_url = "http://x",
          .account = "acc",
          .cost = 7,
          .draft = true,
          .traceparent = "t",
          .ref = "r"};
}

TEST(WireRequest, CarriesEveryMemberOfASubmission) {
  EXPECT_EQ(read_back(full_submission()), full_submission());
  const Submission bytes{.type = "t", .payload = "\xff\x01", .content_type = "image/png"};
  EXPECT_EQ(read_back(bytes), bytes);
  // Nothing is a payload of null.
  EXPECT_EQ(read_back(Submission{.type = "t"}).payload, "null");
}

TEST(WireRequest, HasOnlyWhatIsSet) {
  EXPECT_EQ(request_text(Submission{.type = "t"}), R"({"type":"t","queue":"default"})");
  EXPECT_EQ(request_text(Submission{.type = "t", .depends_on = {{.jobs = {"#a"}}}}),
            R"({"type":"t","queue":"default","depends_on":[{"type":"AFTER","jobs":["#a"]}]})");
  EXPECT_EQ(request_text(PatchJob{}), "{}");
  EXPECT_EQ(request_text(PatchJob{.tags = Tags{}, .correlation_id = ""}),
            R"({"tags":{},"correlation_id":""})");
  EXPECT_EQ(request_text(CancelJob{}), R"({"force":false})");
  EXPECT_EQ(request_text(RejectJob{}), R"({"reason":""})");
  EXPECT_EQ(request_text(GrantCredits{}), R"({"amount":0})");
  EXPECT_EQ(request_text(Batch{.jobs = {{.type = "t"}}}),
            R"({"jobs":[{"type":"t","queue":"default"}],"atomic":true,"chain":false})");
  EXPECT_EQ(request_text(ClaimRequest{.queues = {"q"}, .worker = "w", .wait = Duration(-1)}),
            R"({"queues":["q"],"max":1,"worker":"w"})");
}

TEST(WireRequest, CarriesWhatIsDoneToJobs) {
  const CancelJob cancel = read_back(CancelJob{.force = true, .reason = "r"});
  EXPECT_TRUE(cancel.force && cancel.reason == "r");
  EXPECT_EQ(read_back(RejectJob{.reason = "r"}).reason, "r");
  const PatchJob patch = read_back(PatchJob{.priority = Priority::kBulk,
                                            .tags = Tags{{"a", "b"}},
                                            .correlation_id = "c",
                                            .callback_url = "u",
                                            .version = 4});
  EXPECT_EQ(patch.priority, Priority::kBulk);
  EXPECT_EQ(patch.tags, (Tags{{"a", "b"}}));
  EXPECT_EQ(patch.correlation_id, "c");
  EXPECT_EQ(patch.callback_url, "u");
  EXPECT_EQ(patch.version, 4);
}

TEST(WireRequest, CarriesClaims) {
  const ClaimRequest claim = read_back(ClaimRequest{
      .queues = {"a", "b"}, .types = {"t"}, .max = 5, .worker = "w", .lease = 30s, .wait = 20s});
  EXPECT_EQ(claim.queues, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(claim.types, std::vector<std::string>{"t"});
  EXPECT_EQ(claim.max, 5);
  EXPECT_EQ(claim.worker, "w");
  EXPECT_EQ(claim.lease, Duration(30s));
  EXPECT_EQ(claim.wait, Duration(20s));
}

TEST(WireRequest, CarriesQueueSettingsAndGrants) {
  const QueueUpdate update = read_back(QueueUpdate{.profile = "commit",
                                                   .retry = Retry{.max_attempts = 2},
                                                   .timeouts = Timeouts{.lease = 1s},
                                                   .timeout_is = FailureIs::kTerminal,
                                                   .system_is = FailureIs::kTerminal,
                                                   .idempotency_window = 1h,
                                                   .max_payload_bytes = 10,
                                                   .max_pending = 5,
                                                   .max_running = -1,
                                                   .rate = RateLimit{.per_second = 2, .burst = 3},
                                                   .keep_completed = 1s,
                                                   .keep_failed = 2s,
                                                   .paused = true});
  EXPECT_EQ(update.profile, "commit");
  EXPECT_EQ(update.retry, Retry{.max_attempts = 2});
  EXPECT_EQ(update.timeouts, Timeouts{.lease = 1s});
  EXPECT_EQ(update.timeout_is, FailureIs::kTerminal);
  EXPECT_EQ(update.system_is, FailureIs::kTerminal);
  EXPECT_EQ(update.idempotency_window, Duration(1h));
  EXPECT_EQ(update.max_payload_bytes, 10U);
  EXPECT_EQ(update.max_pending, 5);
  EXPECT_EQ(update.max_running, -1);
  EXPECT_EQ(update.rate, (RateLimit{.per_second = 2, .burst = 3}));
  EXPECT_EQ(update.keep_completed, Duration(1s));
  EXPECT_EQ(update.keep_failed, Duration(2s));
  EXPECT_EQ(update.paused, true);
  const GrantCredits grant =
      read_back(GrantCredits{.amount = 5, .tier = Tier::kPro, .idempotency_key = "k"});
  EXPECT_EQ(grant.amount, 5);
  EXPECT_EQ(grant.tier, Tier::kPro);
  EXPECT_EQ(grant.idempotency_key, "k");
}

TEST(WireRequest, TakesARateAwayOnlyByNull) {
  EXPECT_EQ(request_text(QueueUpdate{.rate = RateLimit{}}), R"({"rate":null})");
  EXPECT_EQ(read_request<QueueUpdate>(R"({"rate":null})")->rate, RateLimit{});
  for (const char* rate : {"{}", R"({"burst":2})", R"({"per_second":0,"burst":2})"}) {
    const Error error = refusal<QueueUpdate>(R"({"rate":)" + std::string(rate) + "}");
    EXPECT_EQ(error.message, "rate.per_second must be greater than 0") << rate;
  }
}

// ---- Refusals

TEST(WireRequest, RefusesWithThePathOfTheField) {
  struct Case {
    const char* body;
    const char* message;
  };
  for (const Case& each : {
           Case{R"({"type":"t","colour":1})", "colour is not a known field"},
           Case{R"({"type":"t","type":"u"})", "type is given twice"},
           Case{R"({"type":"t","queue":null,"queue":"q"})", "queue is given twice"},
           Case{R"({})", "type is required"},
           Case{R"({"type":""})", "type is required"},
           Case{R"({"type":null})", "type is required"},
           Case{R"({"type":"t","retry":{"max_attempts":"1"}})",
                "retry.max_attempts must be a whole number"},
           Case{R"({"type":"t","retry":{"strategy":"x"}})",
                "retry.strategy must be one of constant, linear, exponential, table, function"},
           Case{R"({"type":"t","retry":{"strategy":"function"}})",
                "retry.strategy may be a function only in a program that embeds the engine"},
           Case{R"({"type":"t","retry":{"table_ms":[]}})",
                "retry.table_ms must have at least one entry"},
           Case{R"({"type":"t","retry":{"table_ms":[1,"x"]}})",
                "retry.table_ms[1] must be a whole number"},
           Case{R"({"type":"t","priority":5})", "priority must be a whole number from 0 to 4"},
           Case{R"({"type":"t","run_at":"soon"})",
                "run_at must be a time like 2030-01-02T03:04:05Z"},
           Case{R"({"type":"t","idempotency":"x"})", "idempotency must be auto or none"},
           Case{R"({"type":"t","depends_on":1})",
                "depends_on must be an object or an array of objects"},
           Case{R"({"type":"t","depends_on":[{"x":1}]})", "depends_on[0].x is not a known field"},
           Case{R"({"type":"t","payload":1,"payload_base64":""})",
                "payload_base64 excludes payload"},
           Case{R"({"type":"t","payload_base64":"?"})",
                "payload_base64 must be base64, with padding"},
           Case{R"({"type":"t","content_type":"text/plain"})",
                "content_type other than application/json needs payload_base64"},
           Case{R"({"type":"t","tags":{"a":"1","\u0061":"1"}})", "tags.a is given twice"},
       }) {
    const Error error = refusal<Submission>(each.body);
    EXPECT_EQ(error.message, each.message) << each.body;
    EXPECT_EQ(error.field, error.message.substr(0, error.message.find(' '))) << each.body;
    EXPECT_EQ(error.code, Code::kBadRequest);
  }
}

TEST(WireRequest, RefusesWhatIsMissingOrOutOfRange) {
  EXPECT_EQ(refusal<ClaimRequest>(R"({"worker":"w"})").message, "queues is required");
  EXPECT_EQ(refusal<ClaimRequest>(R"({"queues":["q"],"worker":null})").message,
            "worker is required");
  EXPECT_EQ(refusal<ClaimRequest>(R"({"queues":["q"],"worker":"w","wait_ms":60001})").message,
            "wait_ms must be a whole number from 0 to 60000");
  std::string names = "\"a\"";
  for (int i = 0; i < 100; ++i)
    names += ",\"a\"";
  EXPECT_EQ(refusal<ClaimRequest>(R"({"worker":"w","queues":[)" + names + "]}").message,
            "queues must have at most 100 entries");
  EXPECT_EQ(refusal<Exchange>(R"({"claim":{"queues":["q"]}})").field, "claim.worker");
  EXPECT_EQ(refusal<GrantCredits>("{}").message, "amount is required");
  EXPECT_TRUE(read_request<GrantCredits>(R"({"tier":"pro"})"));
  EXPECT_EQ(refusal<QueueUpdate>(R"({"max_payload_bytes":-1})").field, "max_payload_bytes");
  EXPECT_EQ(refusal<QueueUpdate>(R"({"draining":true})").message, "draining is not a known field");
}

// How many there may be is for the store to say, and looking for two alike takes no longer then.
TEST(WireRequest, ReadsAnyNumberOfTags) {
  std::string tags;
  for (int i = 0; i < 100'000; ++i)
    tags += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
  const auto job = read_request<Submission>(R"({"type":"t","tags":{)" + tags + "}}");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->tags.size(), 100'000U);
}

TEST(WireRequest, TakesAtMostAThousandJobs) {
  struct Jobs {
    std::vector<std::shared_ptr<const Submission>> jobs = {};
    bool atomic = true;
    bool chain = false;
  };
  const auto read = [](const std::string& body) {
    return read_request<Jobs>(
        body, {}, [](RowInput& in, Jobs& out) { read_rows<Jobs>(in, out, kBatchRows<Jobs>); });
  };
  EXPECT_EQ(read("{}").error().message, "jobs is required");
  EXPECT_EQ(read(R"({"jobs":[{"type":"t"},{}]})").error().field, "jobs[1].type");
  std::string jobs = R"({"type":"t"})";
  for (int i = 0; i < 999; ++i)
    jobs += R"(,{"type":"t"})";
  EXPECT_EQ(read(R"({"jobs":[)" + jobs + "]}")->jobs.size(), kMaxBatch);
  EXPECT_EQ(read(R"({"jobs":[)" + jobs + R"(,{"type":"t"}]})").error().message,
            "jobs[1000] is more than the 1000 that one call may bring");
}

// ---- Calls of workers

WorkCall read_op(const WorkCall& call) {
  const std::string body = R"({"ops":[)" + request_text(call) + "]}";
  return read_request<Exchange>(body).value().calls.at(0);
}

template <class One>
One part_of_op(const WorkCall& call) {
  return std::get<One>(read_op(call).call);
}

WorkCall call_of(CallKind kind) {
  return wire::call_of({.kind = kind, .execution = kExecution, .token = kToken});
}

TEST(WireCall, CarriesTheMembersOfItsKind) {
  WorkCall start = call_of(CallKind::kStart);
  std::get<StartCall>(start.call).execution_limit = 5s;
  EXPECT_EQ(request_text(start),
            R"({"op":"start","execution_id":"123e4567-e89b-42d3-a456-426614174003",)"
            R"("lease_token":"00112233445566778899aabbccddeeff","execution_ms":5000})");
  EXPECT_EQ(part_of_op<StartCall>(start).execution_limit, Duration(5s));
  EXPECT_EQ(read_op(start).execution, kExecution);
  EXPECT_EQ(read_op(start).token, kToken);

  WorkCall beat = call_of(CallKind::kHeartbeat);
  std::get<HeartbeatCall>(beat.call).progress = 40;
  std::get<HeartbeatCall>(beat.call).message = "half\xff";
  std::get<HeartbeatCall>(beat.call).checkpoint = "[1]";
  EXPECT_EQ(part_of_op<HeartbeatCall>(beat).progress, 40);
  EXPECT_EQ(part_of_op<HeartbeatCall>(beat).message, "half\xEF\xBF\xBD");
  EXPECT_EQ(part_of_op<HeartbeatCall>(beat).checkpoint, "[1]");

  WorkCall nack = call_of(CallKind::kNack);
  std::get<NackCall>(nack.call).failure = {FailureCategory::kSystem, "c", "m", "why"};
  std::get<NackCall>(nack.call).retry_after = 1s;
  EXPECT_EQ(part_of_op<NackCall>(nack).failure, std::get<NackCall>(nack.call).failure);
  EXPECT_EQ(part_of_op<NackCall>(nack).retry_after, Duration(1s));

  WorkCall reject = call_of(CallKind::kReject);
  std::get<RejectCall>(reject.call).reason = "no";
  EXPECT_EQ(part_of_op<RejectCall>(reject).reason, "no");
}

template <class One>
void carries_results_and_children() {
  WorkCall call{.execution = kExecution, .token = kToken, .call = One{}};
  One& part = std::get<One>(call.call);
  part.spawn = {std::make_shared<Submission>(full_submission())};
  for (const Outcome& result : {Outcome{.bytes = "[1, 2]"}, Outcome{.bytes = "null"},
                                Outcome{.bytes = "\xff", .content_type = "image/png"}}) {
    part.result = result;
    EXPECT_EQ(part_of_op<One>(call).result, result);
    EXPECT_EQ(*part_of_op<One>(call).spawn.at(0), full_submission());
  }
}

TEST(WireCall, CarriesResultsAndChildren) {
  carries_results_and_children<CommitCall>();
  carries_results_and_children<AckCall>();
  EXPECT_EQ(request_text(call_of(CallKind::kSpawn)).find("\"jobs\":[]") == std::string::npos,
            false);
}

TEST(WireCall, RefusesTheMembersOfOtherKinds) {
  const auto read = [](CallKind kind, std::string_view body) {
    return read_request<CallBody>(body, {.kind = kind}, read_call);
  };
  const auto message = [&](CallKind kind, std::string_view body) {
    const auto call = read(kind, body);
    return call ? std::string() : call.error().message;
  };
  EXPECT_EQ(message(CallKind::kAck, R"({"lease_token":"x","reason":null})"),
            "reason is not a known field of ack");
  EXPECT_EQ(message(CallKind::kAck, R"({"lease_token":"x","op":"ack"})"),
            "op is not a known field of ack");
  EXPECT_EQ(message(CallKind::kAck, "{}"), "lease_token is required");
  EXPECT_EQ(message(CallKind::kNack, R"({"lease_token":"x"})"), "category is required");
  EXPECT_EQ(message(CallKind::kSpawn, R"({"lease_token":"x"})"), "jobs is required");
  EXPECT_EQ(message(CallKind::kHeartbeat, R"({"lease_token":"x","progress":101})"),
            "progress must be a whole number from 0 to 100");
  EXPECT_EQ(message(CallKind::kAck, R"({"lease_token":"x","result":1,"result_base64":""})"),
            "result_base64 excludes result");
  EXPECT_EQ(message(CallKind::kAck, R"({"lease_token":"x","result_content_type":"a"})"),
            "result_content_type needs result_base64");
  // A text that cannot be a token is one that nobody holds.
  EXPECT_EQ(read(CallKind::kDone, R"({"lease_token":"x"})")->token, LeaseToken{});
  EXPECT_EQ(read(CallKind::kAck, R"({"lease_token":"x","result_base64":"eA=="})")->result,
            (Outcome{"x", "application/octet-stream"}));
}

TEST(WireCall, RefusesOpsThatAreNone) {
  const auto field = [](const std::string& op) {
    return refusal<Exchange>(R"({"ops":[)" + op + "]}").field;
  };
  EXPECT_EQ(field("{}"), "ops[0].op");
  EXPECT_EQ(field(R"({"op":"asset","lease_token":"x","execution_id":"y"})"), "ops[0].op");
  EXPECT_EQ(field(R"({"op":"ack","lease_token":"x"})"), "ops[0].execution_id");
  EXPECT_EQ(field(R"({"op":"ack","execution_id":"x"})"), "ops[0].lease_token");
  EXPECT_EQ(field(R"({"op":"done","result":1})"), "ops[0].result");
  // An id that cannot be one is an execution that nobody has.
  const auto read =
      read_request<Exchange>(R"({"ops":[{"op":"ack","execution_id":"x","lease_token":"y"}]})");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->calls.at(0).execution.is_nil());
}

}  // namespace
}  // namespace baton::wire
