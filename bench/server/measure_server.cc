#include "bench/server/measure_server.h"

#include <unistd.h>

#include <cstdio>

#include "base/json_writer.h"

namespace baton::bench {

Result<Figures> measure_server(const Plan& plan) {
  const client::Address& address = plan.address;
  // A queue of its own, so that nobody's jobs are touched.
  const std::string queue = "bench-" + std::to_string(getpid());
  auto idle = open_idle_polls(address, queue + "-idle", plan.idle);
  if (!idle) return idle.error();
  Figures figures;
  const auto latency = measure_latency({.address = address, .queue = queue});
  if (!latency) return latency.error();
  figures.latency = *latency;
  RoundsPlan rounds{
      .address = address, .queue = queue, .connections = plan.connections, .seconds = plan.seconds};
  const auto bare = run_bare_requests(rounds);
  if (!bare) return bare.error();
  figures.bare = *bare;
  for (const int batch : plan.batches) {
    rounds.batch = batch;
    const auto result = run_rounds(rounds);
    if (!result) return result.error();
    figures.rows.push_back({batch, *result});
  }
  return figures;
}

std::string text_of(const Plan& plan, const Figures& figures) {
  char line[200];
  std::string text = "submit, claim and acknowledge, " + std::to_string(plan.connections) +
                     " connections, " + std::to_string(plan.idle) + " idle polls beside them\n" +
                     "  jobs a request   jobs/s\n";
  for (const Figures::Row& row : figures.rows) {
    std::snprintf(line, sizeof line, "  %14d %8.0f\n", row.batch, row.result.per_second());
    text += line;
  }
  std::snprintf(line, sizeof line,
                "from submission to a waiting worker: p50 %.2f ms, p99 %.2f ms\n"
                "requests that change nothing, for comparison: %.0f/s\n",
                figures.latency.p50, figures.latency.p99, figures.bare.per_second());
  return text + line;
}

std::string json_of(const Plan& plan, const Figures& figures) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::kPretty);
  json.begin_object();
  json.key("connections");
  json.number(plan.connections);
  json.key("idle_polls");
  json.number(plan.idle);
  json.key("throughput");
  json.begin_array();
  for (const Figures::Row& row : figures.rows) {
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

}  // namespace baton::bench
