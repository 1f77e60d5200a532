#include "api/encode.h"

#include <cmath>

#include "store/show.h"

namespace baton::api {
namespace {

using base::JsonWriter;

void write_rate(JsonWriter& json, std::string_view key, std::int64_t count, Duration span) {
  json.key(key);
  const double per_second =
      span.ms == 0 ? 0 : static_cast<double>(count) * 1000 / static_cast<double>(span.ms);
  json.real(std::round(per_second * 100) / 100);
}

void write_times(JsonWriter& json, std::string_view key, const engine::TimeClasses& times) {
  const auto percentile = [&](std::string_view name, double share) {
    json.key(name);
    times.count() == 0 ? json.null() : json.number(times.percentile(share).ms);
  };
  json.key(key);
  json.begin_object();
  percentile("p50_ms", 0.5);
  percentile("p95_ms", 0.95);
  percentile("p99_ms", 0.99);
  json.end_object();
}

// The members "rates", "wait" and "run": of the last minute.
void write_pace(JsonWriter& json, const engine::Pace::Reading& reading) {
  json.key("rates");
  json.begin_object();
  write_rate(json, "submitted_per_second", reading.counts.submitted, reading.span);
  write_rate(json, "started_per_second", reading.counts.started, reading.span);
  write_rate(json, "completed_per_second", reading.counts.completed, reading.span);
  write_rate(json, "failed_per_second", reading.counts.failed, reading.span);
  json.end_object();
  write_times(json, "wait", reading.counts.waited);
  write_times(json, "run", reading.counts.ran);
}

void write_counted_queue(JsonWriter& json, const Queue& queue, const engine::Pace& pace) {
  json.begin_object();
  json.key("name");
  json.string(queue.name);
  json.key("profile");
  json.string(queue.settings.profile);
  json.key("paused");
  json.boolean(queue.settings.paused);
  json.key("draining");
  json.boolean(queue.settings.draining);
  json.key("counts");
  wire::write_counts(json, queue.counts);
  write_pace(json, pace.read(queue.name));
  json.end_object();
}

}  // namespace

std::string wrapped_job(const Job& job) {
  std::string body;
  body.reserve(kJobBytes);
  JsonWriter json(body);
  json.begin_object();
  json.key("job");
  wire::write_answer(json, job);
  json.end_object();
  return body;
}

void write_history(JsonWriter& json, const store::JobRecord& record,
                   const PageRange<std::int64_t>& page) {
  Pager pager(page);
  wire::RowOutput out{json, wire::Message::kAnswer, {}, record.id};
  json.begin_object();
  json.key("history");
  json.begin_array();
  for (const HistoryEntry& entry : record.history) {
    if (pager.shows(entry.seq)) write_value(out, entry);
  }
  json.end_array();
  pager.write_next_cursor(json);
  json.end_object();
}

void write_executions(JsonWriter& json, const store::JobRecord& record,
                      const PageRange<std::int64_t>& page) {
  Pager pager(page);
  json.begin_object();
  json.key("executions");
  json.begin_array();
  for (const store::ExecutionRecord& one : record.executions) {
    if (pager.shows(one.facts.attempt)) wire::write_answer(json, store::show(record.id, one));
  }
  json.end_array();
  pager.write_next_cursor(json);
  json.end_object();
}

void write_stats(JsonWriter& json, const Stats& stats, const engine::Pace& pace) {
  json.begin_object();
  json.key("live_jobs");
  json.number(stats.live_jobs);
  json.key("queues");
  json.begin_array();
  for (const Queue& queue : stats.queues)
    write_counted_queue(json, queue, pace);
  json.end_array();
  json.key("counts");
  wire::write_counts(json, stats.counts);
  write_pace(json, pace.read_all());
  write_next_cursor(json, stats.more ? stats.queues.back().name : std::string());
  json.end_object();
}

std::size_t shown_bytes(const store::JobRecord& record) {
  const std::size_t result = record.result ? record.result->bytes.size() : 0;
  // As base64, in case it is not JSON.
  return (record.spec->payload.size() + result) / 3 * 4 + 8 + record.checkpoint.size();
}

}  // namespace baton::api
