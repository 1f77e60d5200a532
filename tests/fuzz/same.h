// Whether two commands are the same: a request that was read can be written again, and read again.
// Pure; any thread.
#pragma once

#include <memory>
#include <vector>

#include "baton/job.h"
#include "baton/queue.h"
#include "baton/work_source.h"

namespace baton::fuzz {

// An empty payload and null are one for a client.
bool same(Submission a, Submission b);
bool same(const std::vector<std::shared_ptr<const Submission>>& a,
          const std::vector<std::shared_ptr<const Submission>>& b);
bool same(const WorkCall& a, const WorkCall& b);
bool same(const ClaimRequest& a, const ClaimRequest& b);
bool same(const CancelJob& a, const CancelJob& b);
bool same(const RejectJob& a, const RejectJob& b);
bool same(const PatchJob& a, const PatchJob& b);
bool same(const QueueUpdate& a, const QueueUpdate& b);
bool same(const GrantCredits& a, const GrantCredits& b);

}  // namespace baton::fuzz
