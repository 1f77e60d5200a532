#include "store/local/machine/terms_table.h"

#include <functional>
#include <string>

namespace baton::store::local {
namespace {

// Values that are looked at for each new one: more than one, so that those that are used no more go
// faster than others come.
constexpr std::size_t kLooksForNew = 4;

// A table that uses so small a part of its memory gives it back.
constexpr std::size_t kWorthShrinking = 8;

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
  for (const Duration delay : retry.table)
    mix(static_cast<std::size_t>(delay.ms));
  mix(std::hash<std::string>{}(retry.function_name));
  return mixed;
}

}  // namespace

lifecycle::TermsRef TermsTable::keep(lifecycle::Terms terms) {
  const std::lock_guard lock(mutex_);
  if (latest_.get() != nullptr && *latest_ == terms) return latest_;
  const std::size_t key = hash(terms);
  const auto found = by_value_.find(Wanted{terms, key});
  if (found != by_value_.end()) return latest_ = entries_[*found].terms;
  latest_ = lifecycle::TermsRef::make(std::move(terms));
  sweep_locked(kLooksForNew);
  entries_.push_back({latest_, key});
  by_value_.insert(static_cast<std::uint32_t>(entries_.size() - 1));
  return latest_;
}

void TermsTable::sweep(std::size_t most) {
  const std::lock_guard lock(mutex_);
  sweep_locked(most);
}

// The count of a value whose only owner is the table cannot rise meanwhile: a new reference comes
// from another one, or from `keep`.
void TermsTable::sweep_locked(std::size_t most) {
  for (; most > 0 && entries_.size() > kSpared; --most) {
    if (next_ >= entries_.size()) next_ = 0;
    entries_[next_].terms.is_only() ? remove(next_) : void(++next_);
  }
}

// The last one takes its place.
void TermsTable::remove(std::uint32_t index) {
  const auto last = static_cast<std::uint32_t>(entries_.size() - 1);
  by_value_.erase(index);
  if (index != last) {
    by_value_.erase(last);
    entries_[index] = std::move(entries_[last]);
    by_value_.insert(index);
  }
  entries_.pop_back();
  if (entries_.size() * kWorthShrinking > entries_.capacity()) return;
  entries_.shrink_to_fit();
  by_value_.rehash(0);
}

std::size_t TermsTable::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace baton::store::local
