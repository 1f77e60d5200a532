// Claims as a store gives them, for the tests of this folder.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "baton/work_source.h"

namespace baton::worker {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

struct ClaimLengths {
  Duration lease = 30s;
  Duration execution = 30min;
};

// Ids that show a name of at most 14 letters.
inline JobId job_named(const std::string& name) {
  JobId id;
  std::copy(name.begin(), name.end(), id.uuid.bytes.begin());
  return id;
}
inline ExecutionId execution_named(const std::string& name) {
  return execution_id(job_named(name), 1);
}
inline std::string name_of(const ExecutionId& id) {
  const auto& bytes = id.uuid.bytes;
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), 0)};
}
inline LeaseToken token_named(const std::string& name) { return {job_named(name).uuid.bytes}; }

inline Claimed claimed_job(const std::string& name, ClaimLengths lengths = {},
                           Submission spec = {.type = "t"}) {
  const Time at{1'700'000'000'000};
  Claimed claimed{.execution = execution_named(name),
                  .token = token_named(name),
                  .lease_expires_at = at + std::min(lengths.lease, lengths.execution),
                  .deadline_at = at + lengths.execution};
  claimed.job.id = job_named(name);
  claimed.job.spec = std::make_shared<const Submission>(std::move(spec));
  claimed.job.attempt = 1;
  claimed.job.started_at = at;
  return claimed;
}

}  // namespace baton::worker
