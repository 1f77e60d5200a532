// What one record must be by itself, and what may become of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "lifecycle/failures.h"
#include "lifecycle/transitions.h"
#include "store/conformance/oracle.h"

namespace baton::store::conformance {

using lifecycle::ExecutionFacts;
using lifecycle::JobFacts;
namespace {

bool is_open(const ExecutionRecord& execution) {
  return execution.facts.status != ExecutionStatus::kDone &&
         execution.facts.status != ExecutionStatus::kAborted;
}

bool has_committed(const ExecutionRecord& execution) {
  return execution.facts.status == ExecutionStatus::kCommitted ||
         execution.facts.status == ExecutionStatus::kDone;
}

bool has_committed(const JobRecord& record) {
  return std::any_of(record.executions.begin(), record.executions.end(),
                     [](const ExecutionRecord& execution) { return has_committed(execution); });
}

void check_history(const JobRecord& record) {
  JobState state = JobState::kNone;
  std::int64_t seq = 0;
  Time at;
  int attempt = 0;
  for (const HistoryEntry& entry : record.history) {
    EXPECT_EQ(entry.seq, ++seq) << "sequence numbers are consecutive";
    EXPECT_EQ(entry.from, state) << "history goes on where it was";
    EXPECT_NE(lifecycle::find_transition(entry.from, entry.to, entry.trigger), nullptr)
        << "a step that is not in the table";
    EXPECT_TRUE(record.facts.terms->profile->has(entry.to)) << "a state of another profile";
    EXPECT_GE(entry.at.ms, at.ms) << "time does not fall";
    if (entry.to == JobState::kRunning) ++attempt;
    const bool runs = entry.from == JobState::kRunning || entry.to == JobState::kRunning;
    EXPECT_EQ(entry.attempt, runs ? attempt : 0) << "history names the execution";
    state = entry.to;
    at = entry.at;
  }
  EXPECT_EQ(record.facts.state, state) << "history replays to the state";
  EXPECT_EQ(record.facts.history_count, seq);
  EXPECT_EQ(record.facts.updated_at.ms, at.ms) << "updated_at is the last change of state";
}

void check_execution(const JobRecord& record, std::size_t index) {
  const ExecutionRecord& execution = record.executions[index];
  const ExecutionFacts& facts = execution.facts;
  const bool latest = index + 1 == record.executions.size();
  EXPECT_EQ(facts.attempt, static_cast<int>(index) + 1) << "executions are numbered";
  EXPECT_FALSE(execution.worker.empty()) << "an execution has a worker";
  EXPECT_TRUE(latest || facts.status == ExecutionStatus::kAborted)
      << "an execution that is not the latest was aborted";
  EXPECT_EQ(facts.finished_at.is_set(), !is_open(execution)) << "what is over has an end";
  EXPECT_EQ(facts.committed_at.is_set(), has_committed(execution));
  EXPECT_EQ(execution.failure.has_value(), facts.status == ExecutionStatus::kAborted)
      << "every aborted attempt keeps its failure";
  EXPECT_TRUE(facts.claimed_at.is_set() && facts.deadline_at > facts.claimed_at);
  if (facts.status == ExecutionStatus::kLeased) {
    EXPECT_FALSE(facts.started_at.is_set());
  }
  if (has_committed(execution) || facts.status == ExecutionStatus::kInProgress) {
    EXPECT_TRUE(facts.started_at.is_set());
  }
  if (is_open(execution) && !has_committed(execution)) {
    EXPECT_LE(facts.lease_expires_at.ms, facts.deadline_at.ms) << "a lease ends by its deadline";
  }
  for (std::size_t other = 0; other < index; ++other) {
    EXPECT_FALSE(record.executions[other].facts.token == facts.token) << "tokens differ";
  }
}

void check_executions(const JobRecord& record) {
  const JobFacts& facts = record.facts;
  EXPECT_EQ(facts.attempt, static_cast<int>(record.executions.size()))
      << "attempt counts executions";
  const auto given_back = std::count_if(
      record.executions.begin(), record.executions.end(), [](const ExecutionRecord& one) {
        return one.failure && lifecycle::is_release(one.failure->category, one.failure->code);
      });
  EXPECT_EQ(facts.release_count, given_back) << "release_count counts executions given back";
  EXPECT_LE(lifecycle::spent_attempts(facts), facts.terms->retry.max_attempts)
      << "never more than allowed";
  for (std::size_t i = 0; i < record.executions.size(); ++i)
    check_execution(record, i);
  EXPECT_LE(std::count_if(record.executions.begin(), record.executions.end(),
                          [](const ExecutionRecord& one) { return has_committed(one); }),
            1)
      << "at most one COMMITTED execution, ever";
  const bool open = !record.executions.empty() && is_open(record.executions.back());
  EXPECT_EQ(facts.state == JobState::kRunning, open) << "RUNNING is having an open execution";
  if (!record.executions.empty()) {
    EXPECT_TRUE(facts.execution == record.executions.back().facts)
        << "the job's execution is its latest row";
  }
  EXPECT_TRUE(record.staged.empty() || facts.has_staged);
  if (!open || has_committed(record)) {
    EXPECT_TRUE(record.staged.empty());
  }
  if (record.result) {
    EXPECT_TRUE(has_committed(record)) << "a result without a commit";
  }
}

void check_times(const JobRecord& record) {
  const JobFacts& facts = record.facts;
  const bool waits = facts.state == JobState::kDelayed || facts.state == JobState::kRetrying;
  EXPECT_EQ(facts.run_at.is_set(), waits) << "run_at is set while DELAYED or RETRYING";
  const bool ended = is_terminal(facts.state);
  EXPECT_EQ(facts.completed_at.is_set(), ended) << "completed_at is the end";
  if (ended) {
    EXPECT_EQ(facts.completed_at.ms, record.history.back().at.ms);
  }
  ASSERT_FALSE(record.history.empty());
  EXPECT_EQ(facts.created_at.ms, record.history.front().at.ms);
  Time scheduled;
  for (const HistoryEntry& entry : record.history) {
    if (entry.to == JobState::kScheduled) scheduled = entry.at;
  }
  EXPECT_EQ(facts.scheduled_at.ms, scheduled.ms) << "scheduled_at is the last time it was ready";
  const Time claimed =
      record.executions.empty() ? Time{} : record.executions.back().facts.claimed_at;
  EXPECT_EQ(facts.started_at.ms, claimed.ms) << "started_at is the claim of the current attempt";
}

void check_failure(const JobRecord& record) {
  const JobFacts& facts = record.facts;
  EXPECT_EQ(facts.error_type.has_value(), record.last_failure.has_value());
  EXPECT_EQ(facts.failure_category.has_value(), record.last_failure.has_value());
  if (facts.state == JobState::kCompleted) {
    EXPECT_FALSE(record.last_failure) << "success clears it";
  }
  if (is_bad_ending(facts.state)) {
    EXPECT_TRUE(record.last_failure) << "an end has a why";
  }
  if (!record.last_failure || !facts.error_type || !facts.failure_category) return;
  EXPECT_EQ(*facts.failure_category, record.last_failure->category);
  EXPECT_EQ(*facts.error_type == ErrorType::kTerminal, is_bad_ending(facts.state))
      << "TERMINAL in every unsuccessful ending, else RETRYABLE";
}

void check_counts(const JobRecord& record) {
  const JobFacts& facts = record.facts;
  const auto retries =
      std::count_if(record.history.begin(), record.history.end(),
                    [](const HistoryEntry& entry) { return entry.to == JobState::kRetrying; });
  const auto given_back =
      std::count_if(record.history.begin(), record.history.end(),
                    [](const HistoryEntry& entry) { return entry.trigger == Trigger::kRelease; });
  const auto free =
      std::min<std::ptrdiff_t>(given_back, facts.terms->profile->policy.free_releases);
  EXPECT_EQ(facts.retry_count, retries - free)
      << "retry_count counts entries into RETRYING but those of free releases";
  EXPECT_LE(facts.retry_count, facts.terms->profile->max_retries(facts.terms->retry.max_attempts));
  EXPECT_GE(facts.version, 1);
  if (is_terminal(facts.state) || has_committed(record)) {
    EXPECT_EQ(facts.held, 0) << "credits are settled at the commit or the end";
  }
  EXPECT_FALSE(record.id.is_nil());
  EXPECT_GE(record.number, 1);
}

}  // namespace

void check_record(const JobRecord& record) {
  check_history(record);
  check_executions(record);
  check_times(record);
  check_failure(record);
  check_counts(record);
}

void check_successor(const JobRecord& before, const JobRecord& after) {
  EXPECT_EQ(before.number, after.number);
  EXPECT_EQ(before.spec->payload, after.spec->payload) << "payloads are immutable";
  EXPECT_EQ(before.spec->type, after.spec->type);
  EXPECT_EQ(before.spec->queue, after.spec->queue);
  EXPECT_EQ(before.parent, after.parent);
  EXPECT_EQ(before.redriven_from, after.redriven_from);
  if (before.facts.version == after.facts.version) {
    EXPECT_EQ(before.redriven_to, after.redriven_to);
  }
  EXPECT_EQ(before.facts.created_at.ms, after.facts.created_at.ms);
  EXPECT_TRUE(*before.facts.terms == *after.facts.terms) << "terms never change under a job";
  EXPECT_GE(after.facts.version, before.facts.version) << "the version never falls";
  ASSERT_GE(after.history.size(), before.history.size()) << "history is never shortened";
  EXPECT_TRUE(std::equal(before.history.begin(), before.history.end(), after.history.begin()))
      << "history is never rewritten";
  if (after.history.size() > before.history.size()) {
    EXPECT_GT(after.facts.version, before.facts.version) << "a move is a new version";
  }
  ASSERT_GE(after.executions.size(), before.executions.size());
  for (std::size_t i = 0; i < before.executions.size(); ++i) {
    const ExecutionRecord& old = before.executions[i];
    const ExecutionRecord& now = after.executions[i];
    EXPECT_TRUE(is_open(old) || old == now) << "an execution that is over never changes";
    EXPECT_TRUE(!has_committed(old) || has_committed(now)) << "a commit is never taken back";
    EXPECT_TRUE(old.facts.token == now.facts.token && old.worker == now.worker);
  }
  if (has_committed(before)) {
    EXPECT_EQ(before.result, after.result) << "the first result stands";
  }
  if (is_terminal(before.facts.state)) {
    EXPECT_EQ(difference(before.facts, after.facts), "") << "terminal is final";
    EXPECT_EQ(before.last_failure, after.last_failure);
    EXPECT_EQ(before.labels, after.labels);
  }
}

}  // namespace baton::store::conformance
