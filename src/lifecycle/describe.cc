#include "lifecycle/describe.h"

#include "base/json_writer.h"
#include "baton/result.h"
#include "lifecycle/calls.h"
#include "lifecycle/dependency.h"
#include "lifecycle/ledger.h"
#include "lifecycle/limits.h"
#include "lifecycle/quota.h"

namespace baton::lifecycle {
namespace {

using base::JsonWriter;

// Rises when a member changes its meaning or goes; a new member does not count.
const std::int64_t kFormat = 1;

// Where a failure that ends the job leaves from.
JobState last_state_before_ending(const Policy& policy) {
  return policy.last_failure_retries ? JobState::kRetrying : JobState::kRunning;
}

bool has_both_ends(const Profile& profile, const Transition& row) {
  const bool begins = row.from == JobState::kNone;
  return (begins || profile.has(row.from)) && profile.has(row.to);
}

// Whether the policy takes a row whose two ends the profile has.
bool policy_takes(const Profile& profile, const Transition& row) {
  const Policy& policy = profile.policy;
  switch (row.trigger) {
    case Trigger::kCreate:
      return profile.has(JobState::kCreated) == (row.to == JobState::kCreated);
    case Trigger::kPermanent:
      return row.to == policy.permanent && row.from == last_state_before_ending(policy);
    case Trigger::kExhausted:
      return row.to == policy.exhausted && row.from == last_state_before_ending(policy);
    case Trigger::kLifetime:
      return row.to == policy.exhausted;
    default:
      return true;
  }
}

void member(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  json.string(text);
}

void member(JsonWriter& json, std::string_view key, bool value) {
  json.key(key);
  json.boolean(value);
}

void member(JsonWriter& json, std::string_view key, std::int64_t value) {
  json.key(key);
  json.number(value);
}

void state_member(JsonWriter& json, std::string_view key, JobState state) {
  json.key(key);
  if (state == JobState::kNone) {
    json.null();
  } else {
    json.string(name(state));
  }
}

// One row of a table on one line: `write` fills an object.
template <class Write>
void line(JsonWriter& json, Write write) {
  std::string row;
  JsonWriter compact(row);
  compact.begin_object();
  write(compact);
  compact.end_object();
  json.raw(row);
}

void write_words(JsonWriter& json, const Profile& profile) {
  json.begin_object();
  for (std::size_t i = 1; i < kJobStateCount; ++i) {
    const auto state = static_cast<JobState>(i);
    json.key(name(state));
    if (profile.has(state)) {
      json.string(profile.word(state));
    } else {
      json.null();
    }
  }
  json.end_object();
}

void write_retry(JsonWriter& json, const RetryPolicy& retry) {
  json.begin_object();
  member(json, "max_attempts", std::int64_t{retry.max_attempts});
  member(json, "strategy", name(retry.strategy));
  member(json, "initial_ms", retry.initial.ms);
  json.key("multiplier");
  json.real(retry.multiplier);
  member(json, "max_ms", retry.max.ms);
  member(json, "jitter", name(retry.jitter));
  json.end_object();
}

void write_policy(JsonWriter& json, const Profile& profile) {
  const Policy& policy = profile.policy;
  json.begin_object();
  state_member(json, "exhausted", policy.exhausted);
  state_member(json, "permanent", policy.permanent);
  json.key("retry");
  write_retry(json, policy.retry);
  member(json, "max_retries", std::int64_t{profile.max_retries(policy.retry.max_attempts)});
  member(json, "lost_lease_wait_ms", policy.lost_lease_wait.ms);
  member(json, "free_releases", std::int64_t{policy.free_releases});
  member(json, "lease_ms", policy.lease.ms);
  member(json, "execution_ms", policy.execution.ms);
  member(json, "lifetime_ms", policy.lifetime.ms);
  member(json, "retry_pinned", policy.retry_pinned);
  member(json, "last_failure_retries", policy.last_failure_retries);
  member(json, "key_default", name(policy.key_default));
  member(json, "failed_frees_key", policy.failed_frees_key);
  member(json, "quota", policy.quota);
  json.end_object();
}

void write_step(JsonWriter& json, const Transition& row) {
  state_member(json, "from", row.from);
  state_member(json, "to", row.to);
  member(json, "trigger", name(row.trigger));
}

void write_profile(JsonWriter& json, const Profile& profile) {
  json.begin_object();
  member(json, "name", profile.name);
  member(json, "summary", profile.summary);
  member(json, "default", &profile == &default_profile());
  json.key("words");
  write_words(json, profile);
  json.key("policy");
  write_policy(json, profile);
  json.key("transitions");
  json.begin_array();
  for (const Transition& row : reachable_transitions(profile)) {
    line(json, [&](JsonWriter& out) { write_step(out, row); });
  }
  json.end_array();
  json.end_object();
}

void write_states(JsonWriter& json) {
  json.begin_array();
  for (std::size_t i = 1; i < kJobStateCount; ++i) {
    const auto state = static_cast<JobState>(i);
    line(json, [&](JsonWriter& out) {
      member(out, "name", name(state));
      member(out, "terminal", is_terminal(state));
      member(out, "waiting", is_waiting(state));
    });
  }
  json.end_array();
}

void write_transitions(JsonWriter& json) {
  json.begin_array();
  for (const Transition& row : transitions()) {
    line(json, [&](JsonWriter& out) {
      write_step(out, row);
      member(out, "label", row.label);
    });
  }
  json.end_array();
}

void write_calls(JsonWriter& json) {
  json.begin_array();
  for (const CallRow& row : call_table()) {
    line(json, [&](JsonWriter& out) {
      member(out, "call", name(row.call));
      member(out, "status", name(row.status));
      member(out, "outcome", name(row.outcome));
    });
  }
  json.end_array();
}

struct Limit {
  std::string_view name;
  std::int64_t value;
};

// What a length counts, and the unit of every other limit, is the end of its name.
const Limit kLimits[] = {
    {"max_type_bytes", kMaxTypeLength},
    {"max_queue_bytes", kMaxQueueLength},
    {"max_idempotency_key_characters", kMaxKeyLength},
    {"max_tags", kMaxTags},
    {"max_tag_key_bytes", kMaxTagKeyLength},
    {"max_tag_value_bytes", kMaxTagValueLength},
    {"max_correlation_id_bytes", kMaxCorrelationLength},
    {"max_callback_url_bytes", kMaxCallbackLength},
    {"max_account_bytes", kMaxAccountLength},
    {"max_traceparent_bytes", kMaxTraceparentLength},
    {"max_content_type_bytes", kMaxContentTypeLength},
    {"max_worker_bytes", kMaxWorkerLength},
    {"max_failure_code_bytes", kMaxFailureCodeLength},
    {"max_failure_text_bytes", kMaxFailureTextLength},
    {"default_payload_bytes", kDefaultPayloadBytes},
    {"max_payload_bytes", kMaxPayloadBytes},
    {"max_attempts", kMaxAttempts},
    {"max_table_entries", kMaxTableEntries},
    {"min_multiplier", static_cast<std::int64_t>(kMinMultiplier)},
    {"max_multiplier", static_cast<std::int64_t>(kMaxMultiplier)},
    {"max_delay_ms", kMaxDelay.ms},
    {"min_lease_ms", kMinLease.ms},
    {"max_lease_ms", kMaxLease.ms},
    {"min_timeout_ms", kMinTimeout.ms},
    {"max_dependencies", kMaxDependencies},
    {"max_depth", kMaxDepth},
    {"max_batch", kMaxBatch},
    {"max_amount", kMaxAmount},
};

void write_limits(JsonWriter& json) {
  json.begin_object();
  for (const Limit& limit : kLimits)
    member(json, limit.name, limit.value);
  json.end_object();
}

void write_tiers(JsonWriter& json) {
  json.begin_array();
  for (std::size_t i = 0; i < kNames<Tier>.size(); ++i) {
    const auto tier = static_cast<Tier>(i);
    line(json, [&](JsonWriter& out) {
      member(out, "name", name(tier));
      member(out, "max_active", std::int64_t{tier_limit(tier)});
      member(out, "max_per_hour", std::int64_t{tier_limit(tier)});
    });
  }
  json.end_array();
}

// The names of an enum in the order of its values; an empty name stands for "none" and is left out.
template <class Enum>
void write_enum(JsonWriter& json, std::string_view key) {
  json.key(key);
  json.begin_array();
  for (const std::string_view word : kNames<Enum>) {
    if (!word.empty()) json.string(word);
  }
  json.end_array();
}

void write_enums(JsonWriter& json) {
  json.begin_object();
  write_enum<JobState>(json, "job_state");
  write_enum<ExecutionStatus>(json, "execution_status");
  write_enum<FailureCategory>(json, "failure_category");
  write_enum<ErrorType>(json, "error_type");
  write_enum<FailureIs>(json, "failure_is");
  write_enum<Priority>(json, "priority");
  write_enum<Actor>(json, "actor");
  write_enum<Trigger>(json, "trigger");
  write_enum<Strategy>(json, "strategy");
  write_enum<Jitter>(json, "jitter");
  write_enum<KeyDefault>(json, "key_default");
  write_enum<DependencyType>(json, "dependency_type");
  write_enum<CallKind>(json, "call");
  write_enum<CallOutcome>(json, "call_outcome");
  write_enum<Tier>(json, "tier");
  write_enum<PostingKind>(json, "posting");
  write_enum<Code>(json, "error_code");
  json.end_object();
}

}  // namespace

std::vector<Transition> reachable_transitions(const Profile& profile) {
  std::vector<Transition> rows;
  for (const Transition& row : transitions()) {
    if (has_both_ends(profile, row) && policy_takes(profile, row)) rows.push_back(row);
  }
  return rows;
}

void describe_json(std::string& out) {
  JsonWriter json(out, JsonWriter::Layout::kPretty);
  json.begin_object();
  member(json, "format", kFormat);
  json.key("profiles");
  json.begin_array();
  for (const Profile* profile : all_profiles())
    write_profile(json, *profile);
  json.end_array();
  json.key("states");
  write_states(json);
  json.key("transitions");
  write_transitions(json);
  json.key("calls");
  write_calls(json);
  json.key("limits");
  write_limits(json);
  json.key("tiers");
  write_tiers(json);
  json.key("enums");
  write_enums(json);
  json.end_object();
  out.push_back('\n');
}

}  // namespace baton::lifecycle
