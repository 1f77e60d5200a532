// Between the types that programs see (include/baton) and those of the store. Ids and tokens are
// text outside and bytes inside; times and durations are those of std::chrono outside. Pure
// functions. What cannot be turned into a command is refused in the words of the store: an id that
// names nothing is not_found, a token that nobody made is stale_lease.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baton/job.h"
#include "baton/queue.h"
#include "baton/result.h"
#include "baton/work_source.h"
#include "engine/backoff_functions.h"
#include "store/commands.h"

namespace baton::engine {

// ---- Inwards ----------------------------------------------------------------------------------

Result<JobId> job_id(const std::string& text);
// The store refuses a backoff function that nobody registered.
std::shared_ptr<const Submission> to_store(Submission job, const BackoffFunctions&);
Result<WorkCall> to_store(WorkCall call, const BackoffFunctions&);
ClaimRequest to_store(ClaimRequest request);
Result<CancelJob> to_store(CancelJob command);
Result<RejectJob> to_store(RejectJob command);
Result<PatchJob> to_store(PatchJob command);
// bad_request for a cursor that no list gave.
Result<store::ListJobs> to_store(JobFilter filter);
Result<QueueUpdate> to_store(QueueUpdate update, const BackoffFunctions&);
GrantCredits to_store(GrantCredits command);

// ---- Outwards ---------------------------------------------------------------------------------

Submitted from_store(const store::MadeJob& submitted);
Job from_store(const store::JobRecord& record);
std::vector<HistoryEntry> history_of(const store::JobRecord& record);
std::vector<Execution> executions_of(const store::JobRecord& record);
Explanation from_store(const Explanation& explanation);
JobPage from_store(const store::JobList& list);
// Leaves out jobs that were deleted since.
std::vector<Claimed> from_store(const store::ClaimAnswer& answer);
WorkAnswer from_store(const store::CallAnswer& answer);
Queue from_store(const Queue& view);
Stats from_store(const Stats& stats);
Account from_store(const Account& account);
std::vector<LedgerEntry> from_store(const std::vector<LedgerEntry>& entries);
Pruned from_store(const Pruned& answer);

}  // namespace baton::engine
