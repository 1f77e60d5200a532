// Queues with their settings and counts, accounts with their credits. Plain values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "baton/job.h"

namespace baton {

// How many executions may start: so many a second on average, so many at once.
struct RateLimit {
  double per_second = 0;
  int burst = 1;

  friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

// Only what is set changes; retry and timeouts are merged member by member.
struct QueueUpdate {
  std::string name = {};
  std::optional<std::string> profile = {};
  std::optional<Retry> retry = {};
  std::optional<Timeouts> timeouts = {};
  std::optional<FailureIs> timeout_is = {};
  std::optional<FailureIs> system_is = {};
  std::optional<Duration> idempotency_window = {};
  std::optional<std::size_t> max_payload_bytes = {};
  std::optional<std::int64_t> max_pending = {};  // a negative number takes the limit away
  std::optional<std::int64_t> max_running = {};  // likewise
  std::optional<RateLimit> rate = {};            // per_second 0 takes the limit away
  std::optional<Duration> keep_completed = {};
  std::optional<Duration> keep_failed = {};
  std::optional<bool> paused = {};    // nothing is claimed
  std::optional<bool> draining = {};  // nothing is submitted either
  bool make = true;                   // false: a queue that is not there is not_found
};

inline constexpr std::size_t kDefaultPayloadBytes = std::size_t{1} << 20;

// How a queue is set, with what it does not set left to its profile.
struct QueueSettings {
  std::string profile = "standard";
  Retry retry = {};
  Timeouts timeouts = {};
  std::optional<FailureIs> timeout_is = {};
  std::optional<FailureIs> system_is = {};
  Duration idempotency_window = std::chrono::hours(24);
  std::size_t max_payload_bytes = kDefaultPayloadBytes;
  std::optional<std::int64_t> max_pending = {};
  std::optional<std::int64_t> max_running = {};
  std::optional<RateLimit> rate = {};
  Duration keep_completed = std::chrono::hours(24 * 30);
  Duration keep_failed = std::chrono::hours(24 * 90);
  bool paused = false;
  bool draining = false;

  friend bool operator==(const QueueSettings&, const QueueSettings&) = default;
};

struct Queue {
  std::string name = {};
  QueueSettings settings = {};
  std::vector<std::int64_t> counts = {};  // jobs by canonical state, in the order of JobState

  std::int64_t count(JobState state) const { return counts.at(static_cast<std::size_t>(state)); }
};

struct Stats {
  std::vector<Queue> queues = {};         // by name
  std::int64_t live_jobs = 0;             // that have not ended
  std::vector<std::int64_t> counts = {};  // jobs of all queues by canonical state, as in a Queue
  bool more = false;                      // queues follow after those of this page
};

// granted = available + reserved + captured, always.
struct Balance {
  Amount granted = 0;
  Amount available = 0;
  Amount reserved = 0;
  Amount captured = 0;

  friend bool operator==(const Balance&, const Balance&) = default;
};

struct Account {
  std::string id = {};
  Tier tier = Tier::kGuest;
  Balance balance = {};
  std::int64_t active_jobs = 0;

  friend bool operator==(const Account&, const Account&) = default;
};

struct GrantCredits {
  std::string account = {};
  Amount amount = 0;  // 0 only changes the tier
  std::optional<Tier> tier = {};
  std::string idempotency_key = {};  // empty: none
};

struct LedgerEntry {
  std::int64_t seq = 0;  // counted from 1 for each account
  PostingKind kind = PostingKind::kGrant;
  Amount amount = 0;
  JobId job = {};  // nil for a grant
  Time at = {};
  Balance after = {};

  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

struct Pruned {
  std::int64_t deleted = 0;
  bool more = false;  // the limit was reached
};

}  // namespace baton
