#include "api/decode.h"
#include "api/decode_parts.h"
#include "base/base64.h"
#include "base/parse_time.h"

namespace baton::api {
namespace {

using Retry;

constexpr Member<Retry> kRetry[] = {
    {"max_attempts", [](Reader& r, Retry& out) { out.max_attempts = read_int(r); }},
    {"strategy",
     [](Reader& r, Retry& out) {
       out.strategy = read_word<Strategy>(r);
       if (out.strategy == Strategy::kFunction) {
         r.refuse("may be a function only in a program that embeds the engine");
       }
     }},
    {"initial_ms", [](Reader& r, Retry& out) { out.initial = read_ms(r); }},
    {"multiplier", [](Reader& r, Retry& out) { out.multiplier = r.real(); }},
    {"max_ms", [](Reader& r, Retry& out) { out.max = read_ms(r); }},
    {"jitter", [](Reader& r, Retry& out) { out.jitter = read_word<Jitter>(r); }},
    {"table_ms",
     [](Reader& r, Retry& out) {
       r.elements([&] { out.table.push_back(read_ms(r)); });
       if (r.ok() && out.table.empty()) r.refuse("must have at least one entry");
     }},
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

void read_dependencies(Reader& reader, Submission& out) {
  const auto read_one = [&] {
    json::read_members<Dependency>(reader, out.depends_on.emplace_back(), kDependency);
  };
  if (reader.kind() == json::Kind::kArray) return reader.elements(read_one);
  if (reader.kind() == json::Kind::kObject) return read_one();
  reader.refuse("must be an object or an array of objects");
}

// Which of the members that exclude or need each other were there.
struct Reading {
  Submission job;
  bool payload = false;
  bool payload_base64 = false;
  bool content_type = false;
};

void read_payload_base64(Reader& reader, Reading& out) {
  out.payload_base64 = true;
  auto bytes = base::decode_base64(reader.string());
  if (!bytes) return reader.refuse("must be base64, with padding");
  out.job.payload = std::move(*bytes);
}

constexpr Member<Reading> kSubmission[] = {
    {"type", [](Reader& r, Reading& out) { out.job.type = r.string(); }},
    {"queue", [](Reader& r, Reading& out) { out.job.queue = r.string(); }},
    {"payload",
     [](Reader& r, Reading& out) {
       out.payload = true;
       out.job.payload = r.raw();
     },
     true},
    {"payload_base64", read_payload_base64},
    {"content_type",
     [](Reader& r, Reading& out) {
       out.content_type = true;
       out.job.content_type = r.string();
     }},
    {"priority", [](Reader& r, Reading& out) { out.job.priority = read_priority(r); }},
    {"delay_ms", [](Reader& r, Reading& out) { out.job.delay = read_ms(r); }},
    {"run_at", [](Reader& r, Reading& out) { out.job.run_at = read_time(r); }},
    {"idempotency_key", [](Reader& r, Reading& out) { out.job.idempotency_key = r.string(); }},
    {"idempotency",
     [](Reader& r, Reading& out) {
       const std::string word = r.string();
       if (word != "auto" && word != "none") return r.refuse("must be auto or none");
       out.job.idempotency = word == "auto" ? Idempotency::kAuto : Idempotency::kNone;
     }},
    {"retry", [](Reader& r, Reading& out) { read_retry(r, out.job.retry); }},
    {"timeouts", [](Reader& r, Reading& out) { read_timeouts(r, out.job.timeouts); }},
    {"timeout_is", [](Reader& r, Reading& out) { out.job.timeout_is = read_word<FailureIs>(r); }},
    {"system_is", [](Reader& r, Reading& out) { out.job.system_is = read_word<FailureIs>(r); }},
    {"depends_on", [](Reader& r, Reading& out) { read_dependencies(r, out.job); }},
    {"tags", [](Reader& r, Reading& out) { out.job.tags = read_tags(r); }},
    {"correlation_id", [](Reader& r, Reading& out) { out.job.correlation_id = r.string(); }},
    {"callback_url", [](Reader& r, Reading& out) { out.job.callback_url = r.string(); }},
    {"account", [](Reader& r, Reading& out) { out.job.account = r.string(); }},
    {"cost", [](Reader& r, Reading& out) { out.job.cost = r.integer(); }},
    {"draft", [](Reader& r, Reading& out) { out.job.draft = r.boolean(); }},
    {"traceparent", [](Reader& r, Reading& out) { out.job.traceparent = r.string(); }},
    {"ref", [](Reader& r, Reading& out) { out.job.ref = r.string(); }},
};

// What can be said only of all members together.
void check_together(Reader& reader, Reading& reading) {
  if (!reader.ok()) return;
  if (reading.job.type.empty()) return reader.refuse_member("type", "is required");
  if (reading.payload && reading.payload_base64) {
    return reader.refuse_member("payload_base64", "excludes payload");
  }
  if (reading.payload_base64 && !reading.content_type) {
    reading.job.content_type = "application/octet-stream";
  }
  if (reading.payload_base64) return;
  if (reading.job.content_type != "application/json") {
    return reader.refuse_member("content_type", "other than application/json needs payload_base64");
  }
  if (!reading.payload) reading.job.payload = "null";
}

struct Batch {
  store::SubmitBatch batch;
  bool jobs = false;
};

constexpr Member<Batch> kBatch[] = {
    {"jobs",
     [](Reader& r, Batch& out) {
       out.jobs = true;
       out.batch.jobs = read_submissions(r);
     }},
    {"atomic", [](Reader& r, Batch& out) { out.batch.atomic = r.boolean(); }},
    {"chain", [](Reader& r, Batch& out) { out.batch.chain = r.boolean(); }},
};

}  // namespace

Error missing(const std::string& field) {
  return {Code::kBadRequest, field + " is required", field, {}};
}

Time read_time(Reader& reader) {
  const auto time = base::parse_time(reader.string());
  if (!time) reader.refuse("must be a time like 2030-01-02T03:04:05Z");
  return time.value_or(Time{});
}

Priority read_priority(Reader& reader) {
  if (reader.kind() == json::Kind::kNumber) {
    return static_cast<Priority>(
        reader.integer({0, static_cast<std::int64_t>(lifecycle::kPriorityCount) - 1}));
  }
  return read_word<Priority>(reader);
}

std::vector<std::pair<std::string, std::string>> read_tags(Reader& reader) {
  std::vector<std::pair<std::string, std::string>> tags;
  reader.members([&](std::string_view name) {
    // More than are allowed are not compared: the store refuses them all.
    const bool twice =
        tags.size() <= lifecycle::kMaxTags &&
        std::any_of(tags.begin(), tags.end(), [&](const auto& tag) { return tag.first == name; });
    if (twice) return reader.refuse("is given twice");
    tags.emplace_back(std::string(name), reader.string());
  });
  return tags;
}

void read_retry(Reader& reader, Retry& out) {
  json::read_members<Retry>(reader, out, kRetry);
}

void read_timeouts(Reader& reader, Timeouts& out) {
  json::read_members<Timeouts>(reader, out, kTimeouts);
}

void read_submission(Reader& reader, Submission& out) {
  Reading reading;
  json::read_members<Reading>(reader, reading, kSubmission);
  check_together(reader, reading);
  out = std::move(reading.job);
}

std::vector<SubmissionPtr> read_submissions(Reader& reader) {
  std::vector<SubmissionPtr> all;
  reader.elements([&] {
    if (all.size() == lifecycle::kMaxBatch) {
      return reader.refuse("is more than the " + std::to_string(lifecycle::kMaxBatch) +
                           " that one call may bring");
    }
    auto job = std::make_shared<Submission>();
    read_submission(reader, *job);
    all.push_back(std::move(job));
  });
  return all;
}

Result<SubmissionPtr> decode_submission(std::string_view body) {
  auto job = std::make_shared<Submission>();
  Reader reader(body);
  read_submission(reader, *job);
  if (reader.ok() && !job->ref.empty()) reader.refuse_member("ref", "is for batches only");
  if (const Status status = reader.finish(); !status) return status.error();
  return SubmissionPtr(std::move(job));
}

Result<store::SubmitBatch> decode_batch(std::string_view body) {
  auto read = read_document<Batch>(body, kBatch);
  if (!read) return read.error();
  if (!read->jobs) return missing("jobs");
  return std::move(read->batch);
}

}  // namespace baton::api
