// The commands that change jobs: `baton cancel` and `baton retry`. Each takes several ids, and
// fails when it failed for one of them.
#pragma once

#include <string>
#include <vector>

#include "cli/server_call.h"

namespace baton::cli {

struct ChangeRequest {
  ServerRequest server;
  std::vector<std::string> ids;
  bool force = false;  // cancel: do not wait for the worker
  std::string reason;  // cancel
};

[[nodiscard]] int run_cancel(const ChangeRequest& request);
[[nodiscard]] int run_retry(const ChangeRequest& request);

}  // namespace baton::cli
