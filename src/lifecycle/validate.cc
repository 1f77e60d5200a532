#include "lifecycle/validate.h"

#include <cmath>
#include <optional>
#include <string>

#include "base/utf8.h"
#include "lifecycle/failures.h"
#include "lifecycle/limits.h"
#include "lifecycle/text.h"

namespace baton::lifecycle {
namespace {

// A check gives nothing, or the refusal.
using Refusal = std::optional<Error>;

Error invalid(std::string field, const std::string& message) {
  return {Code::kInvalidJob, field + " " + message, std::move(field), {}};
}

// The first refusal of a list of checks.
Refusal first_of(std::initializer_list<Refusal> checks) {
  for (const Refusal& refusal : checks) {
    if (refusal) return refusal;
  }
  return std::nullopt;
}

Refusal check_length(const char* field, std::string_view text, std::size_t max) {
  if (text.size() <= max) return std::nullopt;
  return invalid(field, "must have at most " + std::to_string(max) + " bytes");
}

Refusal check_bytes(const char* field, std::string_view bytes, std::size_t max) {
  if (bytes.size() <= max) return std::nullopt;
  return Error{Code::kPayloadTooLarge,
               std::string(field) + " must have at most " + std::to_string(max) + " bytes",
               field,
               {}};
}

Refusal check_name(const char* field, std::string_view text, std::size_t max) {
  if (text.empty()) return invalid(field, "must not be empty");
  if (!is_plain_name(text)) {
    return invalid(field, "may have only letters, digits and the characters . _ : / -");
  }
  return check_length(field, text, max);
}

Refusal check_duration(const char* field, std::optional<Duration> value, Duration min,
                       Duration max) {
  if (!value || (*value >= min && *value <= max)) return std::nullopt;
  return invalid(field, "must be from " + std::to_string(min.ms) + " to " + std::to_string(max.ms) +
                            " milliseconds");
}

Refusal check_delay(const char* field, std::optional<Duration> value) {
  return check_duration(field, value, Duration{}, kMaxDelay);
}

Refusal check_attempts(std::optional<int> attempts) {
  if (!attempts || (*attempts >= 1 && *attempts <= kMaxAttempts)) return std::nullopt;
  return invalid("retry.max_attempts", "must be from 1 to " + std::to_string(kMaxAttempts));
}

Refusal check_multiplier(std::optional<double> multiplier) {
  if (!multiplier) return std::nullopt;
  if (*multiplier >= kMinMultiplier && *multiplier <= kMaxMultiplier) return std::nullopt;
  return invalid("retry.multiplier", "must be from 1 to 100");
}

Refusal check_table(const std::vector<Duration>& table) {
  if (table.size() > kMaxTableEntries) {
    return invalid("retry.table_ms",
                   "must have at most " + std::to_string(kMaxTableEntries) + " entries");
  }
  for (const Duration delay : table) {
    if (Refusal refusal = check_delay("retry.table_ms", delay)) return refusal;
  }
  return std::nullopt;
}

Refusal check_retry(const Retry& retry) {
  return first_of({check_attempts(retry.max_attempts),
                   check_delay("retry.initial_ms", retry.initial),
                   check_multiplier(retry.multiplier), check_delay("retry.max_ms", retry.max),
                   check_table(retry.table)});
}

Refusal check_timeouts(const Timeouts& timeouts) {
  return first_of(
      {check_duration("timeouts.execution_ms", timeouts.execution, kMinTimeout, kMaxDelay),
       check_duration("timeouts.lease_ms", timeouts.lease, kMinLease, kMaxLease),
       check_duration("timeouts.lifetime_ms", timeouts.lifetime, kMinTimeout, kMaxDelay)});
}

// Settings that a profile with a fixed backoff does not take.
Refusal check_pinned(const Profile& profile, const Retry& retry) {
  if (!profile.policy.retry_pinned || retry == Retry{}) return std::nullopt;
  return Error{Code::kNotInProfile,
               "profile " + std::string(profile.name) + " has fixed retry settings",
               "retry",
               {}};
}

Refusal check_draft(const Submission& submission, const Profile& profile) {
  if (!submission.draft || profile.has(JobState::kCreated)) return std::nullopt;
  return Error{
      Code::kNotInProfile, "profile " + std::string(profile.name) + " has no drafts", "draft", {}};
}

Refusal check_times(const Submission& submission) {
  if (submission.delay && submission.run_at) {
    return invalid("run_at", "and delay_ms must not both be given");
  }
  return check_delay("delay_ms", submission.delay);
}

Refusal check_key_text(const char* field, std::string_view key) {
  if (key.empty()) return invalid(field, "must not be empty");
  if (base::character_count(key) <= kMaxKeyLength) return std::nullopt;
  return invalid(field, "must have at most " + std::to_string(kMaxKeyLength) + " characters");
}

Refusal check_key(const Submission& submission) {
  if (!submission.idempotency_key) return std::nullopt;
  if (submission.idempotency != Idempotency::kByProfile) {
    return invalid("idempotency_key", "and idempotency must not both be given");
  }
  return check_key_text("idempotency_key", *submission.idempotency_key);
}

Refusal check_unique(const Submission& submission) {
  if (!submission.unique) return std::nullopt;
  return check_key_text("unique.key", submission.unique->key);
}

Refusal check_tags(const Submission& submission) {
  if (submission.tags.size() > kMaxTags) {
    return invalid("tags", "must have at most " + std::to_string(kMaxTags) + " entries");
  }
  for (const auto& [key, value] : submission.tags) {
    if (key.empty()) return invalid("tags", "must not have an empty key");
    if (key.size() > kMaxTagKeyLength) {
      return invalid("tags",
                     "keys must have at most " + std::to_string(kMaxTagKeyLength) + " bytes");
    }
    if (value.size() > kMaxTagValueLength) {
      return invalid("tags",
                     "values must have at most " + std::to_string(kMaxTagValueLength) + " bytes");
    }
  }
  return std::nullopt;
}

Refusal check_callback(std::string_view url) {
  if (url.empty()) return std::nullopt;
  if (!is_http_url(url)) return invalid("callback_url", "must be an http or https address");
  return check_length("callback_url", url, kMaxCallbackLength);
}

Refusal check_cost(const Submission& submission) {
  if (!submission.cost) return std::nullopt;
  if (*submission.cost < 0 || *submission.cost > kMaxAmount) {
    return invalid("cost", "must be from 0 to " + std::to_string(kMaxAmount));
  }
  if (*submission.cost > 0 && submission.account.empty()) {
    return invalid("account", "must be given with a cost");
  }
  return std::nullopt;
}

Refusal check_dependencies(const Submission& submission) {
  std::size_t count = 0;
  for (const Dependency& spec : submission.depends_on) {
    if (spec.jobs.empty()) return invalid("depends_on.jobs", "must name at least one job");
    if (spec.allow_failures && spec.type != DependencyType::kFanIn) {
      return invalid("depends_on.allow_failures", "is for FAN_IN only");
    }
    count += spec.jobs.size();
  }
  if (count <= kMaxDependencies) return std::nullopt;
  return Error{Code::kDependencyTooWide,
               "depends_on must name at most " + std::to_string(kMaxDependencies) + " jobs",
               "depends_on",
               {}};
}

Refusal check_payload(const Submission& submission, const QueueSettings& queue) {
  if (submission.payload.size() <= queue.max_payload_bytes) return std::nullopt;
  return Error{Code::kPayloadTooLarge,
               "payload must have at most " + std::to_string(queue.max_payload_bytes) + " bytes",
               "payload",
               {}};
}

Refusal check_texts(const Submission& submission) {
  return first_of({
      check_name("type", submission.type, kMaxTypeLength),
      check_name("queue", submission.queue, kMaxQueueLength),
      check_length("content_type", submission.content_type, kMaxContentTypeLength),
      check_length("correlation_id", submission.correlation_id, kMaxCorrelationLength),
      check_callback(submission.callback_url),
      check_length("account", submission.account, kMaxAccountLength),
      check_length("traceparent", submission.traceparent, kMaxTraceparentLength),
      check_tags(submission),
  });
}

void merge(RetryPolicy& policy, const Retry& over) {
  policy.max_attempts = over.max_attempts.value_or(policy.max_attempts);
  policy.strategy = over.strategy.value_or(policy.strategy);
  policy.initial = over.initial.value_or(policy.initial);
  policy.multiplier = over.multiplier.value_or(policy.multiplier);
  policy.max = over.max.value_or(policy.max);
  policy.jitter = over.jitter.value_or(policy.jitter);
  if (!over.table.empty()) policy.table = over.table;
  if (!over.function.empty()) policy.function_name = over.function;
}

void merge(Terms& terms, const Timeouts& over) {
  terms.execution = over.execution.value_or(terms.execution);
  terms.lease = over.lease.value_or(terms.lease);
  terms.lifetime = over.lifetime.value_or(terms.lifetime);
}

Terms queue_terms(const QueueSettings& queue) {
  const Profile& profile = profile_of(queue);
  const Policy& policy = profile.policy;
  Terms terms;
  terms.profile = &profile;
  terms.retry = policy.retry;
  terms.execution = policy.execution;
  terms.lease = policy.lease;
  terms.lifetime = policy.lifetime;
  merge(terms.retry, queue.retry);
  merge(terms, queue.timeouts);
  terms.timeout_is = queue.timeout_is.value_or(FailureIs::kTemporary);
  terms.system_is = queue.system_is.value_or(FailureIs::kTemporary);
  return terms;
}

// What can be judged only once the settings of all levels are put together.
Refusal check_terms(Terms& terms, Duration execution_ceiling, const BackoffFunctions& functions) {
  if (terms.execution > execution_ceiling) {
    return invalid(
        "timeouts.execution_ms",
        "must be at most the queue's " + std::to_string(execution_ceiling.ms) + " milliseconds");
  }
  if (terms.retry.strategy == Strategy::kTable && terms.retry.table.empty()) {
    return invalid("retry.table_ms", "must be given for the strategy table");
  }
  terms.retry.function = find_function(functions, terms.retry.function_name);
  const bool named =
      !terms.retry.function_name.empty() || terms.retry.strategy == Strategy::kFunction;
  if (named && terms.retry.function == nullptr) {
    return invalid("retry.strategy", "names a function that is not registered");
  }
  return std::nullopt;
}

Status status(const Refusal& refusal) {
  if (refusal) return *refusal;
  return Ok{};
}

}  // namespace

Result<Terms> accept(const Submission& submission, const QueueSettings& queue,
                     const BackoffFunctions& functions) {
  const Profile& profile = profile_of(queue);
  const Refusal refusal = first_of({
      check_texts(submission),
      check_payload(submission, queue),
      check_draft(submission, profile),
      check_pinned(profile, submission.retry),
      check_times(submission),
      check_key(submission),
      check_unique(submission),
      check_retry(submission.retry),
      check_timeouts(submission.timeouts),
      check_dependencies(submission),
      check_cost(submission),
  });
  if (refusal) return *refusal;
  Terms terms = queue_terms(queue);
  const Duration ceiling = terms.execution;
  merge(terms.retry, submission.retry);
  merge(terms, submission.timeouts);
  terms.timeout_is = submission.timeout_is.value_or(terms.timeout_is);
  terms.system_is = submission.system_is.value_or(terms.system_is);
  if (const Refusal wrong = check_terms(terms, ceiling, functions)) return *wrong;
  return terms;
}

Error beyond_lifetime(const Terms& terms, std::string field) {
  return invalid(std::move(field), "must end before the job's lifetime of " +
                                       std::to_string(terms.lifetime.ms) + " milliseconds does");
}

Status check_time_to_run(const Submission& submission, const Terms& terms, Time now) {
  if (submission.delay && *submission.delay >= terms.lifetime) {
    return beyond_lifetime(terms, "delay_ms");
  }
  if (submission.run_at && *submission.run_at >= now + terms.lifetime) {
    return beyond_lifetime(terms, "run_at");
  }
  return Ok{};
}

Status check_queue(const QueueSettings& queue, const BackoffFunctions& functions) {
  Terms terms = queue_terms(queue);
  Refusal limits;
  if (queue.max_payload_bytes < 1 || queue.max_payload_bytes > kMaxPayloadBytes) {
    limits = invalid("max_payload_bytes", "must be from 1 to " + std::to_string(kMaxPayloadBytes));
  } else if (queue.max_pending && *queue.max_pending < 0) {
    limits = invalid("max_pending", "must not be negative");
  } else if (queue.max_running && *queue.max_running < 0) {
    limits = invalid("max_running", "must not be negative");
  } else if (queue.rate && !(queue.rate->per_second >= 0.001 && queue.rate->per_second <= 1e6)) {
    limits = invalid("rate.per_second", "must be from 0.001 to 1000000");
  } else if (queue.rate && (queue.rate->burst < 1 || queue.rate->burst > 1'000'000)) {
    limits = invalid("rate.burst", "must be from 1 to 1000000");
  }
  return status(first_of({
      check_pinned(*terms.profile, queue.retry),
      check_retry(queue.retry),
      check_timeouts(queue.timeouts),
      check_terms(terms, terms.execution, functions),
      check_duration("idempotency_window_ms", queue.idempotency_window, kMinTimeout, kMaxDelay),
      check_duration("retention.completed_ms", queue.keep_completed, Duration{}, base::days(3660)),
      check_duration("retention.failed_ms", queue.keep_failed, Duration{}, base::days(3660)),
      limits,
  }));
}

Status check_queue_name(std::string_view name) {
  return status(check_name("queue", name, kMaxQueueLength));
}

Status check_failure(const FailureView& failure) {
  if (failure.category == FailureCategory::kPermanent && failure.code.empty()) {
    return invalid("code", "must be given for a PERMANENT failure");
  }
  if (is_release(failure.category, failure.code)) {
    return invalid("code", "must not be \"released\", which is what a release says");
  }
  return status(first_of({check_length("code", failure.code, kMaxFailureCodeLength),
                          check_length("message", failure.message, kMaxFailureTextLength),
                          check_length("cause", failure.cause, kMaxFailureTextLength)}));
}

Status check_message(std::string_view message) {
  return status(check_length("message", message, kMaxMessageLength));
}

Status check_reason(std::string_view reason) {
  return status(check_length("reason", reason, kMaxReasonLength));
}

Status check_checkpoint(std::string_view checkpoint) {
  return status(check_bytes("checkpoint", checkpoint, kMaxCheckpointBytes));
}

Status check_result(std::string_view bytes, std::string_view content_type) {
  return status(
      first_of({check_bytes("result", bytes, kMaxResultBytes),
                check_length("result_content_type", content_type, kMaxContentTypeLength)}));
}

Status check_retry_after(Duration retry_after) {
  return status(check_delay("retry_after_ms", retry_after));
}

Status check_release_delay(Duration delay) { return status(check_delay("delay_ms", delay)); }

Status check_lease(Duration lease, const char* field) {
  return status(check_duration(field, lease, kMinLease, kMaxLease));
}

}  // namespace baton::lifecycle
