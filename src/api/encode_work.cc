#include "api/decode.h"
#include "api/encode.h"
#include "api/encode_parts.h"
#include "base/assert.h"

namespace baton::api {

using base::JsonWriter;

namespace {

void write_failure(JsonWriter& json, const std::optional<Failure>& failure) {
  json.key("failure");
  if (!failure) return json.null();
  json.begin_object();
  write_word(json, "category", std::optional(failure->category));
  write_text(json, "code", failure->code);
  write_text(json, "message", failure->message);
  write_text(json, "cause", failure->cause);
  json.end_object();
}

}  // namespace

void write_history(JsonWriter& json, const store::JobRecord& record,
                   const Page<std::int64_t>& page) {
  Pager pager(page);
  json.begin_object();
  json.key("history");
  json.begin_array();
  for (const HistoryEntry& entry : record.history) {
    if (!pager.shows(entry.seq)) continue;
    json.begin_object();
    write_number(json, "seq", entry.seq);
    write_text(json, "from", name(entry.from));
    json.key("to");
    json.string(name(entry.to));
    json.key("trigger");
    json.string(name(entry.trigger));
    write_time(json, "at", entry.at);
    write_execution_id(json, "execution_id", record.id, entry.attempt);
    json.key("actor");
    json.string(name(entry.actor));
    json.end_object();
  }
  json.end_array();
  pager.write_next_cursor(json);
  json.end_object();
}

void write_executions(JsonWriter& json, const store::JobRecord& record,
                      const Page<std::int64_t>& page) {
  Pager pager(page);
  json.begin_object();
  json.key("executions");
  json.begin_array();
  for (const store::ExecutionRecord& one : record.executions) {
    const lifecycle::ExecutionFacts& facts = one.facts;
    if (!pager.shows(facts.attempt)) continue;
    json.begin_object();
    write_execution_id(json, "execution_id", record.id, facts.attempt);
    write_id(json, "job_id", record.id);
    write_number(json, "attempt", facts.attempt);
    write_number(json, "lease_version", facts.attempt);
    json.key("status");
    json.string(name(facts.status));
    write_text(json, "worker", one.worker);
    write_execution_id(json, "previous_execution_id", record.id, facts.attempt - 1);
    write_time(json, "claimed_at", facts.claimed_at);
    write_time(json, "started_at", facts.started_at);
    write_time(json, "committed_at", facts.committed_at);
    write_time(json, "finished_at", facts.finished_at);
    write_time(json, "lease_expires_at", facts.lease_expires_at);
    write_time(json, "deadline_at", facts.deadline_at);
    write_failure(json, one.failure);
    const bool failed = one.failure.has_value();
    write_word(json, "failure_category",
               failed ? std::optional(one.failure->category) : std::nullopt);
    write_text(json, "error", failed ? one.failure->message : std::string_view());
    write_text(json, "error_code", failed ? one.failure->code : std::string_view());
    json.end_object();
  }
  json.end_array();
  pager.write_next_cursor(json);
  json.end_object();
}

void write_claimed(JsonWriter& json, const store::ClaimedJob& claimed, bool brief) {
  BATON_ASSERT(claimed.record != nullptr);
  const lifecycle::ExecutionFacts& execution = claimed.facts.execution;
  json.begin_object();
  json.key("execution_id");
  json.string(to_string(claimed.execution));
  json.key("lease_token");
  json.string(to_string(execution.token));
  write_number(json, "lease_version", execution.attempt);
  write_time(json, "lease_expires_at", execution.lease_expires_at);
  write_time(json, "deadline_at", execution.deadline_at);
  write_number(json, "attempt", execution.attempt);
  write_execution_id(json, "previous_execution_id", claimed.job, execution.attempt - 1);
  json.key("job");
  write_job_as(json, *claimed.record, {.brief = brief});
  json.end_object();
}

void write_status_members(JsonWriter& json, const store::CallAnswer& answer) {
  const lifecycle::JobFacts& facts = answer.facts;
  json.key("status");
  json.string(name(facts.execution.status));
  json.key("state");
  json.string(facts.terms->profile->word(facts.state));
  json.key("canonical_state");
  json.string(name(facts.state));
}

void write_heartbeat_members(JsonWriter& json, const store::CallAnswer& answer) {
  write_time(json, "lease_expires_at", answer.facts.execution.lease_expires_at);
  write_flag(json, "cancel_requested", answer.facts.cancel_requested);
}

void write_explanation(JsonWriter& json, const Explanation& explanation) {
  json.begin_object();
  write_id(json, "id", explanation.id);
  json.key("state");
  json.string(explanation.facts.terms->profile->word(explanation.facts.state));
  json.key("canonical_state");
  json.string(name(explanation.facts.state));
  json.key("code");
  json.string(explanation.code);
  json.key("explanation");
  json.string(explanation.sentence);
  write_time(json, "until", explanation.until);
  json.key("waits_for");
  json.begin_array();
  for (const JobId& id : explanation.waits_for)
    json.string(to_string(id));
  json.end_array();
  json.end_object();
}

}  // namespace baton::api
