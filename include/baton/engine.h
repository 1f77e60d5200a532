// The whole of Baton inside a program: open a store, hand in jobs, look at them, work on them. The
// verbs are those of JobService. Any thread may call any of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "baton/job_service.h"
#include "baton/options.h"

namespace baton {

namespace engine {
struct EngineAccess;
}

class Engine final : public JobService {
 public:
  // Opens "memory:", which forgets everything when it is closed, or "file:DIR", which is made when
  // it is not there and belongs to one engine at a time. Refused: bad_request for any other URL;
  // conflict when another engine has the directory; store_unavailable when it cannot be used, or
  // holds jobs that name a backoff function which is not among the options.
  static Result<std::unique_ptr<Engine>> open(std::string_view url,
                                              const EngineOptions& options = {});

  // Answers whatever still waits with shutting_down. Workers on this engine must be gone. Not
  // inside a completion.
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Pending<Submitted> submit(Submission job) override;
  Pending<std::vector<Result<Submitted>>> submit_batch(Batch batch) override;
  Pending<Job> get(const JobId& id) override;
  Pending<Waited> wait(const JobId& id, Duration timeout) override;
  Pending<std::vector<HistoryEntry>> history(const JobId& id) override;
  Pending<std::vector<Execution>> executions(const JobId& id) override;
  Pending<Explanation> explain(const JobId& id) override;
  Pending<JobPage> list(JobFilter filter = {}) override;
  Pending<JobPage> dead_letters(JobFilter filter = {}) override;
  Pending<Stats> stats() override;
  Pending<std::vector<SeenWorker>> workers() override;
  Pending<Job> cancel(CancelJob command) override;
  Pending<Job> reject(RejectJob command) override;
  Pending<Job> submit_draft(const JobId& id) override;
  Pending<Job> patch(PatchJob command) override;
  Pending<Job> redrive(RedriveJob command) override;
  Pending<Ok> remove(const JobId& id) override;
  Pending<std::vector<Queue>> queues() override;
  Pending<Queue> set_queue(QueueUpdate update) override;
  Pending<Queue> get_queue(std::string name) override;
  Pending<Ok> remove_queue(std::string name) override;
  Pending<Queue> pause(std::string queue) override;
  Pending<Queue> resume(std::string queue) override;
  Pending<Queue> drain(std::string queue) override;
  Pending<Account> grant(GrantCredits command) override;
  Pending<Account> get_account(std::string id) override;
  Pending<std::vector<LedgerEntry>> entries(std::string account) override;
  Pending<std::vector<Claimed>> claim(ClaimRequest request) override;
  Pending<std::vector<Result<WorkAnswer>>> work(std::vector<WorkCall> calls) override;
  Pending<ExchangeAnswer> exchange(Exchange exchange) override;

 private:
  friend struct engine::EngineAccess;
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace baton
