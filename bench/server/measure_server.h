// What `baton bench` does: how many durable jobs a server takes through submit, claim and
// acknowledge, and how soon a job reaches a worker that waits. The server runs already, best with
// nothing else to do; this process is its client, on one thread.
#pragma once

#include <string>
#include <vector>

#include "baton/result.h"
#include "bench/server/rounds.h"
#include "client/address.h"

namespace baton::bench {

struct Plan {
  client::Address address;
  int connections = 64;
  int seconds = 5;           // for each figure
  std::vector<int> batches;  // jobs a request, one figure for each
  int idle = 0;              // long polls that wait beside the measured ones
};

struct Figures {
  struct Row {
    int batch = 1;
    RoundsResult result;
  };

  RoundsResult bare;
  std::vector<Row> rows;
  Latency latency;
};

// Works in a queue of its own, so that nobody's jobs are touched. An error when the server cannot
// be reached or refuses.
Result<Figures> measure_server(const Plan& plan);

// For people, and for programs.
std::string text_of(const Plan& plan, const Figures& figures);
std::string json_of(const Plan& plan, const Figures& figures);

}  // namespace baton::bench
