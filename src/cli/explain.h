// `baton explain`: why a job is in its state, and what it waits for.
#pragma once

#include <string>

#include "cli/server_call.h"

namespace baton::cli {

struct ExplainRequest {
  ServerRequest server;
  std::string id;
};

[[nodiscard]] int run_explain(const ExplainRequest& request);

}  // namespace baton::cli
