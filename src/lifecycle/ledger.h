// Credits of one account, double entry: every posting takes an amount out of one bucket and puts
// it into another, so that granted = available + reserved + captured always holds. Pure; a store
// applies a posting in the same step as the change that caused it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "baton/queue.h"
#include "baton/result.h"
#include "lifecycle/job.h"

namespace baton::lifecycle {

// granted = available + reserved + captured, and none of them is negative.
bool balances(const Balance& balance);

// The balance after the posting. Refused: insufficient_credits when a reservation exceeds what is
// available; invalid_job when an amount is out of range. Capturing or releasing more than is
// reserved is a bug of the store and asserts.
Result<Balance> post(const Balance& before, PostingKind kind, Amount amount);

}  // namespace baton::lifecycle
