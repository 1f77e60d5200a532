#include <cmath>

#include "api/encode.h"
#include "api/encode_parts.h"

namespace baton::api {
namespace {

using base::JsonWriter;

void write_retry_settings(JsonWriter& json, const Retry& retry) {
  json.begin_object();
  write_number(json, "max_attempts", retry.max_attempts);
  write_word(json, "strategy", retry.strategy);
  write_ms(json, "initial_ms", retry.initial);
  json.key("multiplier");
  retry.multiplier ? json.real(*retry.multiplier) : json.null();
  write_ms(json, "max_ms", retry.max);
  write_word(json, "jitter", retry.jitter);
  write_table(json, retry.table);
  json.end_object();
}

void write_rate(JsonWriter& json, const std::optional<RateLimit>& rate) {
  if (!rate) return json.null();
  json.begin_object();
  json.key("per_second");
  json.real(rate->per_second);
  write_number(json, "burst", rate->burst);
  json.end_object();
}

// Jobs by canonical state; a state without jobs is there, too.
void write_counts(JsonWriter& json, const std::vector<std::int64_t>& counts) {
  json.begin_object();
  for (std::size_t i = 1; i < counts.size(); ++i) {
    write_number(json, name(static_cast<JobState>(i)), counts[i]);
  }
  json.end_object();
}

void write_settings(JsonWriter& json, const QueueSettings& settings) {
  json.key("profile");
  json.string(settings.profile->name);
  json.key("retry");
  write_retry_settings(json, settings.retry);
  write_timeouts(json, settings.timeouts);
  write_word(json, "timeout_is", settings.timeout_is);
  write_word(json, "system_is", settings.system_is);
  write_ms(json, "idempotency_window_ms", settings.idempotency_window);
  write_number(json, "max_payload_bytes", static_cast<std::int64_t>(settings.max_payload_bytes));
  write_number(json, "max_pending", settings.max_pending);
  write_number(json, "max_running", settings.max_running);
  json.key("rate");
  write_rate(json, settings.rate);
  json.key("retention");
  json.begin_object();
  write_ms(json, "completed_ms", settings.keep_completed);
  write_ms(json, "failed_ms", settings.keep_failed);
  json.end_object();
  json.key("guards");
  json.begin_object();
  json.end_object();
  write_flag(json, "paused", settings.paused);
  write_flag(json, "draining", settings.draining);
}

void write_rate(JsonWriter& json, std::string_view key, std::int64_t count, Duration span) {
  json.key(key);
  const double per_second =
      span.ms == 0 ? 0 : static_cast<double>(count) * 1000 / static_cast<double>(span.ms);
  json.real(std::round(per_second * 100) / 100);
}

void write_times(JsonWriter& json, std::string_view key, const engine::TimeClasses& times) {
  json.key(key);
  json.begin_object();
  const auto percentile = [&](double share) {
    return times.count() == 0 ? std::nullopt : std::optional(times.percentile(share));
  };
  write_ms(json, "p50_ms", percentile(0.5));
  write_ms(json, "p95_ms", percentile(0.95));
  write_ms(json, "p99_ms", percentile(0.99));
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

}  // namespace

void write_queue(JsonWriter& json, const Queue& queue) {
  json.begin_object();
  json.key("name");
  json.string(queue.name);
  write_settings(json, queue.settings);
  json.key("counts");
  write_counts(json, queue.counts);
  json.end_object();
}

void write_stats(JsonWriter& json, const Stats& stats, const engine::Pace& pace) {
  json.begin_object();
  write_number(json, "live_jobs", stats.live_jobs);
  json.key("queues");
  json.begin_array();
  for (const Queue& queue : stats.queues) {
    json.begin_object();
    json.key("name");
    json.string(queue.name);
    json.key("profile");
    json.string(queue.settings.profile->name);
    write_flag(json, "paused", queue.settings.paused);
    write_flag(json, "draining", queue.settings.draining);
    json.key("counts");
    write_counts(json, queue.counts);
    write_pace(json, pace.read(queue.name));
    json.end_object();
  }
  json.end_array();
  json.key("counts");
  write_counts(json, stats.counts);
  write_pace(json, pace.read_all());
  write_text(json, "next_cursor", stats.more ? stats.queues.back().name : std::string());
  json.end_object();
}

void write_account(JsonWriter& json, const Account& account) {
  json.begin_object();
  json.key("id");
  json.string(account.id);
  json.key("tier");
  json.string(name(account.tier));
  write_number(json, "available", account.balance.available);
  write_number(json, "reserved", account.balance.reserved);
  write_number(json, "captured", account.balance.captured);
  write_number(json, "granted", account.balance.granted);
  write_number(json, "active_jobs", account.active_jobs);
  json.end_object();
}

void write_entry(JsonWriter& json, const LedgerEntry& entry) {
  json.begin_object();
  write_number(json, "seq", entry.seq);
  json.key("kind");
  json.string(name(entry.kind));
  write_number(json, "amount", entry.amount);
  write_id(json, "job_id", entry.job);
  write_time(json, "at", entry.at);
  write_number(json, "available_after", entry.after.available);
  write_number(json, "reserved_after", entry.after.reserved);
  json.end_object();
}

}  // namespace baton::api
