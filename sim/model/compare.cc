#include "sim/model/mismatch.h"
#include "sim/model/verbs.h"

namespace baton::sim {
namespace {

void compare_execution(const ModelJob& job, const lifecycle::ExecutionFacts& actual,
                       std::size_t index, const std::string& where) {
  const ModelExecution& expected = job.executions[index];
  const std::string of = where + ", execution " + shown(index + 1) + " ";
  expect_equal(of + "attempt", static_cast<int>(index) + 1, actual.attempt);
  expect_equal(of + "status", expected.status, actual.status);
  expect_equal(of + "lease", expected.lease, actual.lease);
  expect_equal(of + "claimed_at", expected.claimed_at, actual.claimed_at);
  expect_equal(of + "started_at", expected.started_at, actual.started_at);
  expect_equal(of + "committed_at", expected.committed_at, actual.committed_at);
  expect_equal(of + "finished_at", expected.finished_at, actual.finished_at);
  expect_equal(of + "lease_expires_at", expected.lease_end, actual.lease_expires_at);
  expect_equal(of + "deadline_at", expected.deadline, actual.deadline_at);
  expect(expected.token == actual.token, of + "has another token");
}

}  // namespace

void compare_facts(const ModelJob& job, const lifecycle::JobFacts& facts,
                   const std::string& where) {
  const std::string of = where + ", job " + shown(job.id) + " ";
  expect_equal(of + "state", job.state, facts.state);
  expect_equal(of + "priority", job.priority, facts.priority);
  expect_equal(of + "cancel_requested", job.cancel_requested, facts.cancel_requested);
  expect_equal(of + "attempt", static_cast<int>(job.executions.size()), facts.attempt);
  expect_equal(of + "retry_count", job.retry_count, facts.retry_count);
  expect_equal(of + "release_count", job.release_count, facts.release_count);
  expect_equal(of + "progress", job.progress, facts.progress);
  expect_equal(of + "history_count", job.steps, facts.history_count);
  expect_equal(of + "held", job.held, facts.held);
  expect_equal(of + "created_at", job.created_at, facts.created_at);
  expect_equal(of + "updated_at", job.updated_at, facts.updated_at);
  expect_equal(of + "scheduled_at", job.scheduled_at, facts.scheduled_at);
  expect_equal(of + "run_at", job.run_at, facts.run_at);
  expect_equal(of + "started_at", job.started_at, facts.started_at);
  expect_equal(of + "completed_at", job.completed_at, facts.completed_at);
  expect_equal(of + "failure_category", job.failure, facts.failure_category);
  expect_equal(of + "error_type", job.error_type, facts.error_type);
  // Nobody needs the facts of an attempt that is over; its row has them.
  if (job.state == JobState::kRunning || job.state == JobState::kCompleted) {
    compare_execution(job, facts.execution, job.executions.size() - 1, where);
  }
}

void compare_record(const ModelJob& job, const store::JobRecord& record) {
  const std::string of = "row of " + shown(job.id) + " ";
  compare_facts(job, record.facts, "row");
  expect_equal(of + "executions", job.executions.size(), record.executions.size());
  for (std::size_t i = 0; i < record.executions.size(); ++i) {
    compare_execution(job, record.executions[i].facts, i, "row of " + shown(job.id));
    expect_equal(of + "worker", job.executions[i].worker, record.executions[i].worker);
  }
  expect_equal(of + "history", static_cast<std::size_t>(job.steps), record.history.size());
  expect_equal(of + "parent", job.parent, record.parent);
  expect_equal(of + "redriven_from", job.redriven_from, record.redriven_from);
  expect_equal(of + "redriven_to", job.redriven_to, record.redriven_to);
  expect(job.children == record.children, of + "has other children");
  expect_equal(of + "staged", job.staged.size(), record.staged.size());
  expect_equal(of + "checkpoint", job.checkpoint, record.checkpoint);
  expect(job.result == record.result, of + "has another result");
  expect(job.labels == record.labels, of + "has other labels");
  expect_equal(of + "last failure", job.failure.has_value(), record.last_failure.has_value());
  if (job.failure) expect_equal(of + "category", *job.failure, record.last_failure->category);
  if (job.state == JobState::kCancelled && !job.cancel_reason.empty()) {
    expect_equal(of + "reason", job.cancel_reason, record.last_failure->message);
  }
  expect_equal(of + "payload", job.spec->payload, record.spec->payload);
}

}  // namespace baton::sim
