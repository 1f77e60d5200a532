#include "cli/bench.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/json_writer.h"
#include "cli/bench_rounds.h"
#include "cli/output.h"
#include "client/address.h"

namespace baton::cli {
namespace {

constexpr int kMaxBatch = 1000;

struct Row {
  int batch = 1;
  RoundsResult result;
};

struct Figures {
  RoundsResult bare;
  std::vector<Row> rows;
  Latency latency;
};

Result<Figures> measure(const BenchRequest& request, const client::Address& address) {
  // A queue of its own, so that nobody's jobs are touched.
  const std::string queue = "bench-" + std::to_string(getpid());
  auto idle = open_idle_polls(address, queue + "-idle", request.idle);
  if (!idle) return idle.error();
  Figures figures;
  const auto latency = measure_latency({.address = address, .queue = queue});
  if (!latency) return latency.error();
  figures.latency = *latency;
  RoundsPlan plan{.address = address,
                  .queue = queue,
                  .connections = request.connections,
                  .seconds = request.seconds};
  const auto bare = run_bare_requests(plan);
  if (!bare) return bare.error();
  figures.bare = *bare;
  for (const int batch : request.batches) {
    plan.batch = batch;
    const auto result = run_rounds(plan);
    if (!result) return result.error();
    figures.rows.push_back({batch, *result});
  }
  return figures;
}

std::string for_people(const BenchRequest& request, const Figures& figures) {
  char line[200];
  std::string text = "submit, claim and acknowledge, " + std::to_string(request.connections) +
                     " connections, " + std::to_string(request.idle) + " idle polls beside them\n" +
                     "  jobs a request   jobs/s\n";
  for (const Row& row : figures.rows) {
    std::snprintf(line, sizeof line, "  %14d %8.0f\n", row.batch, row.result.per_second());
    text += line;
  }
  std::snprintf(line, sizeof line,
                "from submission to a waiting worker: p50 %.2f ms, p99 %.2f ms\n"
                "requests that change nothing, for comparison: %.0f/s\n",
                figures.latency.p50, figures.latency.p99, figures.bare.per_second());
  return text + line;
}

std::string for_programs(const BenchRequest& request, const Figures& figures) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::kPretty);
  json.begin_object();
  json.key("connections");
  json.number(request.connections);
  json.key("idle_polls");
  json.number(request.idle);
  json.key("throughput");
  json.begin_array();
  for (const Row& row : figures.rows) {
    json.begin_object();
    json.key("jobs_per_request");
    json.number(row.batch);
    json.key("jobs");
    json.number(row.result.done);
    json.key("jobs_per_second");
    json.real(row.result.per_second());
    json.end_object();
  }
  json.end_array();
  json.key("bare_requests_per_second");
  json.real(figures.bare.per_second());
  json.key("latency");
  json.begin_object();
  json.key("p50_ms");
  json.real(figures.latency.p50);
  json.key("p99_ms");
  json.real(figures.latency.p99);
  json.key("samples");
  json.number(figures.latency.samples);
  json.end_object();
  json.end_object();
  return text + "\n";
}

}  // namespace

int run_bench(const BenchRequest& request) {
  const auto address = client::parse_address(request.server);
  if (!address || address->secure || !address->prefix.empty()) {
    complain("--server must be http://HOST[:PORT]");
    return kWrongUsage;
  }
  if (request.connections < 1 || request.seconds < 1 || request.idle < 0) {
    complain("--connections and --seconds must be at least 1, --idle at least 0");
    return kWrongUsage;
  }
  const auto too_many = [](int batch) { return batch < 1 || batch > kMaxBatch; };
  if (std::any_of(request.batches.begin(), request.batches.end(), too_many)) {
    complain("--batch must be from 1 to " + std::to_string(kMaxBatch));
    return kWrongUsage;
  }
  const auto figures = measure(request, *address);
  if (!figures) {
    complain(figures.error().message);
    return kFailure;
  }
  return print(request.json ? for_programs(request, *figures) : for_people(request, *figures));
}

}  // namespace baton::cli
