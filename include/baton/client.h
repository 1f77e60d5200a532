// Baton in another process, over HTTP: the verbs of an Engine, with the same names and arguments,
// so that a program can change from one to the other. Every verb blocks until the server has
// answered; exchange(), which a Worker uses, does not. Any thread may call any verb. Connections
// are opened when they are needed and kept for the next call.
//
// Errors are the server's own. Besides those, all verbs answer store_unavailable when the server
// cannot be reached, does not answer in time or is not understood: whether a change was made is
// then unknown, and asking again with the same idempotency key or lease token is safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baton/job.h"
#include "baton/queue.h"
#include "baton/result.h"
#include "baton/seen_worker.h"
#include "baton/work_source.h"

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
  Duration wait{0};         // how long the server may take on purpose
};

struct RawAnswer {
  int status = 0;
  std::string content_type = {};
  std::string body = {};
};

class Client final : public WorkSource {
 public:
  // Looks at the options and connects to nothing yet. Refused: bad_request (a URL, a file or a
  // timeout that cannot be used).
  static Result<std::unique_ptr<Client>> open(const ClientOptions& options = {});

  // What the library is made of; a program never makes one.
  struct Parts;
  explicit Client(std::unique_ptr<Parts> parts);
  // Answers exchanges under way with shutting_down. Workers on this client must be gone, and no
  // verb may be under way.
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // ---- Submitting -----------------------------------------------------------------------------

  Result<Submitted> submit(const Submission& job);
  // Of an atomic batch that was refused, the error's field begins with "jobs[index]".
  Result<std::vector<Result<Submitted>>> submit_batch(const Batch& batch);

  // ---- Reading --------------------------------------------------------------------------------

  Result<Job> get(const JobId& id);
  // The job when it has ended, or as it is when `timeout` is over.
  Result<Job> wait(const JobId& id, Duration timeout);
  Result<std::vector<HistoryEntry>> history(const JobId& id);
  Result<std::vector<Execution>> executions(const JobId& id);
  Result<Explanation> explain(const JobId& id);
  // Newest first, a page at a time; without payloads, results and checkpoints.
  Result<JobPage> list(const JobFilter& filter = {});
  // The jobs that no attempt could finish, likewise.
  Result<JobPage> dead_letters(const JobFilter& filter = {});
  Result<Stats> stats();
  // Those that were seen in the last ten minutes, by name.
  Result<std::vector<SeenWorker>> workers();

  // ---- Operating on one job -------------------------------------------------------------------

  Result<Job> cancel(const CancelJob& command);
  Result<Job> reject(const RejectJob& command);
  Result<Job> submit_draft(const JobId& id);
  Result<Job> patch(const PatchJob& command);
  Result<Job> redrive(const JobId& id);
  Status remove(const JobId& id);

  // ---- Queues and accounts --------------------------------------------------------------------

  Result<std::vector<Queue>> queues();
  Result<Queue> set_queue(const QueueUpdate& update);
  Result<Queue> get_queue(const std::string& name);
  Result<Queue> pause(const std::string& queue);
  Result<Queue> resume(const std::string& queue);
  Result<Queue> drain(const std::string& queue);

  Result<Account> grant(const GrantCredits& command);
  Result<Account> get_account(const std::string& id);
  Result<std::vector<LedgerEntry>> entries(const std::string& account);

  // ---- Working --------------------------------------------------------------------------------

  Result<std::vector<Claimed>> claim(const ClaimRequest& request);
  Result<std::vector<Result<WorkAnswer>>> work(const std::vector<WorkCall>& calls);

  // As WorkSource says. A claim whose wait is stopped ends its connection; the server then gives
  // the jobs that it may have leased at that moment to others when their leases are over.
  void exchange(Exchange exchange, Completion<ExchangeAnswer> done) override;

  // ---- Anything else --------------------------------------------------------------------------

  // The answer, when it is a 2xx; else the error in it.
  Result<RawAnswer> raw(const RawRequest& request);

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace baton
