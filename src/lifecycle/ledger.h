// Credits of one account, double entry: every posting takes an amount out of one bucket and puts
// it into another, so that granted = available + reserved + captured always holds. Pure; a store
// applies a posting in the same step as the change that caused it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

// The numbers are written to disk: do not renumber.
enum class PostingKind : std::uint8_t { kGrant = 0, kReserve = 1, kCapture = 2, kRelease = 3 };

std::span<const std::string_view> names(PostingKind);

struct Balance {
  Amount granted = 0;
  Amount available = 0;
  Amount reserved = 0;
  Amount captured = 0;

  friend bool operator==(const Balance&, const Balance&) = default;
};

// granted = available + reserved + captured, and none of them is negative.
bool balances(const Balance& balance);

// The balance after the posting. Refused: insufficient_credits when a reservation exceeds what is
// available; invalid_job when an amount is out of range. Capturing or releasing more than is
// reserved is a bug of the store and asserts.
base::Result<Balance> post(const Balance& before, PostingKind kind, Amount amount);

}  // namespace baton::lifecycle
