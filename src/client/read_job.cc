#include "client/read_job.h"

#include <array>

#include "base/base64.h"
#include "client/values.h"
#include "json/flaw.h"

namespace baton::client {
namespace {

constexpr std::string_view kPacked = "{\"base64\":\"";
constexpr std::string_view kPackedEnd = "\"}";

constexpr Member<Retry> kRetry[] = {
    {"max_attempts", [](Reader& r, Retry& out) { out.max_attempts = read_int(r); }},
    {"strategy", [](Reader& r, Retry& out) { out.strategy = read_word<Strategy>(r); }},
    {"initial_ms", [](Reader& r, Retry& out) { out.initial = read_ms(r); }},
    {"multiplier", [](Reader& r, Retry& out) { out.multiplier = r.real(); }},
    {"max_ms", [](Reader& r, Retry& out) { out.max = read_ms(r); }},
    {"jitter", [](Reader& r, Retry& out) { out.jitter = read_word<Jitter>(r); }},
    {"table_ms",
     [](Reader& r, Retry& out) { r.elements([&] { out.table.push_back(read_ms(r)); }); }},
    {"function", [](Reader& r, Retry& out) { out.function = r.string(); }},
};

constexpr Member<Timeouts> kTimeouts[] = {
    {"execution_ms", [](Reader& r, Timeouts& out) { out.execution = read_ms(r); }},
    {"lease_ms", [](Reader& r, Timeouts& out) { out.lease = read_ms(r); }},
    {"lifetime_ms", [](Reader& r, Timeouts& out) { out.lifetime = read_ms(r); }},
};

constexpr Member<Dependency> kDependency[] = {
    {"type", [](Reader& r, Dependency& out) { out.type = read_word<DependencyType>(r); }},
    {"jobs", [](Reader& r, Dependency& out) { out.jobs = read_strings(r); }},
    {"allow_failures", [](Reader& r, Dependency& out) { out.allow_failures = r.boolean(); }},
};

// The parts of a failure are members of their own; the first one that comes makes it.
Failure& made(std::optional<Failure>& failure) { return failure ? *failure : failure.emplace(); }

void read_dependencies(Reader& reader, Submission& out) {
  const auto read_one = [&] {
    read_known<Dependency>(reader, out.depends_on.emplace_back(), kDependency);
  };
  if (reader.kind() == json::Kind::kObject) return read_one();
  reader.elements(read_one);
}

void read_tags(Reader& reader, Submission& out) {
  reader.members([&](std::string_view name) { out.tags[std::string(name)] = reader.string(); });
}

std::string read_base64(Reader& reader) {
  auto bytes = base::decode_base64(reader.string());
  if (!bytes) reader.refuse("must be base64");
  return bytes.value_or(std::string());
}

Idempotency read_idempotency(Reader& reader) {
  const std::string word = reader.string();
  if (word == "auto") return Idempotency::kAuto;
  return word == "none" ? Idempotency::kNone : Idempotency::kByProfile;
}

Outcome& result_of(Job& job) { return job.result ? *job.result : job.result.emplace(); }

// What a job has of its submission.
constexpr Member<Job> kSpec[] = {
    {"type", [](Reader& r, Job& out) { out.spec.type = r.string(); }},
    {"queue", [](Reader& r, Job& out) { out.spec.queue = r.string(); }},
    {"payload", [](Reader& r, Job& out) { out.spec.payload = r.raw(); }},
    {"payload_base64", [](Reader& r, Job& out) { out.spec.payload = read_base64(r); }},
    {"content_type", [](Reader& r, Job& out) { out.spec.content_type = r.string(); }},
    {"priority", [](Reader& r, Job& out) { out.spec.priority = read_word<Priority>(r); }},
    {"delay_ms", [](Reader& r, Job& out) { out.spec.delay = read_ms(r); }},
    {"idempotency_key", [](Reader& r, Job& out) { out.spec.idempotency_key = r.string(); }},
    {"idempotency", [](Reader& r, Job& out) { out.spec.idempotency = read_idempotency(r); }},
    {"retry", [](Reader& r, Job& out) { read_retry(r, out.spec.retry); }},
    {"timeouts", [](Reader& r, Job& out) { read_timeouts(r, out.spec.timeouts); }},
    {"timeout_is", [](Reader& r, Job& out) { out.spec.timeout_is = read_word<FailureIs>(r); }},
    {"system_is", [](Reader& r, Job& out) { out.spec.system_is = read_word<FailureIs>(r); }},
    {"depends_on", [](Reader& r, Job& out) { read_dependencies(r, out.spec); }},
    {"tags", [](Reader& r, Job& out) { read_tags(r, out.spec); }},
    {"correlation_id", [](Reader& r, Job& out) { out.spec.correlation_id = r.string(); }},
    {"callback_url", [](Reader& r, Job& out) { out.spec.callback_url = r.string(); }},
    {"account", [](Reader& r, Job& out) { out.spec.account = r.string(); }},
    {"cost", [](Reader& r, Job& out) { out.spec.cost = r.integer(); }},
    {"draft", [](Reader& r, Job& out) { out.spec.draft = r.boolean(); }},
    {"traceparent", [](Reader& r, Job& out) { out.spec.traceparent = r.string(); }},
};

// What it has besides.
constexpr Member<Job> kOwn[] = {
    {"id", [](Reader& r, Job& out) { out.id = r.string(); }},
    {"profile", [](Reader& r, Job& out) { out.profile = r.string(); }},
    {"state", [](Reader& r, Job& out) { out.state = r.string(); }},
    {"canonical_state", [](Reader& r, Job& out) { out.canonical_state = read_word<JobState>(r); }},
    {"attempt", [](Reader& r, Job& out) { out.attempt = read_int(r); }},
    {"max_attempts", [](Reader& r, Job& out) { out.max_attempts = read_int(r); }},
    {"retry_count", [](Reader& r, Job& out) { out.retry_count = read_int(r); }},
    {"max_retries", [](Reader& r, Job& out) { out.max_retries = read_int(r); }},
    {"created_at", [](Reader& r, Job& out) { out.created_at = read_time(r); }},
    {"updated_at", [](Reader& r, Job& out) { out.updated_at = read_time(r); }},
    {"scheduled_at", [](Reader& r, Job& out) { out.scheduled_at = read_time(r); }},
    {"run_at", [](Reader& r, Job& out) { out.run_at = read_time(r); }},
    {"started_at", [](Reader& r, Job& out) { out.started_at = read_time(r); }},
    {"completed_at", [](Reader& r, Job& out) { out.completed_at = read_time(r); }},
    {"last_error", [](Reader& r, Job& out) { made(out.last_error).message = r.string(); }},
    {"last_error_code", [](Reader& r, Job& out) { made(out.last_error).code = r.string(); }},
    {"last_error_cause", [](Reader& r, Job& out) { made(out.last_error).cause = r.string(); }},
    {"failure_category",
     [](Reader& r, Job& out) { made(out.last_error).category = read_word<FailureCategory>(r); }},
    {"error_type", [](Reader& r, Job& out) { out.error_type = read_word<ErrorType>(r); }},
    {"progress", [](Reader& r, Job& out) { out.progress = read_int(r); }},
    {"progress_message", [](Reader& r, Job& out) { out.progress_message = r.string(); }},
    {"checkpoint", [](Reader& r, Job& out) { out.checkpoint = checkpoint_from_json(r.raw()); }},
    {"cancel_requested", [](Reader& r, Job& out) { out.cancel_requested = r.boolean(); }},
    {"result", [](Reader& r, Job& out) { result_of(out).bytes = r.raw(); }},
    {"result_base64", [](Reader& r, Job& out) { result_of(out).bytes = read_base64(r); }},
    {"result_content_type", [](Reader& r, Job& out) { result_of(out).content_type = r.string(); }},
    {"parent_id", [](Reader& r, Job& out) { out.parent_id = r.string(); }},
    {"redriven_from", [](Reader& r, Job& out) { out.redriven_from = r.string(); }},
    {"previous_execution_id", [](Reader& r, Job& out) { out.previous_execution_id = r.string(); }},
    {"children", [](Reader& r, Job& out) { out.children = read_strings(r); }},
    {"version", [](Reader& r, Job& out) { out.version = r.integer(); }},
};

template <std::size_t A, std::size_t B>
constexpr std::array<Member<Job>, A + B> joined(const Member<Job> (&a)[A],
                                                const Member<Job> (&b)[B]) {
  std::array<Member<Job>, A + B> all{};
  std::copy(a, a + A, all.begin());
  std::copy(b, b + B, all.begin() + A);
  return all;
}
constexpr auto kJob = joined(kSpec, kOwn);

// The bit of a member among those that were there.
constexpr std::uint64_t bit_of(std::string_view name) {
  std::uint64_t bit = 1;
  for (const Member<Job>& member : kJob) {
    if (member.name == name) return bit;
    bit <<= 1U;
  }
  return 0;
}

// Bytes come as JSON or as base64. When both are null, there are none; unless they are JSON, which
// then is null itself.
void settle_null(std::string& bytes, const std::string& content_type) {
  if (bytes.empty() && content_type == "application/json") bytes = "null";
}

constexpr Member<HistoryEntry> kHistoryEntry[] = {
    {"seq", [](Reader& r, HistoryEntry& out) { out.seq = r.integer(); }},
    {"from", [](Reader& r, HistoryEntry& out) { out.from = read_word<JobState>(r); }},
    {"to", [](Reader& r, HistoryEntry& out) { out.to = read_word<JobState>(r); }},
    {"trigger", [](Reader& r, HistoryEntry& out) { out.trigger = read_word<Trigger>(r); }},
    {"at", [](Reader& r, HistoryEntry& out) { out.at = read_time(r); }},
    {"execution_id", [](Reader& r, HistoryEntry& out) { out.execution_id = r.string(); }},
    {"actor", [](Reader& r, HistoryEntry& out) { out.actor = read_word<Actor>(r); }},
};

constexpr Member<Execution> kExecution[] = {
    {"execution_id", [](Reader& r, Execution& out) { out.id = r.string(); }},
    {"job_id", [](Reader& r, Execution& out) { out.job_id = r.string(); }},
    {"attempt", [](Reader& r, Execution& out) { out.attempt = read_int(r); }},
    {"previous_execution_id",
     [](Reader& r, Execution& out) { out.previous_execution_id = r.string(); }},
    {"worker", [](Reader& r, Execution& out) { out.worker = r.string(); }},
    {"status", [](Reader& r, Execution& out) { out.status = read_word<ExecutionStatus>(r); }},
    {"claimed_at", [](Reader& r, Execution& out) { out.claimed_at = read_time(r); }},
    {"lease_expires_at", [](Reader& r, Execution& out) { out.lease_expires_at = read_time(r); }},
    {"deadline_at", [](Reader& r, Execution& out) { out.deadline_at = read_time(r); }},
    {"started_at", [](Reader& r, Execution& out) { out.started_at = read_time(r); }},
    {"committed_at", [](Reader& r, Execution& out) { out.committed_at = read_time(r); }},
    {"finished_at", [](Reader& r, Execution& out) { out.finished_at = read_time(r); }},
    {"failure_category",
     [](Reader& r, Execution& out) { made(out.failure).category = read_word<FailureCategory>(r); }},
    {"error", [](Reader& r, Execution& out) { made(out.failure).message = r.string(); }},
    {"error_code", [](Reader& r, Execution& out) { made(out.failure).code = r.string(); }},
};

constexpr Member<Explanation> kExplanation[] = {
    {"id", [](Reader& r, Explanation& out) { out.id = r.string(); }},
    {"state", [](Reader& r, Explanation& out) { out.state = r.string(); }},
    {"canonical_state",
     [](Reader& r, Explanation& out) { out.canonical_state = read_word<JobState>(r); }},
    {"code", [](Reader& r, Explanation& out) { out.code = r.string(); }},
    {"explanation", [](Reader& r, Explanation& out) { out.sentence = r.string(); }},
    {"until", [](Reader& r, Explanation& out) { out.until = read_time(r); }},
    {"waits_for", [](Reader& r, Explanation& out) { out.waits_for = read_strings(r); }},
};

}  // namespace

void read_job(Reader& reader, Job& out) {
  const std::uint64_t seen = json::read_members<Job>(reader, out, kJob, json::Unknown::kIgnored);
  need(reader, "id", !out.id.empty());
  need(reader, "canonical_state", out.canonical_state != JobState::kNone);
  // Lists leave payloads out.
  if ((seen & bit_of("payload")) != 0) settle_null(out.spec.payload, out.spec.content_type);
  if (out.result) settle_null(out.result->bytes, out.result->content_type);
}
void read_history_entry(Reader& reader, HistoryEntry& out) {
  read_known<HistoryEntry>(reader, out, kHistoryEntry);
}
void read_execution(Reader& reader, Execution& out) {
  read_known<Execution>(reader, out, kExecution);
}
void read_explanation(Reader& reader, Explanation& out) {
  read_known<Explanation>(reader, out, kExplanation);
  need(reader, "id", !out.id.empty());
}
void read_retry(Reader& reader, Retry& out) { read_known<Retry>(reader, out, kRetry); }
void read_timeouts(Reader& reader, Timeouts& out) { read_known<Timeouts>(reader, out, kTimeouts); }

std::string checkpoint_from_json(std::string json) {
  if (!json.starts_with(kPacked) || !json.ends_with(kPackedEnd)) return json;
  const auto bytes = base::decode_base64(std::string_view(json).substr(
      kPacked.size(), json.size() - kPacked.size() - kPackedEnd.size()));
  return bytes ? *bytes : json;
}

std::string checkpoint_to_json(const std::string& bytes) {
  if (!json::find_flaw(bytes)) return bytes;
  return std::string(kPacked) + base::encode_base64(bytes) + std::string(kPackedEnd);
}

}  // namespace baton::client
