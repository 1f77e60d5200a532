// The whole of Baton inside a program: open a store, hand in jobs, look at them, work on them.
// Every verb comes twice. The plain one blocks until the change is durable (as durable as the store
// is) and returns the answer; the one that ends in _async returns at once and calls `done` with it.
// Any thread may call any verb; commands of one thread apply in the order of its calls.
//
// Besides the refusals named at each verb, all can answer store_unavailable (the medium failed;
// whether the change was made is unknown: asking again with the same idempotency key or lease token
// is safe) and shutting_down (the engine is being closed; nothing was changed). A refusal changes
// nothing. Jobs that have ended are deleted when they were kept as long as their queue says.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "baton/job.h"
#include "baton/options.h"
#include "baton/queue.h"
#include "baton/result.h"
#include "baton/work_source.h"

namespace baton {

namespace engine {
struct EngineAccess;
}

class Engine final : public WorkSource {
 public:
  // Opens "memory:", which forgets everything when it is closed, or "file:DIR", which is made when
  // it is not there and belongs to one engine at a time. Refused: bad_request for any other URL;
  // conflict when another engine has the directory; store_unavailable when it cannot be used, or
  // holds jobs that name a backoff function which is not among the options.
  static Result<std::unique_ptr<Engine>> open(std::string_view url,
                                              const EngineOptions& options = {});

  // Answers whatever still waits with shutting_down. Workers on this engine must be gone.
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // ---- Submitting -----------------------------------------------------------------------------

  // Makes a job, or finds the one that an earlier submission with the same key made. Refused:
  // invalid_job, not_in_profile, payload_too_large, unknown_dependency, dependency_cycle,
  // dependency_too_deep, dependency_too_wide, quota_exceeded, insufficient_credits, queue_full,
  // conflict (the queue drains).
  Result<Submitted> submit(Submission job);
  void submit_async(Submission job, Completion<Submitted> done);

  // Makes several, 1 to 1,000, one answer each. An atomic batch is made whole or not at all: then
  // the answer is the error of the first job that was refused, its field led by "jobs[index]".
  Result<std::vector<Result<Submitted>>> submit_batch(Batch batch);
  void submit_batch_async(Batch batch, Completion<std::vector<Result<Submitted>>> done);

  // ---- Reading --------------------------------------------------------------------------------

  // Each of these refuses an id that names nothing with not_found.
  Result<Job> get(const JobId& id);
  void get_async(const JobId& id, Completion<Job> done);

  // The job when it has ended, or as it is when `timeout` is over.
  Result<Job> wait(const JobId& id, Duration timeout);
  void wait_async(const JobId& id, Duration timeout, Completion<Job> done);

  // Oldest first.
  Result<std::vector<HistoryEntry>> history(const JobId& id);
  void history_async(const JobId& id, Completion<std::vector<HistoryEntry>> done);
  Result<std::vector<Execution>> executions(const JobId& id);
  void executions_async(const JobId& id, Completion<std::vector<Execution>> done);

  Result<Explanation> explain(const JobId& id);
  void explain_async(const JobId& id, Completion<Explanation> done);

  // Newest first, a page at a time; without payloads, results and checkpoints. Refused: bad_request
  // (limit or cursor).
  Result<JobPage> list(JobFilter filter = {});
  void list_async(JobFilter filter, Completion<JobPage> done);

  Result<Stats> stats();
  void stats_async(Completion<Stats> done);

  // ---- Operating on one job -------------------------------------------------------------------

  // Each answers with the job as it is afterwards. Refused: not_found, and what is named here.

  // A waiting job ends at once, a running one when its worker says so, or at once by `force`.
  // already_committed, invalid_transition (it has ended otherwise).
  Result<Job> cancel(CancelJob command);
  void cancel_async(CancelJob command, Completion<Job> done);

  // Moderation, before the job runs. not_in_profile, invalid_transition.
  Result<Job> reject(RejectJob command);
  void reject_async(RejectJob command, Completion<Job> done);

  // A draft becomes a job like any other. invalid_transition.
  Result<Job> submit_draft(const JobId& id);
  void submit_draft_async(const JobId& id, Completion<Job> done);

  // invalid_job, invalid_transition, conflict (another version).
  Result<Job> patch(PatchJob command);
  void patch_async(PatchJob command, Completion<Job> done);

  // A new job from one that ended badly; the answer is the new one. invalid_transition, and the
  // refusals of submit.
  Result<Job> redrive(const JobId& id);
  void redrive_async(const JobId& id, Completion<Job> done);

  // Deletes an ended job and all of its records. invalid_transition (it has not ended), conflict.
  Status remove(const JobId& id);
  void remove_async(const JobId& id, Completion<Ok> done);

  // ---- Queues, accounts, upkeep ---------------------------------------------------------------

  // Makes the queue when it is not there. invalid_job, not_in_profile, conflict (the profile of a
  // queue that holds jobs).
  Result<Queue> set_queue(QueueUpdate update);
  void set_queue_async(QueueUpdate update, Completion<Queue> done);
  // not_found for a queue that nobody made or used.
  Result<Queue> get_queue(std::string name);
  void get_queue_async(std::string name, Completion<Queue> done);

  // Makes the account when it is not there; the same key again changes nothing. invalid_job.
  Result<Account> grant(GrantCredits command);
  void grant_async(GrantCredits command, Completion<Account> done);
  // An account that nobody made is a guest with nothing.
  Result<Account> get_account(std::string id);
  void get_account_async(std::string id, Completion<Account> done);
  // Its ledger, oldest first.
  Result<std::vector<LedgerEntry>> entries(std::string account);
  void entries_async(std::string account, Completion<std::vector<LedgerEntry>> done);

  // ---- Working --------------------------------------------------------------------------------

  // For programs that run their own loop; a Worker does all of this (see worker.h).

  // Leases up to `max` jobs; an empty list when none came within `wait`. bad_request, invalid_job.
  Result<std::vector<Claimed>> claim(ClaimRequest request);
  void claim_async(ClaimRequest request, Completion<std::vector<Claimed>> done);

  // Calls on executions, one answer each, in their order: stale_lease, already_committed,
  // invalid_transition, not_in_profile, invalid_job, not_found.
  Result<std::vector<Result<WorkAnswer>>> work(std::vector<WorkCall> calls);
  void work_async(std::vector<WorkCall> calls, Completion<std::vector<Result<WorkAnswer>>> done);

  void exchange(Exchange exchange, Completion<ExchangeAnswer> done) override;

 private:
  friend struct engine::EngineAccess;
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace baton
