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

Result<store::JobId> job_id(const std::string& text);
// The store refuses a backoff function that nobody registered.
std::shared_ptr<const store::Submission> to_store(Submission job, const BackoffFunctions&);
Result<store::WorkCall> to_store(WorkCall call, const BackoffFunctions&);
store::ClaimRequest to_store(ClaimRequest request);
Result<store::CancelJob> to_store(CancelJob command);
Result<store::RejectJob> to_store(RejectJob command);
Result<store::PatchJob> to_store(PatchJob command);
// bad_request for a cursor that no list gave.
Result<store::JobFilter> to_store(JobFilter filter);
Result<store::QueueUpdate> to_store(QueueUpdate update, const BackoffFunctions&);
store::GrantCredits to_store(GrantCredits command);

// ---- Outwards ---------------------------------------------------------------------------------

Submitted from_store(const store::Submitted& submitted);
Job from_store(const store::JobRecord& record);
std::vector<HistoryEntry> history_of(const store::JobRecord& record);
std::vector<Execution> executions_of(const store::JobRecord& record);
Explanation from_store(const store::Explanation& explanation);
JobPage from_store(const store::JobList& list);
// Leaves out jobs that were deleted since.
std::vector<Claimed> from_store(const store::ClaimAnswer& answer);
WorkAnswer from_store(const store::WorkAnswer& answer);
Queue from_store(const store::QueueView& view);
Stats from_store(const store::Stats& stats);
Account from_store(const store::AccountRecord& account);
std::vector<LedgerEntry> from_store(const std::vector<store::LedgerEntry>& entries);
Pruned from_store(const store::PruneAnswer& answer);

}  // namespace baton::engine
