// The contract of every store: memory, one machine's disk, PostgreSQL. Domain verbs only, each
// asynchronous: `done` is called exactly once, when the change is durable (as durable as the store
// is), on a thread of the store or, for reads, before the call returns. `done` must not block and
// must not destroy the store. Verbs may be called from any thread. Commands apply
// one after the other; those of one caller apply in the order of its calls.
//
// Stores apply what lifecycle::decide returns; they decide nothing. Before a command applies to a
// job, the job's due timers apply; for calls of workers those that were due when the call arrived.
// A refusal leaves everything as it was, but for those timers. Work that one instant brings
// (timers, dependents of a job) is done in bounded steps, with commands in between.
//
// Every verb can also answer store_unavailable (the medium failed; whether the change was made is
// unknown) and shutting_down (it was not made).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "baton/result.h"
#include "store/commands.h"

namespace baton::store {

template <class Answer>
using Done = std::function<void(Result<Answer>)>;

// Is told of changes of state, in the order in which they happened, on a thread of the store, one
// call at a time. It must not block.
using Watcher = std::function<void(const std::vector<Happening>&)>;

// Both are told of every change; either may be empty.
struct Watchers {
  Watcher kept;  // when it is durable, and before the commands that made it are answered
  // As soon as it is made, and may still be lost. It is for asking the store for what the change
  // makes possible, a claim: the store may make that durable together with the change. Nobody
  // outside may learn of it.
  Watcher made;
};

// Hands over to the store every call of a worker that has reached this process by now, and then
// calls what it is given, once, from any thread. It must not block.
using CatchUp = std::function<void(std::function<void()> caught_up)>;

class Store {
 public:
  virtual ~Store() = default;

  // Makes jobs. Each is validated, compared with its idempotency key, counted against the
  // account's quota, and its cost is reserved, in one step with its creation. The answer itself is
  // an error only when the batch as a whole is wrong: bad_request (empty, or more than 1,000).
  // Errors of one job: invalid_job, not_in_profile, payload_too_large, unknown_dependency,
  // dependency_cycle, dependency_too_deep, dependency_too_wide, quota_exceeded,
  // insufficient_credits, queue_full (max_pending), conflict (the queue drains).
  virtual void submit(SubmitBatch batch, Done<SubmitAnswer> done) = 0;

  // Leases up to `max` jobs: queues in the order given, then priority, then the order in which
  // jobs became SCHEDULED. Unknown, paused and full queues give nothing. Stops before the payloads
  // together could have more than 16 MiB, but gives one job in any case. What its dependencies left
  // comes along as far as it fits (dependency_results.h). Errors: bad_request
  // (max not in 1–1000, no queue, no worker), invalid_job (lease_ms out of range). A claim whose
  // caller has gone (`stop`) before it applies gets nothing.
  virtual void claim(ClaimRequest request, Done<ClaimAnswer> done) = 0;

  // Calls of workers, independent of each other and in order: start, heartbeat, commit, done, ack,
  // nack, reject, cancelled, spawn. One result each: stale_lease, already_committed,
  // invalid_transition, not_in_profile, invalid_job (a bad failure or child: the lease stays),
  // not_found (no such job).
  virtual void work(std::vector<WorkCall> calls, Done<std::vector<Result<CallAnswer>>> done) = 0;

  // Each of these: not_found, or what lifecycle::decide refuses with.
  virtual void cancel(CancelJob command, Done<JobAnswer> done) = 0;
  virtual void reject(RejectJob command, Done<JobAnswer> done) = 0;
  virtual void submit_draft(SubmitDraft command, Done<JobAnswer> done) = 0;
  virtual void patch(PatchJob command, Done<JobAnswer> done) = 0;
  // Answers with the new job, and says of the old one which it is. Also the errors of submit;
  // conflict when there is a copy already, or the new job would end at once by a dependency.
  virtual void redrive(RedriveJob command, Done<JobAnswer> done) = 0;
  virtual void remove(DeleteJob command, Done<Deleted> done) = 0;

  // Makes the queue when it is not there. Errors: invalid_job, not_in_profile; conflict when the
  // profile is to change while the queue holds job records.
  virtual void set_queue(QueueUpdate update, Done<Queue> done) = 0;
  // Deletes a queue that holds no job records, with its settings. not_found; conflict when it holds
  // some, ended ones included. Whoever uses the name again makes a new queue.
  virtual void remove_queue(std::string name, Done<Deleted> done) = 0;
  // not_found for a queue that nobody made or used.
  virtual void get_queue(std::string name, Done<Queue> done) = 0;

  // Makes the account when it is not there. The same key again changes nothing. Errors:
  // invalid_job (amount out of range).
  virtual void grant(GrantCredits command, Done<Account> done) = 0;
  // An account nobody made is a guest with nothing.
  virtual void get_account(std::string id, Done<Account> done) = 0;
  // At most `limit` entries; fewer are the last ones. bad_request (limit not in 1–1000).
  virtual void entries(EntriesPage page, Done<std::vector<LedgerEntry>> done) = 0;

  // Reads see every change that was acknowledged before them. not_found for an unknown id.
  virtual void get(JobId id, Done<std::shared_ptr<const JobRecord>> done) = 0;
  // Stops at its limit or its budget. bad_request (limit not in 1–1000; id_prefix that is none).
  virtual void list(ListJobs filter, Done<JobList> done) = 0;
  virtual void explain(JobId id, Done<Explanation> done) = 0;
  // Counts are kept, never counted. bad_request (limit above 1,000).
  virtual void stats(StatsPage page, Done<Stats> done) = 0;
  void stats(Done<Stats> done) { stats(StatsPage{}, std::move(done)); }

  // Tells `watchers` from now on, and nobody whom it told before. When it returns, no call of an
  // earlier watcher is under way. Not from inside a watcher.
  virtual void watch(Watchers watchers) = 0;

  // Before the store ends a lease, or an execution at its deadline, it asks `catch_up` from now on,
  // and goes on with other work until the answer comes: no lease ends while a call that extends it
  // waits to be read. If the store was held up meanwhile, calls that it finds then count as having
  // arrived before. Empty: nobody is asked. When it returns, no call of an earlier one is under
  // way. Not from inside one. The store must outlive the answers.
  virtual void before_leases_end(CatchUp catch_up) = 0;

  virtual void run_timers(Done<TimersAnswer> done) = 0;
  virtual void prune(Prune command, Done<Pruned> done) = 0;
};

}  // namespace baton::store
