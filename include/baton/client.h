// Baton in another process, over HTTP. The verbs are those of JobService, as an Engine has them, so
// that a program can change from one to the other. Any thread may call any verb. Each call under
// way has a thread of the client, at most 128 at once; others stand in line. Connections are opened
// when they are needed and kept for the next call.
//
// Errors are the server's own. store_unavailable also says that the server cannot be reached, does
// not answer in time or is not understood.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baton/job_service.h"

namespace baton {

struct ClientOptions {
  std::string url = "http://127.0.0.1:2286";  // or https://
  std::string token = {};                     // sent as a bearer token; empty: none
  // https: a PEM file with the authorities that are trusted; empty: those of the system
  std::string ca_file = {};
  Duration connect_timeout{5'000};  // for each address that the name of the server has
  Duration answer_timeout{35'000};  // besides what a call itself waits
};

// A call of the API as it goes over the wire, for what has no verb here.
struct RawRequest {
  std::string method = "GET";
  std::string target = {};  // "/v1/jobs?limit=10"
  std::string body = {};    // JSON; empty: none
  bool repeatable = false;  // may be sent again when the first time was not answered
  bool minimal = false;     // of a job only what identifies it and where it stands
  Duration wait{0};         // how long the server may take on purpose
};

struct RawAnswer {
  int status = 0;
  std::string content_type = {};
  std::string body = {};
};

class Client final : public JobService {
 public:
  // Looks at the options and connects to nothing yet. Refused: bad_request (a URL, a file or a
  // timeout that cannot be used).
  static Result<std::unique_ptr<Client>> open(const ClientOptions& options = {});

  // Answers what waits, for a job to come or to end, with shutting_down, and lets other calls under
  // way finish. Workers on this client must be gone. Not inside a completion.
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

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
  // As WorkSource says. A claim whose wait is stopped ends its connection; the server then gives
  // the jobs that it may have leased at that moment to others when their leases are over.
  Pending<ExchangeAnswer> exchange(Exchange exchange) override;

  // ---- Anything else --------------------------------------------------------------------------

  // The answer, when it is a 2xx; else the error in it.
  Pending<RawAnswer> raw(RawRequest request);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace baton
