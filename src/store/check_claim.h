// Whether a claim can be made at all, before any store is asked. Pure; any thread.
#pragma once

#include "baton/result.h"
#include "store/commands.h"

namespace baton::store {

// bad_request: `max` is not from 1 to 1,000, no queue, no worker or one with too long a name, both
// kinds of lease.
// invalid_job: the lease is out of range.
Status check_claim(const ClaimRequest& request);

}  // namespace baton::store
