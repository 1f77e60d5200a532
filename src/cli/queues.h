// `baton queues`, with `pause`, `resume` and `drain`, and `baton stats`: queues, their settings and
// how many jobs are where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/server_call.h"

namespace baton::cli {

struct QueuesRequest {
  ServerRequest server;
  std::string name;                // empty: all
  std::optional<std::string> set;  // settings to change, as JSON
};

struct SwitchRequest {
  ServerRequest server;
  std::vector<std::string> names;
};

[[nodiscard]] int run_queues(const QueuesRequest& request);
// Each fails when it failed for one of the queues.
[[nodiscard]] int run_pause(const SwitchRequest& request);
[[nodiscard]] int run_resume(const SwitchRequest& request);
[[nodiscard]] int run_drain(const SwitchRequest& request);
[[nodiscard]] int run_stats(const ServerRequest& server);

}  // namespace baton::cli
