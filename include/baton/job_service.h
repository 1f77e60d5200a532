// Everything that can be asked of Baton, wherever it is: an Engine answers in the same process, a
// Client over HTTP. A program written against this interface runs on either.
//
// Every verb begins its call and returns at once; the Pending that it gives blocks for the answer
// or hands it to a callback. A change is durable (as durable as the store is) before it is
// answered. Any thread may call any verb. Calls of one thread on an Engine apply in their order; on
// a Client they do if each waits for the one before it.
//
// Besides the refusals named at each verb, all can answer store_unavailable (the medium failed, or
// the server cannot be reached or is not understood; whether a change was made is unknown: asking
// again with the same idempotency key or lease token is safe) and shutting_down (it is being
// closed; nothing was changed). A refusal changes nothing. Jobs that have ended are deleted when
// they were kept as long as their queue says.
#pragma once

#include <string>
#include <vector>

#include "baton/job.h"
#include "baton/pending.h"
#include "baton/queue.h"
#include "baton/seen_worker.h"
#include "baton/work_source.h"

namespace baton {

class JobService : public WorkSource {
 public:
  // ---- Submitting -----------------------------------------------------------------------------

  // Makes a job, or finds the one that an earlier submission with the same key made. Refused:
  // invalid_job, not_in_profile, payload_too_large, unknown_dependency, dependency_cycle,
  // dependency_too_deep, dependency_too_wide, quota_exceeded, insufficient_credits, queue_full,
  // conflict (the queue drains).
  virtual Pending<Submitted> submit(Submission job) = 0;

  // Makes several, 1 to 1,000, one answer each. An atomic batch is made whole or not at all: then
  // the answer is the error of the first job that was refused, its field led by "jobs[index]".
  virtual Pending<std::vector<Result<Submitted>>> submit_batch(Batch batch) = 0;

  // ---- Reading --------------------------------------------------------------------------------

  // Each of these refuses an id that names nothing with not_found.
  virtual Pending<Job> get(const JobId& id) = 0;

  // The job when it has ended, or as it is when `timeout` is over.
  virtual Pending<Waited> wait(const JobId& id, Duration timeout) = 0;

  // Oldest first.
  virtual Pending<std::vector<HistoryEntry>> history(const JobId& id) = 0;
  virtual Pending<std::vector<Execution>> executions(const JobId& id) = 0;

  virtual Pending<Explanation> explain(const JobId& id) = 0;

  // Newest first, a page at a time; without payloads, results and checkpoints. Refused: bad_request
  // (limit or cursor).
  virtual Pending<JobPage> list(JobFilter filter = {}) = 0;
  // The jobs that no attempt could finish, likewise; without those that were redriven, unless the
  // filter says otherwise. bad_request also for a filter by state.
  virtual Pending<JobPage> dead_letters(JobFilter filter = {}) = 0;

  virtual Pending<Stats> stats() = 0;
  // Those that were seen in the last ten minutes, by name.
  virtual Pending<std::vector<SeenWorker>> workers() = 0;

  // ---- Operating on one job -------------------------------------------------------------------

  // Each answers with the job as it is afterwards. Refused: not_found, and what is named here.

  // A waiting job ends at once, a running one when its worker says so, or at once by `force`.
  // already_committed, invalid_transition (it has ended otherwise).
  virtual Pending<Job> cancel(CancelJob command) = 0;

  // Moderation, before the job runs. not_in_profile, invalid_transition.
  virtual Pending<Job> reject(RejectJob command) = 0;

  // A draft becomes a job like any other. invalid_transition.
  virtual Pending<Job> submit_draft(const JobId& id) = 0;

  // invalid_job, invalid_transition, conflict (another version).
  virtual Pending<Job> patch(PatchJob command) = 0;

  // A new job from one that ended badly, with its dependencies; the answer is the new one.
  // invalid_transition, conflict (it was redriven before, or would end at once by a dependency),
  // and the refusals of submit.
  virtual Pending<Job> redrive(RedriveJob command) = 0;

  // Deletes an ended job and all of its records. invalid_transition (it has not ended), conflict.
  virtual Pending<Ok> remove(const JobId& id) = 0;

  // ---- Queues and accounts --------------------------------------------------------------------

  // By name.
  virtual Pending<std::vector<Queue>> queues() = 0;
  // Makes the queue when it is not there. invalid_job, not_in_profile, conflict (the profile of a
  // queue that holds jobs).
  virtual Pending<Queue> set_queue(QueueUpdate update) = 0;
  // not_found for a queue that nobody made or used.
  virtual Pending<Queue> get_queue(std::string name) = 0;
  // Deletes a queue and its settings. not_found; conflict (it holds job records, ended ones
  // included). Whoever uses the name again makes a new queue.
  virtual Pending<Ok> remove_queue(std::string name) = 0;

  // As set_queue refuses. A paused queue hands out nothing; one that drains takes nothing, either.
  // A queue that resumes does both again.
  virtual Pending<Queue> pause(std::string queue) = 0;
  virtual Pending<Queue> resume(std::string queue) = 0;
  virtual Pending<Queue> drain(std::string queue) = 0;

  // Makes the account when it is not there; the same key again changes nothing. invalid_job.
  virtual Pending<Account> grant(GrantCredits command) = 0;
  // An account that nobody made is a guest with nothing.
  virtual Pending<Account> get_account(std::string id) = 0;
  // Its ledger, oldest first.
  virtual Pending<std::vector<LedgerEntry>> entries(std::string account) = 0;

  // ---- Working --------------------------------------------------------------------------------

  // For programs that run their own loop; a Worker does all of this (see worker.h).

  // Leases up to `max` jobs; an empty list when none came within `wait`. bad_request, invalid_job.
  virtual Pending<std::vector<Claimed>> claim(ClaimRequest request) = 0;

  // Calls on executions, one answer each, in their order: stale_lease, already_committed,
  // invalid_transition, not_in_profile, invalid_job, not_found.
  virtual Pending<std::vector<Result<WorkAnswer>>> work(std::vector<WorkCall> calls) = 0;
};

}  // namespace baton
