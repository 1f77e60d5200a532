#include "cli/bench.h"

#include <unistd.h>

#include <cstdio>
#include <vector>

#include "base/json_writer.h"
#include "cli/bench_rounds.h"
#include "cli/output.h"

namespace baton::cli {
namespace {

constexpr int kBatches[] = {1, 16, 100};

struct Row {
  int batch = 1;
  RoundsResult result;
};

struct Figures {
  std::vector<Row> rows;
  Latency latency;
};

// "http://HOST:PORT".
base::Result<BenchAddress> parse_server(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  const base::Error refused{
      base::Code::kBadRequest, "server must be http://HOST:PORT", "server", {}};
  if (!url.starts_with(kScheme)) return refused;
  const std::string rest = url.substr(kScheme.size());
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == rest.size()) return refused;
  std::string host = rest.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return BenchAddress{host, rest.substr(colon + 1)};
}

base::Result<Figures> measure(const BenchRequest& request, const BenchAddress& address) {
  // A queue of its own, so that nobody's jobs are touched.
  const std::string queue = "bench-" + std::to_string(getpid());
  auto idle = open_idle_polls(address, queue + "-idle", request.idle);
  if (!idle) return idle.error();
  Figures figures;
  const auto latency = measure_latency({.address = address, .queue = queue});
  if (!latency) return latency.error();
  figures.latency = *latency;
  for (const int batch : kBatches) {
    const auto result = run_rounds({.address = address,
                                    .queue = queue,
                                    .connections = request.connections,
                                    .batch = batch,
                                    .seconds = request.seconds});
    if (!result) return result.error();
    figures.rows.push_back({batch, *result});
  }
  return figures;
}

std::string for_people(const BenchRequest& request, const Figures& figures) {
  char line[160];
  std::string text = "submit, claim and acknowledge, " + std::to_string(request.connections) +
                     " connections, " + std::to_string(request.idle) + " idle polls beside them\n" +
                     "  jobs a request   jobs/s\n";
  for (const Row& row : figures.rows) {
    std::snprintf(line, sizeof line, "  %14d %8.0f\n", row.batch, row.result.jobs_per_second());
    text += line;
  }
  std::snprintf(line, sizeof line,
                "from submission to a waiting worker: p50 %.2f ms, p99 %.2f ms\n",
                figures.latency.p50, figures.latency.p99);
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
    json.number(row.result.jobs);
    json.key("jobs_per_second");
    json.real(row.result.jobs_per_second());
    json.end_object();
  }
  json.end_array();
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
  const auto address = parse_server(request.server);
  if (!address) {
    complain(address.error().message);
    return kWrongUsage;
  }
  if (request.connections < 1 || request.seconds < 1 || request.idle < 0) {
    complain("connections and seconds must be at least 1, idle at least 0");
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
