// Decides what a worker sends to its source and when: heartbeats that are due, reports, claims for
// free hands. It holds no thread and no clock; the runtime asks it under its mutex, sends what it
// is given and brings back the answers.
//
// Two exchanges may be under way. One carries calls, and a claim that does not wait, so that a
// finished job and the next one cost one round trip. The other is a claim alone that waits for jobs
// to come. When the source fails, both rest until the backoff is over.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "baton/work_source.h"
#include "baton/worker.h"
#include "worker/backoff.h"
#include "worker/ending.h"
#include "worker/held.h"

namespace baton::worker {

struct CourierSettings {
  ClaimRequest claim = {};  // as every claim is; `max` is the courier's
  int concurrency = 1;
  Patience patience = {};
  Duration keep_reports{0};
  std::uint64_t seed = 0;
};

// One exchange under way.
struct Parcel {
  bool waits = false;  // a claim alone
  Exchange exchange = {};
  std::vector<std::shared_ptr<Held>> held = {};  // whose calls these are, in their order
  std::vector<std::int64_t> checkpoints = {};    // which checkpoint each brings; 0 for none
  Instant sent{};
};

using HeldList = std::vector<std::shared_ptr<Held>>;

// What an answer makes the runtime do.
struct Delivery {
  HeldList to_run = {};
  HeldList to_stop = {};
  std::vector<Error> errors = {};  // that nobody else hears of
};

class Courier {
 public:
  explicit Courier(CourierSettings settings);

  // What to send now, if anything. To be asked until there is nothing; each parcel must be
  // answered.
  std::optional<Parcel> next(Instant now);
  // When time alone may change that, or overdue().
  Instant next_due() const;
  Delivery answered(const Parcel& parcel, Result<ExchangeAnswer> answer, Instant now);

  // Takes note of leases that are over, and gives those whose handlers must stop. Drops reports
  // that were kept long enough.
  HeldList overdue(Instant now);

  // The handler of this execution has returned.
  void finish(const std::shared_ptr<Held>& held, Ending ending, Instant now);

  // No claim from now on. A claim that waits ends when the source that is given back is stopped,
  // which runs code of the work source: not under a lock.
  std::stop_source drain();
  // One more try for each report, at once, and no second one for any from now on. Gives those whose
  // handlers must stop.
  HeldList give_up();

  // Nothing is held and nothing is under way.
  bool idle() const { return held_.empty() && !calls_under_way_ && !wait_under_way_; }
  // Every report so far was delivered or found the lease gone, and no handler was made to stop.
  bool clean() const { return clean_; }
  const WorkerStats& stats() const { return stats_; }

 private:
  struct Ride;  // one call of a parcel, with its answer

  int free_hands() const;
  void add_calls(Parcel& parcel, Instant now);
  std::optional<ClaimRequest> claim_for(int hands, Duration wait);
  // Each gives the error after which the source is to be left alone for a while.
  std::optional<Error> take_calls(const Parcel& parcel, const Result<ExchangeAnswer>& answer,
                                  Delivery& delivery);
  std::optional<Error> take_heartbeat(const Ride& ride, Instant sent, Delivery& delivery);
  std::optional<Error> take_report(const Ride& ride, Delivery& delivery);
  std::optional<Error> try_again(const Ride& ride);
  void take_claims(const Parcel& parcel, std::vector<Claimed> executions, Instant now,
                   Delivery& delivery);
  void rest(Instant now);
  void release(const std::shared_ptr<Held>& held);
  void count(CallKind kind);
  void drop(const std::shared_ptr<Held>& held);

  CourierSettings settings_;
  Backoff backoff_;
  HeldList held_;          // in the order of their claims
  Instant rest_until_{0};  // the source failed
  int asked_ = 0;          // jobs that claims under way may bring
  bool calls_under_way_ = false;
  bool wait_under_way_ = false;
  bool draining_ = false;
  bool given_up_ = false;
  bool clean_ = true;
  std::stop_source wait_stop_;
  WorkerStats stats_;
};

}  // namespace baton::worker
