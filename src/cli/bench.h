// `baton bench`: how many durable jobs a server takes through submit, claim and acknowledge, and
// how soon a job reaches a worker that waits. The client is this process; it needs a server that is
// already running, best with nothing else to do.
#pragma once

#include <string>
#include <vector>

namespace baton::cli {

struct BenchRequest {
  std::string server = "http://127.0.0.1:2286";
  int connections = 64;
  int seconds = 5;                          // for each figure
  std::vector<int> batches = {1, 16, 100};  // jobs a request
  int idle = 0;                             // long polls that wait beside the measured ones
  bool json = false;
};

// kSuccess after the figures were printed; kFailure when the server cannot be reached or refuses.
int run_bench(const BenchRequest& request);

}  // namespace baton::cli
