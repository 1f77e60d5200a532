// How long a job waits before its next attempt. A policy is a value; `backoff` is a pure function
// of the policy, the number of the retry and one random number. All arithmetic saturates at the
// policy's cap: no attempt and no delay up to a year can overflow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "baton/options.h"
#include "baton/words.h"

namespace baton::lifecycle {

struct RetryPolicy {
  int max_attempts = 1;  // executions in all, the first one included
  Strategy strategy = Strategy::kConstant;
  Duration initial{};
  double multiplier = 1.0;  // kExponential only
  Duration max{};           // caps what the strategy gives, before jitter
  Jitter jitter = Jitter::kNone;
  std::vector<Duration> table;         // kTable only; its last entry repeats
  std::string function_name;           // kFunction only: what is stored
  BackoffFunction function = nullptr;  // kFunction only: what the name stands for

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

// What a name stands for; nullptr when it is not registered. Tools that run no job register "*".
BackoffFunction find_function(const BackoffFunctions& functions, std::string_view name);

// How long retry number `retry` waits. `retry_after` is the worker's own wish and wins when it is
// longer; it is not capped. Never negative.
Duration backoff(const RetryPolicy& policy, int retry, Duration retry_after, std::uint64_t random);

}  // namespace baton::lifecycle
