// What a client hands in to have a job made, after parsing and before validation; and the settings
// of a queue that stand behind it. Unset means: inherit, in the order job, queue, profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baton/queue.h"
#include "lifecycle/dependency.h"
#include "lifecycle/job.h"
#include "lifecycle/limits.h"

namespace baton::lifecycle {

struct Retry {
  std::optional<int> max_attempts;
  std::optional<Strategy> strategy;
  std::optional<Duration> initial;
  std::optional<double> multiplier;
  std::optional<Duration> max;
  std::optional<Jitter> jitter;
  std::vector<Duration> table;  // empty: unset
  std::string function_name;    // empty: unset
  BackoffFunction function = nullptr;

  friend bool operator==(const Retry&, const Retry&) = default;
};

struct Submission {
  std::string type;
  std::string queue = "default";
  std::string payload;
  std::string content_type = "application/json";
  Priority priority = Priority::kNormal;
  std::optional<Duration> delay;
  std::optional<Time> run_at;
  std::optional<std::string> idempotency_key;
  Idempotency idempotency = Idempotency::kByProfile;
  Retry retry;
  Timeouts timeouts;
  std::optional<FailureIs> timeout_is;
  std::optional<FailureIs> system_is;
  std::vector<Dependency> depends_on;
  std::vector<std::pair<std::string, std::string>> tags;
  std::string correlation_id;
  std::string callback_url;
  std::string account;
  std::optional<Amount> cost;
  bool draft = false;
  std::string traceparent;
  std::string ref;  // how the other jobs of a batch call this one

  friend bool operator==(const Submission&, const Submission&) = default;
};

struct QueueSettings {
  const Profile* profile = &default_profile();
  Retry retry;
  Timeouts timeouts;
  std::optional<FailureIs> timeout_is;
  std::optional<FailureIs> system_is;
  Duration idempotency_window = base::hours(24);
  std::size_t max_payload_bytes = kDefaultPayloadBytes;
  std::optional<std::int64_t> max_pending;
  std::optional<std::int64_t> max_running;
  std::optional<RateLimit> rate;
  Duration keep_completed = base::days(30);
  Duration keep_failed = base::days(90);
  bool paused = false;
  bool draining = false;

  friend bool operator==(const QueueSettings&, const QueueSettings&) = default;
};

}  // namespace baton::lifecycle
