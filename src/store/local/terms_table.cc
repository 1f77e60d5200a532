#include "store/local/terms_table.h"

#include <functional>
#include <string>

namespace baton::store::local {
namespace {

// Every field counts: whoever varies one of them must not make the others scan.
std::size_t hash(const lifecycle::Terms& terms) {
  std::size_t mixed = std::hash<const void*>{}(terms.profile);
  const auto mix = [&mixed](std::size_t part) {
    mixed = (mixed ^ part) * 0x9e37'79b9'7f4a'7c15;
    mixed ^= mixed >> 32;
  };
  const lifecycle::RetryPolicy& retry = terms.retry;
  for (const std::int64_t part :
       {terms.lease.ms, terms.execution.ms, terms.lifetime.ms, retry.initial.ms, retry.max.ms,
        static_cast<std::int64_t>(retry.max_attempts), static_cast<std::int64_t>(retry.strategy),
        static_cast<std::int64_t>(terms.timeout_is), static_cast<std::int64_t>(terms.system_is)}) {
    mix(static_cast<std::size_t>(part));
  }
  mix(std::hash<double>{}(retry.multiplier));
  mix(static_cast<std::size_t>(retry.jitter));
  for (const base::Duration delay : retry.table)
    mix(static_cast<std::size_t>(delay.ms));
  mix(std::hash<std::string>{}(retry.function_name));
  return mixed;
}

}  // namespace

const lifecycle::Terms* TermsTable::keep(lifecycle::Terms terms) {
  if (latest_ != nullptr && *latest_ == terms) return latest_;
  const std::size_t key = hash(terms);
  const auto [first, last] = kept_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    if (*at->second == terms) return latest_ = at->second.get();
  }
  auto kept = std::make_unique<const lifecycle::Terms>(std::move(terms));
  latest_ = kept.get();
  kept_.emplace(key, std::move(kept));
  return latest_;
}

}  // namespace baton::store::local
