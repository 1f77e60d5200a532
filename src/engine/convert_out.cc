#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/convert.h"

namespace baton::engine {
namespace {

// The enums outside have the numbers of those inside; a test compares every name.
template <class To, class From>
To word(From value) {
  return static_cast<To>(value);
}
template <class To, class From>
std::optional<To> word(std::optional<From> value) {
  if (!value) return std::nullopt;
  return static_cast<To>(*value);
}

Duration outer(base::Duration duration) { return Duration(duration.ms); }
std::optional<Duration> outer(std::optional<base::Duration> duration) {
  if (!duration) return std::nullopt;
  return outer(*duration);
}
Time outer(base::Time time) { return Time(Duration(time.ms)); }
std::optional<Time> outer_if_set(base::Time time) {
  if (!time.is_set()) return std::nullopt;
  return outer(time);
}

Retry outer(const lifecycle::RetrySettings& settings) {
  Retry retry;
  retry.max_attempts = settings.max_attempts;
  retry.strategy = word<Strategy>(settings.strategy);
  retry.initial = outer(settings.initial);
  retry.multiplier = settings.multiplier;
  retry.max = outer(settings.max);
  retry.jitter = word<Jitter>(settings.jitter);
  for (const base::Duration entry : settings.table)
    retry.table.push_back(outer(entry));
  retry.function = settings.function_name;
  return retry;
}

Timeouts outer(const lifecycle::TimeoutSettings& settings) {
  return {.execution = outer(settings.execution),
          .lease = outer(settings.lease),
          .lifetime = outer(settings.lifetime)};
}

std::vector<Dependency> outer(const std::vector<lifecycle::DependencySpec>& specs) {
  std::vector<Dependency> dependencies;
  dependencies.reserve(specs.size());
  for (const lifecycle::DependencySpec& spec : specs) {
    dependencies.push_back({.type = word<DependencyType>(spec.type),
                            .jobs = spec.jobs,
                            .allow_failures = spec.allow_failures});
  }
  return dependencies;
}

std::optional<Failure> outer(const std::optional<store::FailureText>& failure) {
  if (!failure) return std::nullopt;
  return Failure{.category = word<FailureCategory>(failure->category),
                 .code = failure->code,
                 .message = failure->message,
                 .cause = failure->cause};
}

Balance outer(const lifecycle::Balance& balance) {
  return {.granted = balance.granted,
          .available = balance.available,
          .reserved = balance.reserved,
          .captured = balance.captured};
}

std::string id_text(const store::JobId& id) { return id.is_nil() ? "" : store::format(id); }

std::string execution_text(const store::JobId& job, int attempt) {
  return attempt < 1 ? "" : store::format(store::execution_id(job, attempt));
}

std::string state_word(const lifecycle::Job& facts) {
  return std::string(facts.terms->profile->word(facts.state));
}

Submission spec_of(const store::JobRecord& record, const lifecycle::Job& facts) {
  const store::Submission& spec = *record.spec;
  Submission made;
  made.type = spec.type;
  made.queue = spec.queue;
  made.payload = spec.payload;
  made.content_type = spec.content_type;
  made.priority = word<Priority>(facts.priority);
  made.delay = outer(spec.delay);
  if (spec.run_at) made.run_at = outer(*spec.run_at);
  made.idempotency_key = spec.idempotency_key;
  made.idempotency = word<Idempotency>(spec.idempotency);
  made.retry = outer(spec.retry);
  made.timeouts = outer(spec.timeouts);
  made.timeout_is = word<FailureIs>(spec.timeout_is);
  made.system_is = word<FailureIs>(spec.system_is);
  made.depends_on = outer(spec.depends_on);
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
Job job_of(const store::JobRecord& record, const lifecycle::Job& facts) {
  Job job;
  job.id = store::format(record.id);
  job.spec = spec_of(record, facts);
  job.profile = facts.terms->profile->name;
  job.state = state_word(facts);
  job.canonical_state = word<JobState>(facts.state);
  job.attempt = facts.attempt;
  job.max_attempts = facts.terms->retry.max_attempts;
  job.retry_count = facts.retry_count;
  job.max_retries = facts.terms->profile->max_retries(job.max_attempts);
  job.created_at = outer(facts.created_at);
  job.updated_at = outer(facts.updated_at);
  job.scheduled_at = outer_if_set(facts.scheduled_at);
  job.run_at = outer_if_set(facts.run_at);
  job.started_at = outer_if_set(facts.started_at);
  job.completed_at = outer_if_set(facts.completed_at);
  job.last_error = outer(record.last_failure);
  job.error_type = word<ErrorType>(facts.error_type);
  if (facts.progress != lifecycle::kNoProgress) job.progress = facts.progress;
  job.progress_message = record.progress_message;
  job.checkpoint = record.checkpoint;
  job.cancel_requested = facts.cancel_requested;
  if (record.result) job.result = Outcome{record.result->bytes, record.result->content_type};
  job.parent_id = id_text(record.parent);
  job.redriven_from = id_text(record.redriven_from);
  job.previous_execution_id = execution_text(record.id, facts.attempt - 1);
  for (const store::JobId& child : record.children)
    job.children.push_back(store::format(child));
  job.version = facts.version;
  return job;
}

}  // namespace

Error from_store(const base::Error& error) {
  return {.code = word<Code>(error.code),
          .message = error.message,
          .field = error.field,
          .retry_after = outer(error.retry_after)};
}

Submitted from_store(const store::Submitted& submitted) {
  return {.id = store::format(submitted.id),
          .canonical_state = word<JobState>(submitted.facts.state),
          .duplicate = submitted.duplicate};
}

Job from_store(const store::JobRecord& record) { return job_of(record, record.facts); }

std::vector<HistoryEntry> history_of(const store::JobRecord& record) {
  std::vector<HistoryEntry> history;
  history.reserve(record.history.size());
  for (const lifecycle::HistoryEntry& entry : record.history) {
    history.push_back({.seq = entry.seq,
                       .from = word<JobState>(entry.from),
                       .to = word<JobState>(entry.to),
                       .trigger = word<Trigger>(entry.trigger),
                       .at = outer(entry.at),
                       .execution_id = execution_text(record.id, entry.attempt),
                       .actor = word<Actor>(entry.actor)});
  }
  return history;
}

std::vector<Execution> executions_of(const store::JobRecord& record) {
  std::vector<Execution> executions;
  executions.reserve(record.executions.size());
  for (const store::ExecutionRecord& one : record.executions) {
    executions.push_back({.id = execution_text(record.id, one.facts.attempt),
                          .job_id = store::format(record.id),
                          .attempt = one.facts.attempt,
                          .previous_execution_id = execution_text(record.id, one.facts.attempt - 1),
                          .worker = one.worker,
                          .status = word<ExecutionStatus>(one.facts.status),
                          .claimed_at = outer(one.facts.claimed_at),
                          .lease_expires_at = outer(one.facts.lease_expires_at),
                          .deadline_at = outer(one.facts.deadline_at),
                          .started_at = outer_if_set(one.facts.started_at),
                          .committed_at = outer_if_set(one.facts.committed_at),
                          .finished_at = outer_if_set(one.facts.finished_at),
                          .failure = outer(one.failure)});
  }
  return executions;
}

Explanation from_store(const store::Explanation& explanation) {
  Explanation made{.id = store::format(explanation.id),
                   .state = state_word(explanation.facts),
                   .canonical_state = word<JobState>(explanation.facts.state),
                   .code = explanation.code,
                   .sentence = explanation.sentence,
                   .until = outer_if_set(explanation.until)};
  for (const store::JobId& id : explanation.waits_for)
    made.waits_for.push_back(store::format(id));
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
  for (const store::Claimed& one : answer.executions) {
    if (!one.record) continue;
    claimed.push_back({.execution_id = store::format(one.execution),
                       .lease_token = store::format(one.facts.execution.token),
                       .lease_expires_at = outer(one.facts.execution.lease_expires_at),
                       .deadline_at = outer(one.facts.execution.deadline_at),
                       .job = job_of(*one.record, one.facts)});
  }
  return claimed;
}

WorkAnswer from_store(const store::WorkAnswer& answer) {
  return {.job_id = store::format(answer.job),
          .status = word<ExecutionStatus>(answer.facts.execution.status),
          .state = state_word(answer.facts),
          .canonical_state = word<JobState>(answer.facts.state),
          .lease_expires_at = outer(answer.facts.execution.lease_expires_at),
          .cancel_requested = answer.facts.cancel_requested,
          .repeated = answer.repeated,
          .staged = answer.staged};
}

Queue from_store(const store::QueueView& view) {
  const store::QueueSettings& settings = view.settings;
  Queue queue;
  queue.name = view.name;
  queue.profile = settings.profile->name;
  queue.retry = outer(settings.retry);
  queue.timeouts = outer(settings.timeouts);
  queue.timeout_is = word<FailureIs>(settings.timeout_is);
  queue.system_is = word<FailureIs>(settings.system_is);
  queue.idempotency_window = outer(settings.idempotency_window);
  queue.max_payload_bytes = settings.max_payload_bytes;
  queue.max_pending = settings.max_pending;
  queue.max_running = settings.max_running;
  if (settings.rate) queue.rate = RateLimit{settings.rate->per_second, settings.rate->burst};
  queue.keep_completed = outer(settings.keep_completed);
  queue.keep_failed = outer(settings.keep_failed);
  queue.paused = settings.paused;
  queue.draining = settings.draining;
  queue.counts = view.counts;
  return queue;
}

Stats from_store(const store::Stats& stats) {
  Stats made{.live_jobs = stats.live_jobs};
  for (const store::QueueView& view : stats.queues)
    made.queues.push_back(from_store(view));
  return made;
}

Account from_store(const store::AccountRecord& account) {
  return {.id = account.id,
          .tier = word<Tier>(account.tier),
          .balance = outer(account.balance),
          .active_jobs = account.active_jobs};
}

std::vector<LedgerEntry> from_store(const std::vector<store::LedgerEntry>& entries) {
  std::vector<LedgerEntry> made;
  made.reserve(entries.size());
  for (const store::LedgerEntry& entry : entries) {
    made.push_back({.seq = entry.seq,
                    .kind = word<PostingKind>(entry.kind),
                    .amount = entry.amount,
                    .job_id = id_text(entry.job),
                    .at = outer(entry.at),
                    .after = outer(entry.after)});
  }
  return made;
}

Pruned from_store(const store::PruneAnswer& answer) {
  return {.deleted = answer.deleted, .more = answer.more};
}

}  // namespace baton::engine
