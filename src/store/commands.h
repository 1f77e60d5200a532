// The verbs of a store as data: one struct for what is asked and one for what comes back. The HTTP
// layer, the embedded library and the simulator all speak these. An answer is a Result of
// the answer struct; the errors of each verb are listed at the verb in store.h. Facts in an answer
// may lack not_before once it is past; the record has it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "baton/result.h"
#include "baton/work_source.h"
#include "store/record.h"

namespace baton::store {

// ---- Submitting -------------------------------------------------------------------------------

struct SubmitBatch {
  std::vector<std::shared_ptr<const Submission>> jobs;
  bool atomic = true;  // one refusal refuses all
  bool chain = false;  // each job AFTER the one before it
};

struct MadeJob {
  JobId id;
  lifecycle::JobFacts facts;
  bool duplicate = false;  // an earlier submission with the same key made this job
  // Of a duplicate: whether the earlier one had another payload; unset when nobody knows.
  std::optional<bool> payload_differs = {};
};

struct BatchRefusal {
  std::size_t index = 0;
  Error error;
};

struct SubmitAnswer {
  std::vector<Result<MadeJob>> results;  // one for each submission, in their order
  std::optional<BatchRefusal> refused;   // atomic only: the first that failed; nothing was made
};

// ---- Working ----------------------------------------------------------------------------------

struct ClaimedJob {
  ExecutionId execution;
  JobId job;
  lifecycle::JobFacts facts;  // with the lease token, its end and the deadline in facts.execution
  // The whole job as the claim left it, or later; nullptr when it was deleted meanwhile.
  std::shared_ptr<const JobRecord> record = nullptr;
  std::vector<DependencyResult> dependency_results = {};
};

struct ClaimAnswer {
  std::vector<ClaimedJob> executions;
  // Jobs that the claim asks for are ready and were left: beyond `max` or the bytes of one answer,
  // or held back because their queue is paused, full or above its rate.
  bool more = false;
};

struct CallAnswer {
  JobId job;
  lifecycle::JobFacts facts;  // as they are after the call
  bool repeated = false;      // the call had been made before; nothing changed
  std::size_t staged = 0;     // spawn: how many children wait for the commit now
};

// ---- Operating on one job ---------------------------------------------------------------------

struct SubmitDraft {
  JobId id;
};

struct DeleteJob {
  JobId id;
};

// What cancel, reject, submit, patch and redrive answer with: the job as it is after the call.
struct JobAnswer {
  JobId id;
  lifecycle::JobFacts facts;
};

struct Deleted {};

// ---- Queues, accounts, upkeep -----------------------------------------------------------------

// The part of an account's ledger that a reader asks for, oldest first.
struct EntriesPage {
  std::string account;
  std::int64_t after = 0;    // only entries with a higher seq
  std::size_t limit = 1000;  // 1–1000
};

// Applies what is due now; a store does so by itself, too.
struct RunTimers {};

struct TimersAnswer {
  std::int64_t fired = 0;  // jobs that changed
  // Ask again then: no timer fires earlier, though the first may fire later. Unset: none is left.
  Time next;
};

// Deletes finished jobs whose retention is over, at most `limit` of them.
struct Prune {
  std::int64_t limit = 1000;
};

// ---- Reading ----------------------------------------------------------------------------------

// The parts of a job that can be large. A list has those that it was asked for; the others may be
// empty, whatever the job has.
struct JobParts {
  bool payload = false;
  bool result = false;
  bool checkpoint = false;

  friend bool operator==(const JobParts&, const JobParts&) = default;
};
inline constexpr JobParts kAllParts{true, true, true};

// Where a list stops, whatever its limit, so that no list costs much more than another.
struct ListBudget {
  std::size_t rows = 20'000;  // jobs that are looked at
  std::size_t bytes = std::size_t{16}
                      << 20;  // of the jobs that are shown; the first is in any case
};

// Newest first.
struct ListJobs : JobFilter {
  std::int64_t before_number = 0;  // continues a list after the job with this number; 0: begins
  JobParts with = {};
  ListBudget budget = {};
};

// A list that stopped early has a number to continue from, also with fewer jobs than its limit, or
// none. Children, and those that are staged, are left out.
struct JobList {
  std::vector<std::shared_ptr<const JobRecord>> jobs;
  std::int64_t next_before_number = 0;  // 0: the list is complete
  std::size_t examined = 0;             // jobs that were looked at, and will not be again
  std::size_t bytes = 0;                // of the jobs, as the budget counts them
};

// One change of a job's state. The names of its queue and type live as long as the watcher is being
// told.
struct Happening {
  JobId job;
  std::string_view queue;
  std::string_view type;
  const lifecycle::Profile* profile = nullptr;
  HistoryEntry step;
  Time since;                // a claim: when the job became ready; the end of a run: its claim
  std::int64_t version = 0;  // of the job, after it
  bool room = false;         // it stopped running in a queue with max_running: another one may run
};

struct StatsPage {
  std::string after = {};    // only queues whose names follow; empty: from the first on
  std::size_t limit = 1000;  // 0–1000 queues; 0: only what is counted over all
};

}  // namespace baton::store
