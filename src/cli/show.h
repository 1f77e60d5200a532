// `baton show`: a job, and on request what happened to it.
#pragma once

#include <string>

#include "cli/server_call.h"

namespace baton::cli {

struct ShowRequest {
  ServerRequest server;
  std::string id;
  bool history = false;
  bool executions = false;
};

[[nodiscard]] int run_show(const ShowRequest& request);

}  // namespace baton::cli
