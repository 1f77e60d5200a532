// Where a worker gets its work: finish some executions and fetch more, in one round trip. An Engine
// is one, in the same process; so is anything that reaches an engine elsewhere. A Worker needs
// nothing else, which is why the same handlers run on either.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "baton/job.h"
#include "baton/pending.h"

namespace baton {

struct ClaimRequest {
  std::vector<std::string> queues = {};  // tried in this order; at least one
  std::vector<std::string> types = {};   // empty: any type
  int max = 1;                           // 1 to 1,000
  std::string worker = {};               // required
  std::optional<Duration> lease = {};    // else the job's own
  Duration wait = {};                    // for a first job to come, at most a minute
  std::stop_token stop = {};             // ends the wait early; nothing is leased after that
};

// A job that is the claimer's until its lease ends. Only who has the token may call.
struct Claimed {
  ExecutionId execution = {};
  LeaseToken token = {};
  Time lease_expires_at = {};
  Time deadline_at = {};
  Job job = {};  // job.started_at is the moment of the claim, job.attempt the lease version
};

// Any call on an execution; `kind` says which members count.
struct WorkCall {
  CallKind kind = CallKind::kAck;
  ExecutionId execution = {};
  LeaseToken token = {};
  std::optional<Duration> execution_limit = {};               // start
  std::optional<int> progress = {};                           // heartbeat, 0 to 100
  std::optional<std::string> message = {};                    // heartbeat
  std::optional<std::string> checkpoint = {};                 // heartbeat
  std::optional<Outcome> result = {};                         // commit, ack
  std::vector<std::shared_ptr<const Submission>> spawn = {};  // commit, ack, spawn
  Failure failure = {};                                       // nack; reject uses the message
  std::optional<Duration> retry_after = {};                   // nack
  // How long ago the call reached this process. Lease, deadline and lifetime are judged as of then.
  Duration waited = {};
};

struct WorkAnswer {
  JobId job = {};
  ExecutionStatus status = ExecutionStatus::kLeased;
  std::string state = {};  // of the job, as its profile calls it
  JobState canonical_state = JobState::kNone;
  Time lease_expires_at = {};
  bool cancel_requested = false;
  bool repeated = false;   // the call had been made before; nothing changed
  std::size_t staged = 0;  // spawn: how many children wait for the commit now
};

struct Exchange {
  std::vector<WorkCall> calls = {};  // at most 1,000
  std::optional<ClaimRequest> claim = {};
};

struct ExchangeAnswer {
  std::vector<Result<WorkAnswer>> results = {};  // one for each call, in their order
  std::vector<Claimed> executions = {};
  std::optional<Error> claim_error = {};  // the calls were answered, the claim was not
};

class WorkSource {
 public:
  virtual ~WorkSource() = default;

  // Makes the calls, which are independent of each other, in their order; then claims. The claim's
  // wait delays the whole answer. An Error means that the exchange as a whole failed: with
  // store_unavailable it is unknown which calls were made, and all may be repeated. Any thread.
  virtual Pending<ExchangeAnswer> exchange(Exchange exchange) = 0;
};

}  // namespace baton
