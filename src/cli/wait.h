// `baton wait`: waits for the end of a job.
#pragma once

#include <optional>
#include <string>

#include "cli/server_call.h"

namespace baton::cli {

struct WaitRequest {
  ServerRequest server;
  std::string id;
  std::string timeout;  // empty: as long as it takes
};

// kSuccess when the job has been completed; kFailure when it ended otherwise, or not in time.
[[nodiscard]] int run_wait(const WaitRequest& request);

// The same on a client that is there; without a timeout, as long as it takes.
int wait_for(Client& client, bool json, const std::string& id, std::optional<Duration> timeout);

}  // namespace baton::cli
