// A lease as its holder sees it: on the worker's own monotonic clock, never later than the store
// sees it, so that clocks of two machines need not agree. Only lengths are taken from the store.
// Values; one thread.
#pragma once

#include "baton/context.h"
#include "baton/result.h"
#include "baton/work_source.h"

namespace baton::worker {

// A point on the worker's monotonic clock.
using Instant = Duration;
inline constexpr Instant kNever = Instant::max();

class Lease {
 public:
  // `from` is not later than the claim in the store, as far as the worker can know.
  Lease(const Claimed& claimed, Instant from);

  // A heartbeat that was sent then succeeded.
  void extend(Instant sent);

  // Heartbeats come at a third of the lease, so that two may fail, and at least every 5 s, so that
  // a cancel is heard of soon.
  Instant heartbeat_due() const { return heartbeat_due_; }
  // The first moment at which over() gives a reason.
  Instant end() const { return end_; }
  Instant deadline() const { return deadline_; }
  Duration term() const { return term_; }

  // kNone, or kDeadline or kLeaseLost when that moment has come.
  StopReason over(Instant now) const;

 private:
  Duration term_;
  Instant deadline_;
  Instant end_{};
  Instant heartbeat_due_{};
};

}  // namespace baton::worker
