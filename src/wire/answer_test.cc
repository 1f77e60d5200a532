// What the server writes, a client reads as the same; every member is there, null when it is unset.
#include <gtest/gtest.h>

#include <chrono>

#include "wire/bytes.h"
#include "wire/shapes.h"

namespace baton::wire {
namespace {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

constexpr char kId[] = "123e4567-e89b-42d3-a456-426614174000";
const JobId kJob = *parse_job_id(kId);
constexpr Time kTime{1'893'553'445'006};

template <class T>
std::string text_of(const T& value, const JobForm& form = {}) {
  std::string text;
  base::JsonWriter json(text);
  write_answer(json, value, form);
  return text;
}

template <class T>
T read_back(const T& value) {
  return read_answer<T>(text_of(value)).value();
}

Job small_job() {
  Job job;
  job.id = kJob;
  job.spec = std::make_shared<Submission>(Submission{.type = "mail", .payload = "[1]"});
  job.profile = "standard";
  job.state = "QUEUED";
  job.canonical_state = JobState::kPending;
  job.created_at = job.updated_at = kTime;
  job.version = 7;
  return job;
}

Job full_job() {
  Job job = small_job();
  job.spec = std::make_shared<Submission>(
      Submission{.type = "mail",
                 .queue = "q",
                 .payload = "[1, 2]",
                 .delay = 5s,
                 .idempotency_key = "k",
                 .idempotency = Idempotency::kNone,
                 .unique = Unique{"u", UniqueWhile::kWaiting, OnConflict::kRefuse},
                 .depends_on = {{.type = DependencyType::kAfterAny, .jobs = {kId}}},
                 .account = "a",
                 .cost = 3,
                 .draft = true,
                 .traceparent = "t",
                 .ref = "r"});
  job.priority = Priority::kCritical;
  job.tags = {{"a", "1"}};
  job.correlation_id = "c";
  job.callback_url = "u";
  job.retry = {.max_attempts = 2, .strategy = Strategy::kLinear, .multiplier = 2.5, .table = {1s}};
  job.timeouts = {.execution = 1s, .lease = 2s, .lifetime = 3s};
  job.timeout_is = FailureIs::kTerminal;
  job.attempt = 2;
  job.max_attempts = 3;
  job.retry_count = 1;
  job.max_retries = 2;
  job.scheduled_at = job.run_at = job.started_at = job.completed_at = kTime;
  job.last_error = Failure{FailureCategory::kTimeout, "c", "m", "why"};
  job.error_type = ErrorType::kTerminal;
  job.progress = 40;
  job.progress_message = "half";
  job.checkpoint = "{\"at\": 1}";
  job.cancel_requested = true;
  job.result = std::make_shared<Outcome>(Outcome{"\xff", "image/png"});
  job.parent = job.redriven_from = job.redriven_to = kJob;
  job.previous_execution = execution_id(kJob, 1);
  return job;
}

TEST(WireJob, IsWrittenAsTheContractSays) {
  EXPECT_EQ(
      text_of(small_job()),
      R"({"id":"123e4567-e89b-42d3-a456-426614174000","profile":"standard","state":"QUEUED",)"
      R"("canonical_state":"PENDING","attempt":0,"max_attempts":0,"retry_count":0,)"
      R"("release_count":0,"max_retries":0,)"
      R"("type":"mail","queue":"default","payload":[1],"payload_base64":null,)"
      R"("content_type":"application/json","priority":"NORMAL","delay_ms":null,)"
      R"("idempotency_key":null,"idempotency":null,"unique":null,)"
      R"("retry":{"max_attempts":null,"strategy":null,)"
      R"("initial_ms":null,"multiplier":null,"max_ms":null,"jitter":null,"table_ms":null},)"
      R"("timeouts":{"execution_ms":null,"lease_ms":null,"lifetime_ms":null},)"
      R"("timeout_is":"temporary","system_is":"temporary","depends_on":[],"tags":{},)"
      R"("correlation_id":null,"callback_url":null,"account":null,"cost":null,"draft":false,)"
      R"("traceparent":null,"ref":null,"created_at":"2030-01-02T03:04:05.006Z",)"
      R"("updated_at":"2030-01-02T03:04:05.006Z","scheduled_at":null,"run_at":null,)"
      R"("started_at":null,"completed_at":null,"last_error":null,"last_error_code":null,)"
      R"("last_error_cause":null,"error_type":null,"failure_category":null,"progress":null,)"
      R"("progress_message":null,"checkpoint":null,"cancel_requested":false,"result":null,)"
      R"("result_base64":null,"result_content_type":null,"result_url":null,"parent_id":null,)"
      R"("redriven_from":null,"redriven_to":null,"worker":null,"previous_execution_id":null,"version":7})");
}

TEST(WireJob, CarriesEveryMember) {
  const Job job = full_job();
  const Job read = read_back(job);
  EXPECT_EQ(text_of(read), text_of(job));
  EXPECT_EQ(*read.spec, *job.spec);
  EXPECT_EQ(read.tags, job.tags);
  EXPECT_EQ(read.retry, job.retry);
  EXPECT_EQ(read.timeouts, job.timeouts);
  EXPECT_EQ(read.last_error, job.last_error);
  EXPECT_EQ(*read.result, *job.result);
  EXPECT_EQ(read.checkpoint, job.checkpoint);
  EXPECT_EQ(read.previous_execution, job.previous_execution);
}

TEST(WireJob, LeavesOutTheLargePartsThatNobodyAskedFor) {
  const std::string text = text_of(full_job(), {.parts = kNoParts});
  for (const char* name : {"payload", "payload_base64", "checkpoint", "result", "result_base64",
                           "result_content_type"}) {
    EXPECT_EQ(text.find("\"" + std::string(name) + "\":"), std::string::npos) << name;
  }
  EXPECT_EQ(read_answer<Job>(text)->spec->payload, "");
}

TEST(WireJob, IsBriefWithoutFreeTexts) {
  const std::string text = text_of(full_job(), {.brief = true, .ref = "other"});
  for (const char* member :
       {R"("table_ms":null)", R"("idempotency_key":null)", R"("depends_on":null)", R"("tags":null)",
        R"("correlation_id":null)", R"("callback_url":null)", R"("account":null)",
        R"("traceparent":null)", R"("last_error":null)", R"("last_error_code":null)",
        R"("last_error_cause":null)", R"("progress_message":null)",
        R"("failure_category":"TIMEOUT")", R"("ref":"other")", R"("progress":40)"}) {
    EXPECT_NE(text.find(member), std::string::npos) << member;
  }
  EXPECT_TRUE(read_answer<Job>(text));
}

// The job with these members beside the ones that every job has.
Job read_one(const std::string& members) {
  return read_answer<Job>(R"({"id":")" + std::string(kId) + R"(","canonical_state":"RUNNING",)" +
                          members + "}")
      .value();
}

// Any program may answer; what names no job is not one.
TEST(WireJob, RefusesWhatIsNoJob) {
  const std::string id = "\"id\":\"" + std::string(kId) + "\"";
  for (const std::string& text :
       {std::string("{}"), "{" + id + "}", std::string(R"({"canonical_state":"RUNNING"})"),
        std::string(R"({"id":null,"canonical_state":"RUNNING"})"),
        "{" + id + R"(,"canonical_state":null})"}) {
    const auto job = read_answer<Job>(text);
    ASSERT_FALSE(job) << text;
    EXPECT_EQ(job.error().code, Code::kStoreUnavailable);
    EXPECT_NE(job.error().message.find("is missing"), std::string::npos) << job.error().message;
  }
  EXPECT_EQ(read_answer<Job>(R"({"id":"x"})").error().message,
            "the server's answer is not understood: id must be the id of a job");
  EXPECT_EQ(read_answer<Job>("{" + id + R"(,"canonical_state":"LOST"})").error().message,
            "the server's answer is not understood: canonical_state is a word that this client "
            "does not know");
}

TEST(WireJob, MayHaveMembersThatAClientDoesNotKnow) {
  EXPECT_EQ(read_one(R"("news":["from",{"a":"later"},"server"],"version":3)").version, 3);
}

// The server has null in both places when there are no bytes; null was once read as the payload.
TEST(WireJob, TellsNoBytesFromNull) {
  const std::string none = R"("payload":null,"payload_base64":null)";
  EXPECT_EQ(read_one(none + R"(,"content_type":"text/plain")").spec->payload, "");
  EXPECT_EQ(read_one(none + R"(,"content_type":"application/json")").spec->payload, "null");
  EXPECT_EQ(read_one(R"("payload":null,"payload_base64":"bnVsbA==","content_type":"text/plain")")
                .spec->payload,
            "null");
  EXPECT_EQ(read_one(R"("payload":{"a":1},"content_type":"application/json")").spec->payload,
            R"({"a":1})");
  // Lists leave it out.
  EXPECT_EQ(read_one(R"("content_type":"application/json")").spec->payload, "");
}

// A result of null was once read as no bytes.
TEST(WireJob, ReadsAResultOfNull) {
  const std::string none = R"("result":null,"result_base64":null,"result_content_type":)";
  EXPECT_EQ(*read_one(none + R"("application/json")").result, (Outcome{.bytes = "null"}));
  EXPECT_EQ(*read_one(none + R"("text/plain")").result,
            (Outcome{.bytes = "", .content_type = "text/plain"}));
  EXPECT_EQ(read_one(none + "null").result, nullptr);
}

// Old jobs may have a tag twice.
TEST(WireJob, TakesTheLastOfTwoTags) {
  EXPECT_EQ(read_one(R"("tags":{"a":"1","a":"2"})").tags, (Tags{{"a", "2"}}));
}

TEST(WireAnswer, CarriesExecutions) {
  const Execution full{.id = execution_id(kJob, 2),
                       .attempt = 2,
                       .previous_execution = execution_id(kJob, 1),
                       .worker = "w",
                       .status = ExecutionStatus::kAborted,
                       .claimed_at = kTime,
                       .lease_expires_at = kTime,
                       .deadline_at = kTime,
                       .started_at = kTime,
                       .committed_at = kTime,
                       .finished_at = kTime,
                       .failure = Failure{FailureCategory::kSystem, "c", "m", "why"}};
  EXPECT_EQ(text_of(read_back(full)), text_of(full));
  EXPECT_EQ(read_back(full).failure, full.failure);
  EXPECT_EQ(
      text_of(Execution{.id = execution_id(kJob, 1), .attempt = 1}),
      R"({"execution_id":"123e4567-e89b-42d3-a456-426614174001",)"
      R"("job_id":"123e4567-e89b-42d3-a456-426614174000","attempt":1,"lease_version":1,)"
      R"("status":"LEASED","worker":null,"previous_execution_id":null,"claimed_at":null,)"
      R"("started_at":null,"committed_at":null,"finished_at":null,"lease_expires_at":null,)"
      R"("deadline_at":null,"failure":null,"failure_category":null,"error":null,"error_code":null})");
}

TEST(WireAnswer, CarriesHistory) {
  const HistoryEntry entry{3, JobState::kNone, JobState::kRunning, Trigger::kClaim, kTime,
                           2, Actor::kWorker};
  std::string text;
  base::JsonWriter json(text);
  RowOutput out{json, Message::kAnswer, {}, kJob};
  write_value(out, entry);
  EXPECT_EQ(text, R"({"seq":3,"from":null,"to":"RUNNING","trigger":"claim",)"
                  R"("at":"2030-01-02T03:04:05.006Z",)"
                  R"("execution_id":"123e4567-e89b-42d3-a456-426614174002","actor":"worker"})");
  EXPECT_EQ(read_answer<HistoryEntry>(text).value(), entry);
}

TEST(WireAnswer, CarriesExplanations) {
  const Explanation full{kJob, "WAITING", JobState::kPending, "code", "why", kTime, {kJob},
                         "w",  kTime};
  EXPECT_EQ(text_of(full), R"({"id":"123e4567-e89b-42d3-a456-426614174000","state":"WAITING",)"
                           R"("canonical_state":"PENDING","code":"code","explanation":"why",)"
                           R"("until":"2030-01-02T03:04:05.006Z",)"
                           R"("waits_for":["123e4567-e89b-42d3-a456-426614174000"],)"
                           R"("worker":"w","worker_last_seen":"2030-01-02T03:04:05.006Z"})");
  EXPECT_EQ(text_of(read_back(full)), text_of(full));
  EXPECT_FALSE(read_answer<Explanation>("{}"));
}

TEST(WireAnswer, CarriesWorkers) {
  const SeenWorker full{"w", {"a", "b"}, {"t"}, kTime, kTime, 7, {{execution_id(kJob, 2), kTime}}};
  EXPECT_EQ(text_of(full),
            R"({"worker":"w","queues":["a","b"],"types":["t"],)"
            R"("first_seen":"2030-01-02T03:04:05.006Z",)"
            R"("last_seen":"2030-01-02T03:04:05.006Z","execution_count":7,)"
            R"("executions":[{"execution_id":"123e4567-e89b-42d3-a456-426614174002",)"
            R"("job_id":"123e4567-e89b-42d3-a456-426614174000",)"
            R"("lease_expires_at":"2030-01-02T03:04:05.006Z"}]})");
  EXPECT_EQ(text_of(read_back(full)), text_of(full));
  const SeenWorker bare{.name = "w"};
  EXPECT_EQ(text_of(bare), R"({"worker":"w","queues":[],"types":null,"first_seen":null,)"
                           R"("last_seen":null,"execution_count":0,"executions":[]})");
  EXPECT_EQ(text_of(read_back(bare)), text_of(bare));
  EXPECT_FALSE(read_answer<SeenWorker>("{}"));
}

TEST(WireAnswer, CarriesClaims) {
  Claimed claimed{execution_id(kJob, 2), *parse_lease_token("00112233445566778899aabbccddeeff"),
                  kTime, kTime, full_job()};
  const std::string text = text_of(claimed);
  EXPECT_TRUE(text.starts_with(
      R"({"execution_id":"123e4567-e89b-42d3-a456-426614174002",)"
      R"("lease_token":"00112233445566778899aabbccddeeff","lease_version":2,)"
      R"("lease_expires_at":"2030-01-02T03:04:05.006Z","deadline_at":"2030-01-02T03:04:05.006Z",)"
      R"("attempt":2,"previous_execution_id":"123e4567-e89b-42d3-a456-426614174001","job":{"id":)"))
      << text;
  EXPECT_EQ(text_of(read_back(claimed)), text);
  claimed.job.started_at = {};
  EXPECT_NE(
      read_answer<Claimed>(text_of(claimed)).error().message.find("job.started_at is missing"),
      std::string::npos);
}

TEST(WireAnswer, TellsAWorkerWhatItsCallDid) {
  const WorkAnswer answer{.status = ExecutionStatus::kDone,
                          .state = "SUCCEEDED",
                          .canonical_state = JobState::kCompleted,
                          .lease_expires_at = kTime,
                          .cancel_requested = true,
                          .staged = 3};
  const auto text = [&](CallKind kind) {
    std::string written;
    base::JsonWriter json(written);
    RowOutput out{json, Message::kAnswer};
    json.begin_object();
    write_members(out, kind, answer);
    json.end_object();
    return written;
  };
  EXPECT_EQ(text(CallKind::kAck),
            R"({"status":"DONE","state":"SUCCEEDED","canonical_state":"COMPLETED"})");
  EXPECT_EQ(text(CallKind::kHeartbeat),
            R"({"lease_expires_at":"2030-01-02T03:04:05.006Z","cancel_requested":true})");
  EXPECT_EQ(text(CallKind::kSpawn), R"({"staged":3})");
  EXPECT_EQ(read_answer<WorkAnswer>(text(CallKind::kSpawn))->staged, 3U);
}

TEST(WireAnswer, CarriesQueues) {
  Queue queue{.name = "q"};
  queue.counts.assign(kNames<JobState>.size(), 0);
  queue.counts[2] = 5;
  EXPECT_EQ(
      text_of(queue),
      R"({"name":"q","profile":"standard","retry":{"max_attempts":null,"strategy":null,)"
      R"("initial_ms":null,"multiplier":null,"max_ms":null,"jitter":null,"table_ms":null},)"
      R"("timeouts":{"execution_ms":null,"lease_ms":null,"lifetime_ms":null},"timeout_is":null,)"
      R"("system_is":null,"idempotency_window_ms":86400000,"max_payload_bytes":1048576,)"
      R"("max_pending":null,"max_running":null,"rate":null,)"
      R"("retention":{"completed_ms":2592000000,"failed_ms":7776000000},"guards":{},)"
      R"("paused":false,"draining":false,"counts":{"CREATED":0,"PENDING":5,"DELAYED":0,)"
      R"("SCHEDULED":0,"RUNNING":0,"RETRYING":0,"COMPLETED":0,"FAILED":0,"DEAD_LETTER":0,)"
      R"("CANCELLED":0,"REJECTED":0}})");
  queue.settings = {.profile = "commit",
                    .retry = {.max_attempts = 2, .table = {1s}},
                    .timeouts = {.lease = 1s},
                    .timeout_is = FailureIs::kTerminal,
                    .system_is = FailureIs::kTemporary,
                    .idempotency_window = 1s,
                    .max_payload_bytes = 5,
                    .max_pending = 6,
                    .max_running = 0,
                    .rate = RateLimit{2.5, 3},
                    .keep_completed = 1s,
                    .keep_failed = 2s,
                    .paused = true,
                    .draining = true};
  EXPECT_EQ(read_back(queue).settings, queue.settings);
  EXPECT_EQ(read_back(queue).counts, queue.counts);
  EXPECT_EQ(read_answer<Queue>(R"({"name":"q"})")->count(JobState::kRejected), 0);
  EXPECT_FALSE(read_answer<Queue>("{}"));
  EXPECT_EQ(read_answer<Stats>(R"({"live_jobs":2,"queues":[{"name":"q"}]})")->queues.size(), 1U);
  EXPECT_FALSE(read_answer<Stats>(R"({"queues":[]})"));
}

TEST(WireAnswer, CarriesAccounts) {
  const Account account{"a", Tier::kPro, {10, 1, 2, 7}, 3};
  EXPECT_EQ(text_of(account),
            R"({"id":"a","tier":"pro","available":1,"reserved":2,"captured":7,"granted":10,)"
            R"("active_jobs":3})");
  EXPECT_EQ(read_back(account), account);
  LedgerEntry entry{4, PostingKind::kCapture, 5, kJob, kTime, {.available = 1, .reserved = 2}};
  EXPECT_EQ(read_back(entry), entry);
  entry.job = {};
  EXPECT_EQ(text_of(entry),
            R"({"seq":4,"kind":"capture","amount":5,"job_id":null,)"
            R"("at":"2030-01-02T03:04:05.006Z","available_after":1,"reserved_after":2})");
}

TEST(WireBytes, PacksCheckpointsThatAreNoJson) {
  for (const std::string bytes : {"[1]", "\xff\x01", "", "plain text"}) {
    EXPECT_EQ(checkpoint_from_json(checkpoint_to_json(bytes)), bytes);
  }
  EXPECT_EQ(checkpoint_to_json("[1]"), "[1]");
}

}  // namespace
}  // namespace baton::wire
