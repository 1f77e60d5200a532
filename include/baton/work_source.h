// Where a worker gets its work: finish some executions and fetch more, in one round trip. An Engine
// is one, in the same process; so is anything that reaches an engine elsewhere. A Worker needs
// nothing else, which is why the same handlers run on either.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "baton/job.h"
#include "baton/pending.h"

namespace baton {

struct ClaimRequest {
  std::vector<std::string> queues = {};    // tried in this order; at least one
  std::vector<std::string> types = {};     // empty: any type
  int max = 1;                             // 1 to 1,000
  std::string worker = {};                 // required
  std::optional<Duration> lease = {};      // else the job's own
  std::optional<Duration> max_lease = {};  // shortens the job's own; not with `lease`
  Duration wait = {};                      // for a first job to come, at most a minute
  std::stop_token stop = {};               // ends the wait early; nothing is leased after that
};

// A job that a claimed one depended on, and what it left behind.
struct DependencyResult {
  JobId job = {};
  std::string state = {};              // in its profile's words; empty: the job was deleted
  std::optional<Outcome> result = {};  // unset: it has none, or one that is too large to come along
  std::optional<std::int64_t> result_bytes = {};  // set: the size of one that is too large

  friend bool operator==(const DependencyResult&, const DependencyResult&) = default;
};

// A job that is the claimer's until its lease ends. Only who has the token may call.
struct Claimed {
  ExecutionId execution = {};
  LeaseToken token = {};
  Time lease_expires_at = {};
  Time deadline_at = {};
  Job job = {};  // job.started_at is the moment of the claim, job.attempt the lease version
  // What the job depended on, in the order named, the children of a FAN_IN behind their parent: at
  // most 100, and 10,000 in one claim, with results of up to 16 KiB each and 256 KiB in all.
  std::vector<DependencyResult> dependency_results = {};
};

// The calls on an execution, in the order of CallKind.

using Children = std::vector<std::shared_ptr<const Submission>>;

struct StartCall {
  std::optional<Duration> execution_limit = {};  // shorter than the job's own

  friend bool operator==(const StartCall&, const StartCall&) = default;
};
struct HeartbeatCall {
  std::optional<int> progress = {};  // 0 to 100
  std::optional<std::string> message = {};
  std::optional<std::string> checkpoint = {};

  friend bool operator==(const HeartbeatCall&, const HeartbeatCall&) = default;
};
struct CommitCall {
  std::optional<Outcome> result = {};
  Children spawn = {};
};
struct DoneCall {};
struct AckCall {  // commit and done in one
  std::optional<Outcome> result = {};
  Children spawn = {};
};
struct NackCall {
  Failure failure = {};
  std::optional<Duration> retry_after = {};

  friend bool operator==(const NackCall&, const NackCall&) = default;
};
struct RejectCall {
  std::string reason = {};

  friend bool operator==(const RejectCall&, const RejectCall&) = default;
};
struct CancelledCall {};
struct SpawnCall {
  Children jobs = {};
};
struct AssetCall {};
struct ReleaseCall {
  std::optional<Duration> delay = {};
  std::string reason = {};

  friend bool operator==(const ReleaseCall&, const ReleaseCall&) = default;
};

using AnyCall = std::variant<StartCall, HeartbeatCall, CommitCall, DoneCall, AckCall, NackCall,
                             RejectCall, CancelledCall, SpawnCall, AssetCall, ReleaseCall>;

struct WorkCall {
  ExecutionId execution = {};
  LeaseToken token = {};
  AnyCall call = {};
  // How long ago the call reached this process. Lease, deadline and lifetime are judged as of then.
  Duration waited = {};

  CallKind kind() const { return static_cast<CallKind>(call.index()); }
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
