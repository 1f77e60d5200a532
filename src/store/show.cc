#include "store/show.h"

#include "base/assert.h"

namespace baton::store {
namespace {

ExecutionId execution_or_nil(const JobId& job, int attempt) {
  return attempt < 1 ? ExecutionId{} : execution_id(job, attempt);
}

Retry in_force(const lifecycle::RetryPolicy& policy) {
  return {.max_attempts = policy.max_attempts,
          .strategy = policy.strategy,
          .initial = policy.initial,
          .multiplier = policy.multiplier,
          .max = policy.max,
          .jitter = policy.jitter,
          .table = policy.table,
          .function = policy.function_name};
}

void show_facts(const lifecycle::JobFacts& facts, Job& job) {
  const lifecycle::Terms& terms = *facts.terms;
  job.profile = terms.profile->name;
  job.state = terms.profile->word(facts.state);
  job.canonical_state = facts.state;
  job.priority = facts.priority;
  job.retry = in_force(terms.retry);
  job.timeouts = {terms.execution, terms.lease, terms.lifetime};
  job.timeout_is = terms.timeout_is;
  job.system_is = terms.system_is;
  job.attempt = facts.attempt;
  job.max_attempts = terms.retry.max_attempts;
  job.retry_count = facts.retry_count;
  job.release_count = facts.release_count;
  job.max_retries = terms.profile->max_retries(job.max_attempts);
  job.created_at = facts.created_at;
  job.updated_at = facts.updated_at;
  job.scheduled_at = facts.scheduled_at;
  job.run_at = facts.run_at;
  job.started_at = facts.started_at;
  job.completed_at = facts.completed_at;
  job.error_type = facts.error_type;
  if (facts.progress != lifecycle::kNoProgress) job.progress = facts.progress;
  job.cancel_requested = facts.cancel_requested;
  job.version = facts.version;
}

}  // namespace

Job show(const std::shared_ptr<const JobRecord>& record) {
  Job job;
  job.id = record->id;
  job.spec = record->spec;
  show_facts(record->facts, job);
  job.tags = record->labels.tags;
  job.correlation_id = record->labels.correlation_id;
  job.callback_url = record->labels.callback_url;
  job.last_error = record->last_failure;
  job.progress_message = record->progress_message;
  job.checkpoint = record->checkpoint;
  if (record->result) job.result = std::shared_ptr<const Outcome>(record, &*record->result);
  job.parent = record->parent;
  job.redriven_from = record->redriven_from;
  job.redriven_to = record->redriven_to;
  if (record->facts.state == JobState::kRunning) job.worker = record->executions.back().worker;
  job.previous_execution = execution_or_nil(record->id, record->facts.attempt - 1);
  job.children = record->children;
  return job;
}

Job show(const MadeJob& made, const std::shared_ptr<const Submission>& spec) {
  Job job;
  job.id = made.id;
  job.spec = spec;
  show_facts(made.facts, job);
  job.tags = spec->tags;
  job.correlation_id = spec->correlation_id;
  job.callback_url = spec->callback_url;
  return job;
}

Execution show(const JobId& job, const ExecutionRecord& execution) {
  const lifecycle::ExecutionFacts& facts = execution.facts;
  return {.id = execution_id(job, facts.attempt),
          .attempt = facts.attempt,
          .previous_execution = execution_or_nil(job, facts.attempt - 1),
          .worker = execution.worker,
          .status = facts.status,
          .claimed_at = facts.claimed_at,
          .lease_expires_at = facts.lease_expires_at,
          .deadline_at = facts.deadline_at,
          .started_at = facts.started_at,
          .committed_at = facts.committed_at,
          .finished_at = facts.finished_at,
          .failure = execution.failure};
}

Claimed show(const ClaimedJob& claimed) {
  BATON_ASSERT(claimed.record != nullptr);
  const lifecycle::ExecutionFacts& execution = claimed.facts.execution;
  Claimed shown{claimed.execution, execution.token, execution.lease_expires_at,
                execution.deadline_at, show(claimed.record)};
  show_facts(claimed.facts, shown.job);  // the record may be newer than the claim
  shown.job.previous_execution = execution_or_nil(claimed.job, execution.attempt - 1);
  return shown;
}

WorkAnswer show(const CallAnswer& answer) {
  const lifecycle::JobFacts& facts = answer.facts;
  return {.job = answer.job,
          .status = facts.execution.status,
          .state = std::string(facts.terms->profile->word(facts.state)),
          .canonical_state = facts.state,
          .lease_expires_at = facts.execution.lease_expires_at,
          .cancel_requested = facts.cancel_requested,
          .repeated = answer.repeated,
          .staged = answer.staged};
}

}  // namespace baton::store
