// `baton work`: a worker that runs a command of the shell for every job.
#pragma once

#include <string>
#include <vector>

#include "cli/server_call.h"

namespace baton::cli {

struct WorkRequest {
  ServerRequest server;
  std::vector<std::string> queues;
  std::vector<std::string> types;  // empty: all
  std::string command;
  int concurrency = 1;
  std::string name;   // of the worker; empty: made up
  std::string grace;  // from SIGTERM to SIGKILL; empty: ten seconds
};

// Works until SIGTERM or SIGINT, then finishes what runs; a second signal ends the commands, too.
// kSuccess unless that cut a job short.
[[nodiscard]] int run_work(const WorkRequest& request);

}  // namespace baton::cli
