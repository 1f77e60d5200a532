#include "client/write_submission.h"

#include "base/base64.h"
#include "base/time.h"
#include "json/flaw.h"

namespace baton::client {
namespace {

using base::JsonWriter;

void write_text(JsonWriter& json, std::string_view key, const std::string& text) {
  if (text.empty()) return;
  json.key(key);
  json.string(text);
}

void write_ms(JsonWriter& json, std::string_view key, const std::optional<Duration>& duration) {
  if (!duration) return;
  json.key(key);
  json.number(duration->ms);
}

template <class Enum>
void write_word(JsonWriter& json, std::string_view key, const std::optional<Enum>& word) {
  if (!word) return;
  json.key(key);
  json.string(name(*word));
}

void write_dependencies(JsonWriter& json, const std::vector<Dependency>& all) {
  if (all.empty()) return;
  json.key("depends_on");
  json.begin_array();
  for (const Dependency& each : all) {
    json.begin_object();
    json.key("type");
    json.string(name(each.type));
    json.key("jobs");
    json.begin_array();
    for (const std::string& job : each.jobs)
      json.string(job);
    json.end_array();
    if (each.allow_failures) {
      json.key("allow_failures");
      json.boolean(true);
    }
    json.end_object();
  }
  json.end_array();
}

void write_idempotency(JsonWriter& json, const Submission& job) {
  if (job.idempotency_key) {
    json.key("idempotency_key");
    json.string(*job.idempotency_key);
  }
  if (job.idempotency == Idempotency::kByProfile) return;
  json.key("idempotency");
  json.string(job.idempotency == Idempotency::kAuto ? "auto" : "none");
}

void write_times(JsonWriter& json, const Submission& job) {
  write_ms(json, "delay_ms", job.delay);
  if (!job.run_at) return;
  json.key("run_at");
  json.string(base::format_time(*job.run_at));
}

void write_rules(JsonWriter& json, const Submission& job) {
  if (job.retry != Retry{}) {
    json.key("retry");
    write_retry(json, job.retry);
  }
  if (job.timeouts != Timeouts{}) {
    json.key("timeouts");
    write_timeouts(json, job.timeouts);
  }
  write_word(json, "timeout_is", job.timeout_is);
  write_word(json, "system_is", job.system_is);
  write_dependencies(json, job.depends_on);
}

}  // namespace

void write_retry(JsonWriter& json, const Retry& retry) {
  json.begin_object();
  if (retry.max_attempts) {
    json.key("max_attempts");
    json.number(*retry.max_attempts);
  }
  write_word(json, "strategy", retry.strategy);
  write_ms(json, "initial_ms", retry.initial);
  if (retry.multiplier) {
    json.key("multiplier");
    json.real(*retry.multiplier);
  }
  write_ms(json, "max_ms", retry.max);
  write_word(json, "jitter", retry.jitter);
  if (!retry.table.empty()) {
    json.key("table_ms");
    json.begin_array();
    for (const Duration& each : retry.table)
      json.number(each.ms);
    json.end_array();
  }
  json.end_object();
}

void write_timeouts(JsonWriter& json, const Timeouts& timeouts) {
  json.begin_object();
  write_ms(json, "execution_ms", timeouts.execution);
  write_ms(json, "lease_ms", timeouts.lease);
  write_ms(json, "lifetime_ms", timeouts.lifetime);
  json.end_object();
}

void write_tags(JsonWriter& json, const Tags& tags) {
  json.begin_object();
  for (const auto& [key, value] : tags) {
    json.key(key);
    json.string(value);
  }
  json.end_object();
}

void write_bytes(JsonWriter& json, const BytesNames& names, const Outcome& content) {
  if (content.content_type == "application/json" && !json::find_flaw(content.bytes)) {
    json.key(names.json);
    json.raw(content.bytes);
    return;
  }
  json.key(names.base64);
  json.string(base::encode_base64(content.bytes));
  json.key(names.type);
  json.string(content.content_type);
}

void write_submission(JsonWriter& json, const Submission& job) {
  json.begin_object();
  json.key("type");
  json.string(job.type);
  json.key("queue");
  json.string(job.queue);
  if (!job.payload.empty() || job.content_type != "application/json") {
    write_bytes(json, {"payload", "payload_base64", "content_type"},
                {.bytes = job.payload, .content_type = job.content_type});
  }
  if (job.priority != Priority::kNormal) {
    json.key("priority");
    json.string(name(job.priority));
  }
  write_times(json, job);
  write_idempotency(json, job);
  write_rules(json, job);
  if (!job.tags.empty()) {
    json.key("tags");
    write_tags(json, job.tags);
  }
  write_text(json, "correlation_id", job.correlation_id);
  write_text(json, "callback_url", job.callback_url);
  write_text(json, "account", job.account);
  if (job.cost) {
    json.key("cost");
    json.number(*job.cost);
  }
  if (job.draft) {
    json.key("draft");
    json.boolean(true);
  }
  write_text(json, "traceparent", job.traceparent);
  write_text(json, "ref", job.ref);
  json.end_object();
}

}  // namespace baton::client
