#include "lifecycle/ledger.h"

#include <array>
#include <string>

#include "base/assert.h"
#include "lifecycle/limits.h"

namespace baton::lifecycle {
namespace {

// Where a posting takes its amount from and where it puts it. A grant comes from outside.
struct Buckets {
  Amount Balance::*from;
  Amount Balance::*to;
};

// In the order of PostingKind.
const std::array<Buckets, 4> kBuckets = {{
    {nullptr, &Balance::available},
    {&Balance::available, &Balance::reserved},
    {&Balance::reserved, &Balance::captured},
    {&Balance::reserved, &Balance::available},
}};

}  // namespace

bool balances(const Balance& balance) {
  return balance.available >= 0 && balance.reserved >= 0 && balance.captured >= 0 &&
         balance.granted == balance.available + balance.reserved + balance.captured;
}

Result<Balance> post(const Balance& before, PostingKind kind, Amount amount) {
  if (amount < 1 || amount > kMaxAmount) {
    return Error{
        Code::kInvalidJob, "amount must be from 1 to " + std::to_string(kMaxAmount), "amount", {}};
  }
  const Buckets& buckets = kBuckets[static_cast<std::size_t>(kind)];
  Balance after = before;
  if (kind == PostingKind::kGrant) {
    if (before.granted > kMaxAmount - amount) {
      return Error{Code::kInvalidJob,
                   "an account may be granted at most " + std::to_string(kMaxAmount),
                   "amount",
                   {}};
    }
    after.granted += amount;
  } else {
    const bool covered = before.*buckets.from >= amount;
    if (kind == PostingKind::kReserve && !covered) {
      return Error{Code::kInsufficientCredits,
                   "the account has " + std::to_string(before.available) + " credits and " +
                       std::to_string(amount) + " are needed",
                   "cost",
                   {}};
    }
    BATON_ASSERT(covered);
    after.*buckets.from -= amount;
  }
  after.*buckets.to += amount;
  return after;
}

}  // namespace baton::lifecycle
