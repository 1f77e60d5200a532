// What the benchmark measures: rounds of submit, claim and acknowledge on many connections at once,
// and the way of single jobs to a worker that waits. One thread drives all connections.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "baton/result.h"
#include "bench/server/load_connection.h"

namespace baton::bench {

struct RoundsPlan {
  client::Address address;
  std::string queue;
  int connections = 64;
  int batch = 1;  // jobs a request
  int seconds = 5;
};

struct RoundsResult {
  std::int64_t done = 0;  // jobs that went all the way, or bare requests
  double seconds = 0;
  double per_second() const { return seconds > 0 ? static_cast<double>(done) / seconds : 0; }
};

// Every connection submits, claims and acknowledges, again and again; each answer is waited for.
Result<RoundsResult> run_rounds(const RoundsPlan& plan);

// Every connection asks for the server's health: what HTTP costs by itself, as a measure for the
// rest.
Result<RoundsResult> run_bare_requests(const RoundsPlan& plan);

// Times in milliseconds.
struct Latency {
  double p50 = 0;
  double p99 = 0;
  int samples = 0;
};

struct LatencyPlan {
  client::Address address;
  std::string queue;
  int samples = 500;
};

// From sending a submission to the arrival of the job at a worker whose claim waits, one job at a
// time.
Result<Latency> measure_latency(const LatencyPlan& plan);

// Claims that wait for a minute on a queue where nothing comes; they last as long as the value.
Result<std::vector<LoadConnection>> open_idle_polls(const client::Address& address,
                                                    const std::string& queue, int count);

}  // namespace baton::bench
