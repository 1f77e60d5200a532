// A worker as the engine knows it: by the name in its claims. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "baton/ids.h"
#include "baton/time.h"

namespace baton {

struct HeldExecution {
  ExecutionId id = {};
  Time lease_expires_at = {};

  friend bool operator==(const HeldExecution&, const HeldExecution&) = default;
};

struct SeenWorker {
  std::string name = {};
  // What its latest claim asked for; no queues when it has made none since the start.
  std::vector<std::string> queues = {};
  std::vector<std::string> types = {};  // empty: all
  Time first_seen = {};
  Time last_seen = {};
  std::int64_t execution_count = 0;
  std::vector<HeldExecution> executions = {};  // at most 100 of them
};

}  // namespace baton
