#include "store/local/terms_table.h"

#include <functional>

namespace baton::store::local {
namespace {

std::size_t hash(const lifecycle::Terms& terms) {
  std::size_t mixed = std::hash<const void*>{}(terms.profile);
  for (const std::int64_t part :
       {terms.lease.ms, terms.execution.ms, terms.lifetime.ms, terms.retry.initial.ms,
        terms.retry.max.ms, static_cast<std::int64_t>(terms.retry.max_attempts)}) {
    mixed = mixed * 1'000'003 + static_cast<std::size_t>(part);
  }
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
