#include "base/json_writer.h"
#include "format_tool.h"

namespace baton::formats {
namespace {

using base::JsonWriter;
using store::JobRecord;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

class Printer {
 public:
  explicit Printer(std::string& out) : json_(out) {}

  void field(std::string_view key, std::string_view value) {
    json_.key(key);
    json_.string(value);
  }
  void field(std::string_view key, std::int64_t value) {
    json_.key(key);
    json_.number(value);
  }
  void field(std::string_view key, Time time) { field(key, time.ms); }

  void failure(std::string_view key, const std::optional<Failure>& failure) {
    json_.key(key);
    if (!failure) return json_.null();
    json_.string(std::string(name(failure->category)) + " " + failure->code + " " +
                 failure->message + " " + failure->cause);
  }

  void submission(const Submission& spec) {
    field("type", spec.type);
    field("queue", spec.queue);
    field("payload", hex(spec.payload));
    field("content_type", spec.content_type);
    field("asked_priority", name(spec.priority));
    field("key", spec.idempotency_key.value_or(""));
    field("function", spec.retry.function);
    field("callback", spec.callback_url);
    field("account", spec.account);
    field("cost", spec.cost.value_or(-1));
    field("traceparent", spec.traceparent);
    for (const auto& group : spec.depends_on) {
      field("depends_on", name(group.type));
      for (const std::string& job : group.jobs)
        field("job", job);
    }
  }

  void facts(const lifecycle::JobFacts& facts) {
    field("profile", facts.terms->profile->name);
    field("state", name(facts.state));
    field("priority", name(facts.priority));
    field("version", facts.version);
    field("attempt", facts.attempt);
    field("retry_count", facts.retry_count);
    field("progress", facts.progress);
    field("held", facts.held);
    field("created_at", facts.created_at);
    field("updated_at", facts.updated_at);
    field("scheduled_at", facts.scheduled_at);
    field("run_at", facts.run_at);
    field("started_at", facts.started_at);
    field("completed_at", facts.completed_at);
    field("max_attempts", facts.terms->retry.max_attempts);
    field("lease", facts.terms->lease.ms);
    field("execution", facts.terms->execution.ms);
    field("lifetime", facts.terms->lifetime.ms);
  }

  void executions(const JobRecord& record) {
    json_.key("executions");
    json_.begin_array();
    for (const store::ExecutionRecord& one : record.executions) {
      json_.begin_object();
      field("status", name(one.facts.status));
      field("worker", one.worker);
      const auto& token = one.facts.token.bytes;
      field("token", hex({reinterpret_cast<const char*>(token.data()), token.size()}));
      field("claimed_at", one.facts.claimed_at);
      field("started_at", one.facts.started_at);
      field("committed_at", one.facts.committed_at);
      field("finished_at", one.facts.finished_at);
      field("deadline_at", one.facts.deadline_at);
      failure("failure", one.failure);
      json_.end_object();
    }
    json_.end_array();
  }

  void history(const JobRecord& record) {
    json_.key("history");
    json_.begin_array();
    for (const HistoryEntry& entry : record.history) {
      json_.string(std::to_string(entry.seq) + " " + std::string(name(entry.from)) + " " +
                   std::string(name(entry.to)) + " " + std::string(name(entry.trigger)) + " " +
                   std::to_string(entry.at.ms) + " " + std::to_string(entry.attempt) + " " +
                   std::string(name(entry.actor)));
    }
    json_.end_array();
  }

  void job(const JobRecord& record) {
    json_.begin_object();
    field("id", to_string(record.id));
    field("number", record.number);
    submission(*record.spec);
    facts(record.facts);
    for (const auto& [key, value] : record.labels.tags)
      field("tag " + key, value);
    field("correlation_id", record.labels.correlation_id);
    failure("last_failure", record.last_failure);
    field("message", record.progress_message);
    field("checkpoint", record.checkpoint);
    field("result", record.result ? record.result->content_type + " " + record.result->bytes : "");
    field("parent", record.parent.is_nil() ? "" : to_string(record.parent));
    for (const JobId& child : record.children)
      field("child", to_string(child));
    for (const auto& staged : record.staged)
      field("staged", staged->type);
    executions(record);
    history(record);
    json_.end_object();
  }

  void queue(const Queue& queue) {
    const auto& settings = queue.settings;
    json_.begin_object();
    field("queue", queue.name);
    field("profile", settings.profile);
    for (std::size_t i = 0; i < queue.counts.size(); ++i) {
      if (queue.counts[i] != 0) {
        field(name(static_cast<JobState>(i)), queue.counts[i]);
      }
    }
    field("max_attempts", settings.retry.max_attempts.value_or(-1));
    field("table", static_cast<std::int64_t>(settings.retry.table.size()));
    field("lease", settings.timeouts.lease.value_or(Duration{}).ms);
    field("window", settings.idempotency_window.ms);
    field("max_payload_bytes", static_cast<std::int64_t>(settings.max_payload_bytes));
    field("max_pending", settings.max_pending.value_or(-1));
    field("max_running", settings.max_running.value_or(-1));
    field("burst", settings.rate ? settings.rate->burst : -1);
    field("keep_completed", settings.keep_completed.ms);
    field("keep_failed", settings.keep_failed.ms);
    field("paused", settings.paused ? 1 : 0);
    json_.end_object();
  }

  void account(const Account& account) {
    json_.begin_object();
    field("account", account.id);
    field("tier", name(account.tier));
    field("available", account.balance.available);
    field("reserved", account.balance.reserved);
    field("captured", account.balance.captured);
    field("active_jobs", account.active_jobs);
    json_.end_object();
  }

 private:
  JsonWriter json_;
};

template <class Print>
void line(std::string& out, Print print) {
  Printer printer(out);
  print(printer);
  out += '\n';
}

}  // namespace

std::string print(store::Store& store) {
  std::string out;
  store::ListJobs filter;
  filter.limit = 1000;
  const auto list = ask<store::JobList>([&](auto done) { store.list(filter, std::move(done)); });
  for (const auto& listed : list.jobs) {
    const auto job = ask<std::shared_ptr<const store::JobRecord>>(
        [&](auto done) { store.get(listed->id, std::move(done)); });
    line(out, [&](Printer& printer) { printer.job(*job); });
  }
  const auto stats = ask<Stats>([&](auto done) { store.stats(std::move(done)); });
  for (const auto& queue : stats.queues)
    line(out, [&](Printer& printer) { printer.queue(queue); });
  const auto account = ask<Account>([&](auto done) { store.get_account("ann", std::move(done)); });
  line(out, [&](Printer& printer) { printer.account(account); });
  return out;
}

}  // namespace baton::formats
