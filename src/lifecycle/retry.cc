#include "lifecycle/retry.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/random.h"

namespace baton::lifecycle {
namespace {

Duration times(Duration base, double factor, Duration cap) {
  const double product = static_cast<double>(base.ms) * factor;
  if (product >= static_cast<double>(cap.ms)) return cap;
  return Duration{static_cast<std::int64_t>(product)};
}

Duration exponential(const RetryPolicy& policy, int retry) {
  double factor = 1.0;
  for (int i = 1; i < retry; ++i)
    factor *= policy.multiplier;
  return times(policy.initial, factor, policy.max);
}

Duration from_table(const RetryPolicy& policy, int retry) {
  BATON_ASSERT(!policy.table.empty());
  const auto last = policy.table.size() - 1;
  return policy.table[std::min(static_cast<std::size_t>(retry - 1), last)];
}

Duration before_jitter(const RetryPolicy& policy, int retry) {
  switch (policy.strategy) {
    case Strategy::kConstant:
      return policy.initial;
    case Strategy::kLinear:
      return times(policy.initial, retry, policy.max);
    case Strategy::kExponential:
      return exponential(policy, retry);
    case Strategy::kTable:
      return from_table(policy, retry);
    case Strategy::kFunction:
      BATON_ASSERT(policy.function != nullptr);
      return policy.function(retry, policy.initial, policy.max);
  }
  return policy.max;
}

// A whole number in [0, limit].
std::int64_t up_to(std::int64_t limit, std::uint64_t random) {
  const auto bound = static_cast<std::uint64_t>(limit) + 1;
  return static_cast<std::int64_t>(base::Random::scale(random, bound));
}

Duration with_jitter(Duration delay, Jitter jitter, std::uint64_t random) {
  const std::int64_t tenth = delay.ms / 10;
  switch (jitter) {
    case Jitter::kNone:
      return delay;
    case Jitter::kTenPercent:
      return Duration{delay.ms - tenth + up_to(2 * tenth, random)};
    case Jitter::kFull:
      return Duration{up_to(delay.ms, random)};
  }
  return delay;
}

}  // namespace

BackoffFunction find_function(const BackoffFunctions& functions, std::string_view name) {
  if (name.empty()) return nullptr;
  auto found = functions.find(name);
  if (found == functions.end()) found = functions.find("*");
  return found == functions.end() ? nullptr : found->second;
}

Duration backoff(const RetryPolicy& policy, int retry, Duration retry_after, std::uint64_t random) {
  BATON_ASSERT(retry >= 1);
  const Duration planned = std::clamp(before_jitter(policy, retry), Duration{0}, policy.max);
  return std::max(with_jitter(planned, policy.jitter, random), retry_after);
}

}  // namespace baton::lifecycle
