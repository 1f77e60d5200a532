#include "api/encode.h"
#include "api/encode_parts.h"
#include "base/base64.h"
#include "json/flaw.h"

namespace baton::api {
namespace {

using base::JsonWriter;

bool is_json(std::string_view bytes, std::string_view content_type) {
  return content_type == "application/json" && !json::find_flaw(bytes);
}

// Bytes under `key` if they are JSON, else under `key_base64`. An embedding program may have stored
// anything.
struct BytesKeys {
  std::string_view json;
  std::string_view base64;
};

void write_bytes(JsonWriter& json, const BytesKeys& keys, std::string_view bytes,
                 std::string_view content_type) {
  const bool plain = is_json(bytes, content_type);
  json.key(keys.json);
  plain ? json.raw(bytes) : json.null();
  json.key(keys.base64);
  plain || bytes.empty() ? json.null() : json.string(base::encode_base64(bytes));
}

void write_nothing(JsonWriter& json, const BytesKeys& keys) {
  json.key(keys.json);
  json.null();
  json.key(keys.base64);
  json.null();
}

void write_retry(JsonWriter& json, const lifecycle::RetryPolicy& retry, bool brief) {
  json.begin_object();
  write_number(json, "max_attempts", retry.max_attempts);
  json.key("strategy");
  json.string(name(retry.strategy));
  write_ms(json, "initial_ms", retry.initial);
  json.key("multiplier");
  json.real(retry.multiplier);
  write_ms(json, "max_ms", retry.max);
  json.key("jitter");
  json.string(name(retry.jitter));
  write_table(json, brief ? std::vector<Duration>() : retry.table);
  json.end_object();
}

void write_dependencies(JsonWriter& json, const std::vector<Dependency>& specs) {
  json.begin_array();
  for (const Dependency& spec : specs) {
    json.begin_object();
    json.key("type");
    json.string(name(spec.type));
    json.key("jobs");
    json.begin_array();
    for (const std::string& id : spec.jobs)
      json.string(id);
    json.end_array();
    write_flag(json, "allow_failures", spec.allow_failures);
    json.end_object();
  }
  json.end_array();
}

void write_tags(JsonWriter& json, const std::vector<std::pair<std::string, std::string>>& tags) {
  json.begin_object();
  for (const auto& [name, value] : tags) {
    json.key(name);
    json.string(value);
  }
  json.end_object();
}

std::string_view key_mode(Idempotency mode) {
  switch (mode) {
    case Idempotency::kAuto:
      return "auto";
    case Idempotency::kNone:
      return "none";
    case Idempotency::kByProfile:
      break;
  }
  return {};
}

void write_state(JsonWriter& json, const lifecycle::JobFacts& facts) {
  json.key("profile");
  json.string(facts.terms->profile->name);
  json.key("state");
  json.string(facts.terms->profile->word(facts.state));
  json.key("canonical_state");
  json.string(name(facts.state));
  write_number(json, "attempt", facts.attempt);
  const int max_attempts = facts.terms->retry.max_attempts;
  write_number(json, "max_attempts", max_attempts);
  write_number(json, "retry_count", facts.retry_count);
  write_number(json, "max_retries", facts.terms->profile->max_retries(max_attempts));
}

void write_times(JsonWriter& json, const lifecycle::JobFacts& facts) {
  write_time(json, "created_at", facts.created_at);
  write_time(json, "updated_at", facts.updated_at);
  write_time(json, "scheduled_at", facts.scheduled_at);
  write_time(json, "run_at", facts.run_at);
  write_time(json, "started_at", facts.started_at);
  write_time(json, "completed_at", facts.completed_at);
}

void write_failure(JsonWriter& json, const store::JobRecord& record, bool brief) {
  const bool failed = record.last_failure.has_value() && !brief;
  write_text(json, "last_error", failed ? record.last_failure->message : std::string_view());
  write_text(json, "last_error_code", failed ? record.last_failure->code : std::string_view());
  write_text(json, "last_error_cause", failed ? record.last_failure->cause : std::string_view());
  write_word(json, "error_type", record.facts.error_type);
  write_word(json, "failure_category", record.facts.failure_category);
}

void write_progress(JsonWriter& json, const store::JobRecord& record, const JobForm& form) {
  json.key("progress");
  const int progress = record.facts.progress;
  progress == lifecycle::kNoProgress ? json.null() : json.number(progress);
  write_text(json, "progress_message", form.brief ? std::string_view() : record.progress_message);
  if (!form.included.checkpoint) return;
  json.key("checkpoint");
  json::find_flaw(record.checkpoint) ? json.null() : json.raw(record.checkpoint);
}

// What a client wrote into the submission to find the job by, or may change later.
void write_labels(JsonWriter& json, const store::JobRecord& record, bool brief) {
  const auto write = [&](std::string_view key, std::string_view text) {
    write_text(json, key, brief ? std::string_view() : text);
  };
  json.key("depends_on");
  brief ? json.null() : write_dependencies(json, record.spec->depends_on);
  json.key("tags");
  brief ? json.null() : write_tags(json, record.labels.tags);
  write("correlation_id", record.labels.correlation_id);
  write("callback_url", record.labels.callback_url);
  write("account", record.spec->account);
}

void write_submission(JsonWriter& json, const store::JobRecord& record, const JobForm& form) {
  const Submission& spec = *record.spec;
  const lifecycle::JobFacts& facts = record.facts;
  json.key("type");
  json.string(spec.type);
  json.key("queue");
  json.string(spec.queue);
  const BytesKeys payload{"payload", "payload_base64"};
  if (form.included.payload) {
    write_bytes(json, payload, spec.payload, spec.content_type);
  }
  json.key("content_type");
  json.string(spec.content_type);
  json.key("priority");
  json.string(name(facts.priority));
  write_ms(json, "delay_ms", spec.delay);
  write_text(json, "idempotency_key",
             form.brief ? std::string() : spec.idempotency_key.value_or(std::string()));
  write_text(json, "idempotency", key_mode(spec.idempotency));
  json.key("retry");
  write_retry(json, facts.terms->retry, form.brief);
  write_timeouts(json, *facts.terms);
  write_word(json, "timeout_is", std::optional(facts.terms->timeout_is));
  write_word(json, "system_is", std::optional(facts.terms->system_is));
  write_labels(json, record, form.brief);
  write_number(json, "cost", spec.cost);
  write_flag(json, "draft", spec.draft);
  write_text(json, "traceparent", form.brief ? std::string_view() : spec.traceparent);
  write_text(json, "ref", form.ref.empty() ? std::string_view(spec.ref) : form.ref);
}

}  // namespace

void write_result_members(JsonWriter& json, const store::JobRecord& record) {
  const BytesKeys keys{"result", "result_base64"};
  if (record.result) {
    write_bytes(json, keys, record.result->bytes, record.result->content_type);
  } else {
    write_nothing(json, keys);
  }
  write_text(json, "result_content_type",
             record.result ? record.result->content_type : std::string_view());
}

void write_job(JsonWriter& json, const store::JobRecord& record, Included included) {
  write_job_as(json, record, {.included = included});
}

void write_job_as(JsonWriter& json, const store::JobRecord& record, const JobForm& form) {
  const lifecycle::JobFacts& facts = record.facts;
  json.begin_object();
  write_id(json, "id", record.id);
  write_state(json, facts);
  write_submission(json, record, form);
  write_times(json, facts);
  write_failure(json, record, form.brief);
  write_progress(json, record, form);
  write_flag(json, "cancel_requested", facts.cancel_requested);
  if (form.included.result) write_result_members(json, record);
  write_text(json, "result_url", {});
  write_id(json, "parent_id", record.parent);
  write_id(json, "redriven_from", record.redriven_from);
  write_execution_id(json, "previous_execution_id", record.id, facts.attempt - 1);
  write_number(json, "version", facts.version);
  json.end_object();
}

void write_new_job(JsonWriter& json, const store::MadeJob& made,
                   const std::shared_ptr<const Submission>& spec, const JobForm& form) {
  store::JobRecord record;
  record.id = made.id;
  record.spec = spec;
  record.facts = made.facts;
  record.labels = {spec->tags, spec->correlation_id, spec->callback_url};
  write_job_as(json, record, form);
}

std::size_t shown_bytes(const store::JobRecord& record) {
  const std::size_t result = record.result ? record.result->bytes.size() : 0;
  // As base64, in case it is not JSON.
  return (record.spec->payload.size() + result) / 3 * 4 + 8 + record.checkpoint.size();
}

}  // namespace baton::api
