#include "sim/model/rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"

namespace baton::sim {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kWeek = std::int64_t{7} * 24 * kHour;
constexpr std::int64_t kYear = std::int64_t{366} * 24 * kHour;

const std::array<ProfileRules, 5> kRules = {{
    {.name = "standard",
     .drafts = false,
     .moderation = false,
     .has_failed = true,
     .has_dead_letter = true,
     .exhausted = JobState::kDeadLetter,
     .permanent = JobState::kFailed,
     .runs = 3,
     .strategy = Strategy::kExponential,
     .initial_ms = kSecond,
     .cap_ms = kHour,
     .jitter = Jitter::kNone,
     .lost_lease_ms = 0,
     .free_releases = 100,
     .lease_ms = 5 * kMinute,
     .execution_ms = 30 * kMinute,
     .lifetime_ms = kWeek,
     .pinned = false,
     .auto_key = false,
     .failing_frees_key = false,
     .counts_last = false,
     .quota = false},
    {.name = "document",
     .drafts = true,
     .moderation = false,
     .has_failed = true,
     .has_dead_letter = false,
     .exhausted = JobState::kFailed,
     .permanent = JobState::kFailed,
     .runs = 4,
     .strategy = Strategy::kConstant,
     .initial_ms = kSecond,
     .cap_ms = kSecond,
     .jitter = Jitter::kNone,
     .lost_lease_ms = kSecond,
     .free_releases = 100,
     .lease_ms = 30 * kSecond,
     .execution_ms = 30 * kMinute,
     .lifetime_ms = kWeek,
     .pinned = true,
     .auto_key = false,
     .failing_frees_key = false,
     .counts_last = false,
     .quota = false},
    {.name = "commit",
     .drafts = false,
     .moderation = false,
     .has_failed = true,
     .has_dead_letter = false,
     .exhausted = JobState::kFailed,
     .permanent = JobState::kFailed,
     .runs = 4,
     .strategy = Strategy::kConstant,
     .initial_ms = 0,
     .cap_ms = kHour,
     .jitter = Jitter::kNone,
     .lost_lease_ms = 0,
     .free_releases = 100,
     .lease_ms = 30 * kSecond,
     .execution_ms = 30 * kMinute,
     .lifetime_ms = kWeek,
     .pinned = false,
     .auto_key = false,
     .failing_frees_key = false,
     .counts_last = false,
     .quota = false},
    {.name = "generation",
     .drafts = false,
     .moderation = true,
     .has_failed = false,
     .has_dead_letter = true,
     .exhausted = JobState::kDeadLetter,
     .permanent = JobState::kDeadLetter,
     .runs = 3,
     .strategy = Strategy::kExponential,
     .initial_ms = 2 * kSecond,
     .cap_ms = 30 * kSecond,
     .jitter = Jitter::kNone,
     .lost_lease_ms = 0,
     .free_releases = 100,
     .lease_ms = 30 * kSecond,
     .execution_ms = 5 * kMinute,
     .lifetime_ms = kWeek,
     .pinned = false,
     .auto_key = true,
     .failing_frees_key = true,
     .counts_last = true,
     .quota = true},
    {.name = "lease",
     .drafts = false,
     .moderation = false,
     .has_failed = true,
     .has_dead_letter = false,
     .exhausted = JobState::kFailed,
     .permanent = JobState::kFailed,
     .runs = 4,
     .strategy = Strategy::kExponential,
     .initial_ms = 500,
     .cap_ms = 30 * kSecond,
     .jitter = Jitter::kFull,
     .lost_lease_ms = 0,
     .free_releases = 0,
     .lease_ms = 5 * kSecond,
     .execution_ms = 5 * kMinute,
     .lifetime_ms = kWeek,
     .pinned = false,
     .auto_key = false,
     .failing_frees_key = false,
     .counts_last = false,
     .quota = false},
}};

// What one level (queue or job) says over the level below.
void put_over(Promise& promise, const Retry& retry) {
  if (retry.max_attempts) promise.runs = *retry.max_attempts;
  if (retry.strategy) promise.strategy = *retry.strategy;
  if (retry.initial) promise.initial_ms = retry.initial->ms;
  if (retry.multiplier) promise.multiplier = *retry.multiplier;
  if (retry.max) promise.cap_ms = retry.max->ms;
  if (retry.jitter) promise.jitter = *retry.jitter;
  if (!retry.table.empty()) promise.table = retry.table;
}

void put_over(Promise& promise, const Timeouts& timeouts) {
  if (timeouts.lease) promise.lease = *timeouts.lease;
  if (timeouts.execution) promise.execution = *timeouts.execution;
  if (timeouts.lifetime) promise.lifetime = *timeouts.lifetime;
}

Promise queue_promise(const QueueSettings& queue) {
  Promise promise;
  promise.rules = &rules_of(queue.profile);
  promise.runs = promise.rules->runs;
  promise.strategy = promise.rules->strategy;
  promise.initial_ms = promise.rules->initial_ms;
  promise.cap_ms = promise.rules->cap_ms;
  promise.jitter = promise.rules->jitter;
  promise.lease = Duration{promise.rules->lease_ms};
  promise.execution = Duration{promise.rules->execution_ms};
  promise.lifetime = Duration{promise.rules->lifetime_ms};
  put_over(promise, queue.retry);
  put_over(promise, queue.timeouts);
  promise.timeout_is_terminal = queue.timeout_is == FailureIs::kTerminal;
  promise.system_is_terminal = queue.system_is == FailureIs::kTerminal;
  return promise;
}

bool sets_any(const Retry& retry) {
  return retry.max_attempts || retry.strategy || retry.initial || retry.multiplier || retry.max ||
         retry.jitter || !retry.table.empty();
}

bool outside(std::optional<Duration> value, std::int64_t least, std::int64_t most) {
  return value && (value->ms < least || value->ms > most);
}

bool has_bad_number(const Submission& submission) {
  const auto& retry = submission.retry;
  if (retry.max_attempts && (*retry.max_attempts < 1 || *retry.max_attempts > 100)) return true;
  if (outside(submission.delay, 0, kYear)) return true;
  if (outside(retry.initial, 0, kYear) || outside(retry.max, 0, kYear)) return true;
  if (outside(submission.timeouts.lease, 100, kHour)) return true;
  if (outside(submission.timeouts.execution, 1, kYear)) return true;
  return outside(submission.timeouts.lifetime, 1, kYear);
}

}  // namespace

const ProfileRules& rules_of(std::string_view profile) {
  for (const ProfileRules& rules : kRules) {
    if (rules.name == profile) return rules;
  }
  base::assertion_failed("a profile that the model knows", __FILE__, __LINE__);
}

JobState dependent_end(const ProfileRules& rules, JobState dependency) {
  if (dependency == JobState::kRejected) return rules.permanent;
  if (dependency == JobState::kFailed && !rules.has_failed) return rules.exhausted;
  if (dependency == JobState::kDeadLetter && !rules.has_dead_letter) return rules.exhausted;
  return dependency;
}

Promise promise_of(const Submission& submission, const QueueSettings& queue) {
  Promise promise = queue_promise(queue);
  put_over(promise, submission.retry);
  put_over(promise, submission.timeouts);
  if (submission.timeout_is) {
    promise.timeout_is_terminal = *submission.timeout_is == FailureIs::kTerminal;
  }
  if (submission.system_is) {
    promise.system_is_terminal = *submission.system_is == FailureIs::kTerminal;
  }
  return promise;
}

std::vector<Code> faults_of(const Submission& submission, const QueueSettings& queue, Time now) {
  const Promise from_queue = queue_promise(queue);
  const ProfileRules& rules = *from_queue.rules;
  const Promise promise = promise_of(submission, queue);
  std::vector<Code> faults;
  if (submission.type.empty()) faults.push_back(Code::kInvalidJob);
  if (submission.payload.size() > queue.max_payload_bytes) faults.push_back(Code::kPayloadTooLarge);
  if (submission.draft && !rules.drafts) faults.push_back(Code::kNotInProfile);
  if (rules.pinned && sets_any(submission.retry)) faults.push_back(Code::kNotInProfile);
  if (submission.delay && submission.run_at) faults.push_back(Code::kInvalidJob);
  if (has_bad_number(submission)) faults.push_back(Code::kInvalidJob);
  if (submission.idempotency_key &&
      (submission.idempotency_key->empty() || submission.idempotency_key->size() > 256)) {
    faults.push_back(Code::kInvalidJob);
  }
  if (submission.unique &&
      (submission.unique->key.empty() || submission.unique->key.size() > 256)) {
    faults.push_back(Code::kInvalidJob);
  }
  if (submission.cost.value_or(0) > 0 && submission.account.empty()) {
    faults.push_back(Code::kInvalidJob);
  }
  const Time ends = now + promise.lifetime;
  const Time runs = submission.run_at.value_or(now + submission.delay.value_or(Duration{}));
  const bool timed = submission.run_at || submission.delay;
  if (timed && runs >= ends) faults.push_back(Code::kInvalidJob);
  if (promise.execution > from_queue.execution) faults.push_back(Code::kInvalidJob);
  if (promise.strategy == Strategy::kTable && promise.table.empty()) {
    faults.push_back(Code::kInvalidJob);
  }
  return faults;
}

WaitRange retry_wait(const Promise& promise, int n, Duration retry_after) {
  double planned = static_cast<double>(promise.initial_ms);
  switch (promise.strategy) {
    case Strategy::kConstant:
    case Strategy::kFunction:
      break;
    case Strategy::kLinear:
      planned *= n;
      break;
    case Strategy::kExponential:
      planned *= std::pow(promise.multiplier, n - 1);
      break;
    case Strategy::kTable: {
      const auto last = promise.table.size() - 1;
      const auto at = std::min(static_cast<std::size_t>(n - 1), last);
      planned = static_cast<double>(promise.table[at].ms);
      break;
    }
  }
  const double capped = std::min(planned, static_cast<double>(promise.cap_ms));
  const auto wait = static_cast<std::int64_t>(capped);
  WaitRange range{Duration{wait}, Duration{wait}};
  if (promise.jitter == Jitter::kFull) range.least = {};
  if (promise.jitter == Jitter::kTenPercent)
    range = {Duration{wait - wait / 10}, Duration{wait + wait / 10}};
  range.least = std::max(range.least, retry_after);
  range.most = std::max(range.most, retry_after);
  return range;
}

bool mends_by_retry(const Promise& promise, FailureCategory category, bool lease_lost) {
  switch (category) {
    case FailureCategory::kTemporary:
      return true;
    case FailureCategory::kTimeout:
      return !promise.timeout_is_terminal;
    case FailureCategory::kSystem:
      return lease_lost || !promise.system_is_terminal;
    case FailureCategory::kPermanent:
    case FailureCategory::kCancelled:
      return false;
  }
  return false;
}

}  // namespace baton::sim
