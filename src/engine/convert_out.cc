#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/convert.h"

namespace baton::engine {
namespace {

std::optional<Time> if_set(Time time) {
  if (!time.is_set()) return std::nullopt;
  return time;
}

Retry outer(const Retry& settings) {
  Retry retry;
  retry.max_attempts = settings.max_attempts;
  retry.strategy = settings.strategy;
  retry.initial = settings.initial;
  retry.multiplier = settings.multiplier;
  retry.max = settings.max;
  retry.jitter = settings.jitter;
  retry.table = settings.table;
  retry.function = settings.function_name;
  return retry;
}

std::string id_text(const JobId& id) { return id.is_nil() ? "" : to_string(id); }

std::string execution_text(const JobId& job, int attempt) {
  return attempt < 1 ? "" : to_string(execution_id(job, attempt));
}

std::string state_word(const lifecycle::JobFacts& facts) {
  return std::string(facts.terms->profile->word(facts.state));
}

Submission spec_of(const store::JobRecord& record, const lifecycle::JobFacts& facts) {
  const Submission& spec = *record.spec;
  Submission made;
  made.type = spec.type;
  made.queue = spec.queue;
  made.payload = spec.payload;
  made.content_type = spec.content_type;
  made.priority = facts.priority;
  made.delay = spec.delay;
  made.run_at = spec.run_at;
  made.idempotency_key = spec.idempotency_key;
  made.idempotency = spec.idempotency;
  made.retry = outer(spec.retry);
  made.timeouts = spec.timeouts;
  made.timeout_is = spec.timeout_is;
  made.system_is = spec.system_is;
  made.depends_on = spec.depends_on;
  made.tags = Tags(record.labels.tags.begin(), record.labels.tags.end());
  made.correlation_id = record.labels.correlation_id;
  made.callback_url = record.labels.callback_url;
  made.account = spec.account;
  made.cost = spec.cost;
  made.draft = spec.draft;
  made.traceparent = spec.traceparent;
  made.ref = spec.ref;
  return made;
}

// The text of the record with these facts, which may be older than the record's own.
Job job_of(const store::JobRecord& record, const lifecycle::JobFacts& facts) {
  Job job;
  job.id = to_string(record.id);
  job.spec = spec_of(record, facts);
  job.profile = facts.terms->profile->name;
  job.state = state_word(facts);
  job.canonical_state = facts.state;
  job.attempt = facts.attempt;
  job.max_attempts = facts.terms->retry.max_attempts;
  job.retry_count = facts.retry_count;
  job.max_retries = facts.terms->profile->max_retries(job.max_attempts);
  job.created_at = facts.created_at;
  job.updated_at = facts.updated_at;
  job.scheduled_at = if_set(facts.scheduled_at);
  job.run_at = if_set(facts.run_at);
  job.started_at = if_set(facts.started_at);
  job.completed_at = if_set(facts.completed_at);
  job.last_error = record.last_failure;
  job.error_type = facts.error_type;
  if (facts.progress != lifecycle::kNoProgress) job.progress = facts.progress;
  job.progress_message = record.progress_message;
  job.checkpoint = record.checkpoint;
  job.cancel_requested = facts.cancel_requested;
  job.result = record.result;
  job.parent_id = id_text(record.parent);
  job.redriven_from = id_text(record.redriven_from);
  job.previous_execution_id = execution_text(record.id, facts.attempt - 1);
  for (const JobId& child : record.children)
    job.children.push_back(to_string(child));
  job.version = facts.version;
  return job;
}

}  // namespace

Submitted from_store(const store::MadeJob& submitted) {
  return {.id = to_string(submitted.id),
          .canonical_state = submitted.facts.state,
          .duplicate = submitted.duplicate};
}

Job from_store(const store::JobRecord& record) { return job_of(record, record.facts); }

std::vector<HistoryEntry> history_of(const store::JobRecord& record) {
  std::vector<HistoryEntry> history;
  history.reserve(record.history.size());
  for (const HistoryEntry& entry : record.history) {
    history.push_back({.seq = entry.seq,
                       .from = entry.from,
                       .to = entry.to,
                       .trigger = entry.trigger,
                       .at = entry.at,
                       .execution_id = execution_text(record.id, entry.attempt),
                       .actor = entry.actor});
  }
  return history;
}

std::vector<Execution> executions_of(const store::JobRecord& record) {
  std::vector<Execution> executions;
  executions.reserve(record.executions.size());
  for (const store::ExecutionRecord& one : record.executions) {
    executions.push_back({.id = execution_text(record.id, one.facts.attempt),
                          .job_id = to_string(record.id),
                          .attempt = one.facts.attempt,
                          .previous_execution_id = execution_text(record.id, one.facts.attempt - 1),
                          .worker = one.worker,
                          .status = one.facts.status,
                          .claimed_at = one.facts.claimed_at,
                          .lease_expires_at = one.facts.lease_expires_at,
                          .deadline_at = one.facts.deadline_at,
                          .started_at = if_set(one.facts.started_at),
                          .committed_at = if_set(one.facts.committed_at),
                          .finished_at = if_set(one.facts.finished_at),
                          .failure = one.failure});
  }
  return executions;
}

Explanation from_store(const Explanation& explanation) {
  Explanation made{.id = to_string(explanation.id),
                   .state = state_word(explanation.facts),
                   .canonical_state = explanation.facts.state,
                   .code = explanation.code,
                   .sentence = explanation.sentence,
                   .until = if_set(explanation.until)};
  for (const JobId& id : explanation.waits_for)
    made.waits_for.push_back(to_string(id));
  return made;
}

JobPage from_store(const store::JobList& list) {
  JobPage page;
  page.jobs.reserve(list.jobs.size());
  for (const auto& record : list.jobs)
    page.jobs.push_back(from_store(*record));
  if (list.next_before_number != 0) page.next_cursor = std::to_string(list.next_before_number);
  return page;
}

std::vector<Claimed> from_store(const store::ClaimAnswer& answer) {
  std::vector<Claimed> claimed;
  claimed.reserve(answer.executions.size());
  for (const store::ClaimedJob& one : answer.executions) {
    if (!one.record) continue;
    claimed.push_back({.execution_id = to_string(one.execution),
                       .lease_token = to_string(one.facts.execution.token),
                       .lease_expires_at = one.facts.execution.lease_expires_at,
                       .deadline_at = one.facts.execution.deadline_at,
                       .job = job_of(*one.record, one.facts)});
  }
  return claimed;
}

WorkAnswer from_store(const store::CallAnswer& answer) {
  return {.job_id = to_string(answer.job),
          .status = answer.facts.execution.status,
          .state = state_word(answer.facts),
          .canonical_state = answer.facts.state,
          .lease_expires_at = answer.facts.execution.lease_expires_at,
          .cancel_requested = answer.facts.cancel_requested,
          .repeated = answer.repeated,
          .staged = answer.staged};
}

Queue from_store(const Queue& view) {
  const store::QueueSettings& settings = view.settings;
  Queue queue;
  queue.name = view.name;
  queue.profile = settings.profile->name;
  queue.retry = outer(settings.retry);
  queue.timeouts = settings.timeouts;
  queue.timeout_is = settings.timeout_is;
  queue.system_is = settings.system_is;
  queue.idempotency_window = settings.idempotency_window;
  queue.max_payload_bytes = settings.max_payload_bytes;
  queue.max_pending = settings.max_pending;
  queue.max_running = settings.max_running;
  queue.rate = settings.rate;
  queue.keep_completed = settings.keep_completed;
  queue.keep_failed = settings.keep_failed;
  queue.paused = settings.paused;
  queue.draining = settings.draining;
  queue.counts = view.counts;
  return queue;
}

Stats from_store(const Stats& stats) {
  Stats made{.live_jobs = stats.live_jobs};
  for (const Queue& view : stats.queues)
    made.queues.push_back(from_store(view));
  return made;
}

Account from_store(const Account& account) {
  return {.id = account.id,
          .tier = account.tier,
          .balance = account.balance,
          .active_jobs = account.active_jobs};
}

std::vector<LedgerEntry> from_store(const std::vector<LedgerEntry>& entries) {
  std::vector<LedgerEntry> made;
  made.reserve(entries.size());
  for (const LedgerEntry& entry : entries) {
    made.push_back({.seq = entry.seq,
                    .kind = entry.kind,
                    .amount = entry.amount,
                    .job_id = id_text(entry.job),
                    .at = entry.at,
                    .after = entry.after});
  }
  return made;
}

Pruned from_store(const Pruned& answer) {
  return {.deleted = answer.deleted, .more = answer.more};
}

}  // namespace baton::engine
