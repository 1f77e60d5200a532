// Claims as a store gives them, for the tests of this folder.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "baton/work_source.h"

namespace baton::worker {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

struct ClaimLengths {
  Duration lease = 30s;
  Duration execution = 30min;
};

inline Claimed claimed_job(const std::string& id, ClaimLengths lengths = {}) {
  const Time at{1'700'000'000'000};
  Claimed claimed{.execution = id,
                  .token = "token of " + id,
                  .lease_expires_at = at + std::min(lengths.lease, lengths.execution),
                  .deadline_at = at + lengths.execution};
  claimed.job.id = "job of " + id;
  claimed.job.spec.type = "t";
  claimed.job.attempt = 1;
  claimed.job.started_at = at;
  return claimed;
}

}  // namespace baton::worker
