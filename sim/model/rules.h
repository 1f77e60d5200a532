// The five profiles as the model knows them, written down a second time: nothing here is taken
// from the tables of the core. Also what follows from them alone: the settings that a job ends up
// with, the wait before a retry, and which failures a retry can mend. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "baton/queue.h"
#include "baton/result.h"

namespace baton::sim {

struct ProfileRules {
  std::string_view name;
  bool drafts;
  bool moderation;
  bool has_failed;
  bool has_dead_letter;
  JobState exhausted;
  JobState permanent;
  int runs;
  Strategy strategy;
  std::int64_t initial_ms;
  std::int64_t cap_ms;
  Jitter jitter;
  std::int64_t lost_lease_ms;
  int free_releases;  // spend no attempt
  std::int64_t lease_ms;
  std::int64_t execution_ms;
  std::int64_t lifetime_ms;
  bool pinned;             // retry settings are refused
  bool auto_key;           // no key given: one is made
  bool failing_frees_key;  // FAILED, DEAD_LETTER and CANCELLED give the key back
  bool counts_last;        // the last failure is recorded as a retry, too
  bool quota;
};

const ProfileRules& rules_of(std::string_view profile);

// The state in which a dependent ends when a dependency ended badly.
JobState dependent_end(const ProfileRules& rules, JobState dependency);

// What a job was promised when it was made.
struct Promise {
  const ProfileRules* rules = nullptr;
  int runs = 1;
  Strategy strategy = Strategy::kConstant;
  std::int64_t initial_ms = 0;
  double multiplier = 2.0;
  std::int64_t cap_ms = 0;
  Jitter jitter = Jitter::kNone;
  std::vector<Duration> table;
  Duration lease{};
  Duration execution{};
  Duration lifetime{};
  bool timeout_is_terminal = false;
  bool system_is_terminal = false;
};

Promise promise_of(const Submission& submission, const QueueSettings& queue);

// Everything that is wrong with a submission by itself, as far as the world sends such things.
// Empty: nothing.
std::vector<Code> faults_of(const Submission& submission, const QueueSettings& queue, Time now);

// The wait before retry `n` (1 for the first): jitter makes it a range.
struct WaitRange {
  Duration least{};
  Duration most{};
};
WaitRange retry_wait(const Promise& promise, int n, Duration retry_after);

bool mends_by_retry(const Promise& promise, FailureCategory category, bool lease_lost);

}  // namespace baton::sim
