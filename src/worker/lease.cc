#include "worker/lease.h"

#include <algorithm>

namespace baton::worker {
namespace {

constexpr Duration kMostBetweenHeartbeats{5'000};

}  // namespace

Lease::Lease(const Claimed& claimed, Instant from)
    : term_(claimed.lease_expires_at - claimed.job.started_at),
      deadline_(from + (claimed.deadline_at - claimed.job.started_at)) {
  extend(from);
}

void Lease::extend(Instant sent) {
  end_ = std::min(sent + term_, deadline_);
  heartbeat_due_ = sent + std::min(term_ / 3, kMostBetweenHeartbeats);
}

StopReason Lease::over(Instant now) const {
  if (now >= deadline_) return StopReason::kDeadline;
  if (now >= end_) return StopReason::kLeaseLost;
  return StopReason::kNone;
}

}  // namespace baton::worker
