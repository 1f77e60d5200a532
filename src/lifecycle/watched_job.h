// What the property tests keep of one job: what a store would (the job, its execution rows, its
// history, its account) and beside it their own notes of what happened. `check_everything` compares
// the two. Only tests include this.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lifecycle/decide.h"
#include "lifecycle/derive.h"
#include "lifecycle/failures.h"
#include "lifecycle/ledger.h"
#include "lifecycle/transitions.h"

namespace baton::lifecycle {

inline constexpr Time kBirth{1'700'000'000'000};

struct ExecutionRow {
  ExecutionFacts execution;
  FailureView failure;
};

class WatchedJob {
 public:
  // The first promise that was broken; empty when none was.
  const std::string& fault() const { return fault_; }
  const std::vector<HistoryEntry>& history() const { return history_; }

 protected:
  void demand(bool holds, const char* what);
  // Writes down what a store would, and checks that the change hangs together.
  void apply(const Change& change);
  void check_everything();

  // The state by the execution rows and the driver's notes alone.
  JobState derived() const;
  bool runs() const { return !rows_.empty() && is_open(rows_.back()); }
  bool committed() const;
  static bool is_open(const ExecutionRow& row) {
    return row.execution.status != ExecutionStatus::kAborted &&
           row.execution.status != ExecutionStatus::kDone;
  }

  Time now_ = kBirth;

  // What a store keeps.
  Terms terms_;
  JobFacts job_;
  std::vector<ExecutionRow> rows_;
  std::vector<HistoryEntry> history_;
  Balance balance_;
  Amount cost_ = 0;
  FailureView last_failure_;
  bool has_failure_ = false;

  // The driver's own notes.
  JobEvidence facts_;
  Time settled_at_;
  Time wake_at_;
  bool cancel_asked_ = false;
  bool staged_ = false;

 private:
  void keep_rows(const Change& change);
  void keep_history(const Change& change);
  void keep_credits(const Change& change);
  void check_versions(const JobFacts& before, const Change& change);
  void check_effects(const JobFacts& before, const Change& change);
  void check_rows();
  void check_times();
  void check_failure();
  void check_timers();

  int results_ = 0;
  int endings_ = 0;
  std::string fault_;
};

inline void WatchedJob::demand(bool holds, const char* what) {
  if (holds || !fault_.empty()) return;
  fault_ = std::string(what) + " (state " + std::string(name(job_.state)) + ", attempt " +
           std::to_string(job_.attempt) + ", steps " + std::to_string(history_.size()) + ")";
}

inline bool WatchedJob::committed() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const ExecutionRow& row) {
    return row.execution.status == ExecutionStatus::kCommitted ||
           row.execution.status == ExecutionStatus::kDone;
  });
}

inline JobState WatchedJob::derived() const {
  std::vector<ExecutionEvidence> executions;
  for (const ExecutionRow& row : rows_) {
    executions.push_back({row.execution.status, row.failure.category, row.failure.code});
  }
  JobEvidence facts = facts_;
  facts.waits = settled_at_ < wake_at_;
  return derive(executions, facts);
}

inline void WatchedJob::apply(const Change& change) {
  const JobFacts before = job_;
  const bool was_terminal = is_terminal(before.state);
  job_ = change.job;
  keep_rows(change);
  keep_history(change);
  keep_credits(change);
  if (change.failure) {
    last_failure_ = *change.failure;
    has_failure_ = true;
  }
  if (change.failure_cleared) has_failure_ = false;
  if (change.result_stored) ++results_;
  demand(!was_terminal || job_.state == before.state, "terminal is final");
  demand(!was_terminal || change.history.empty(), "terminal has no further history");
  demand(job_.updated_at >= before.updated_at, "updated_at never falls");
  if (change.repeated) demand(job_ == before, "a repeat writes nothing");
  check_versions(before, change);
  check_effects(before, change);
}

inline void WatchedJob::keep_rows(const Change& change) {
  if (!change.execution_changed || rows_.empty()) return;
  demand(is_open(rows_.back()), "a closed execution is never written again");
  rows_.back().execution = job_.execution;
  if (change.execution_failure) rows_.back().failure = *change.execution_failure;
}

inline void WatchedJob::keep_history(const Change& change) {
  for (const HistoryEntry& entry : change.history) {
    const JobState from = history_.empty() ? JobState::kNone : history_.back().to;
    demand(entry.seq == static_cast<std::int64_t>(history_.size()) + 1, "seq is consecutive");
    demand(entry.from == from, "history goes on where it was");
    demand(entry.at == now_, "history carries the time");
    demand(find_transition(entry.from, entry.to, entry.trigger) != nullptr, "a row of the table");
    demand(terms_.profile->has(entry.to), "a state of the profile");
    const bool runs = entry.from == JobState::kRunning || entry.to == JobState::kRunning;
    demand(entry.attempt == (runs ? job_.attempt : 0), "history names the execution");
    history_.push_back(entry);
  }
}

inline void WatchedJob::keep_credits(const Change& change) {
  const bool capture = change.effects.has(Effect::kCaptureCredits);
  const bool release = change.effects.has(Effect::kReleaseCredits);
  demand(!(capture && release), "credits go one way");
  demand((change.credits > 0) == (capture || release), "an amount goes with its effect");
  if (!capture && !release) return;
  demand(change.credits == balance_.reserved, "all that is held moves at once");
  if (change.credits != balance_.reserved) return;
  const auto kind = capture ? PostingKind::kCapture : PostingKind::kRelease;
  balance_ = post(balance_, kind, change.credits).value();
  demand(capture == (committed() || facts_.rejected), "captured for work done or refused");
}

inline void WatchedJob::check_versions(const JobFacts& before, const Change& change) {
  demand(job_.version == before.version + (change.job_changed ? 1 : 0),
         "the version rises by one for a change, and else not");
  demand(!change.history.empty() ? change.job_changed : true, "a move is a change");
  if (change.job_changed) return;
  JobFacts same = job_;
  same.execution = before.execution;
  demand(same == before, "without a change only the lease differs");
  if (!change.execution_changed) demand(job_ == before, "no change at all");
}

inline void WatchedJob::check_effects(const JobFacts& before, const Change& change) {
  const bool ends = is_terminal(job_.state) && !is_terminal(before.state);
  const Effects& effects = change.effects;
  if (ends) ++endings_;
  demand(effects.has(Effect::kSettleDependents) == ends, "dependents hear of the end");
  demand(effects.has(Effect::kSendWebhook) == (ends && job_.has_callback), "webhook at the end");
  demand(effects.has(Effect::kLeaveQuota) == (ends && job_.has_account), "quota is left");
  demand(effects.has(Effect::kAuditSafeBlock) == (ends && job_.state == JobState::kRejected),
         "moderation is audited");
  demand(effects.has(Effect::kMakeChildren) == change.result_stored, "children at the commit");
  const bool aborted = change.execution_failure.has_value();
  demand(effects.has(Effect::kDropChildren) == (aborted && staged_), "staged children are dropped");
  if (aborted || change.result_stored) staged_ = false;
  demand(job_.has_staged == staged_, "the job knows of staged children");
}

inline void WatchedJob::check_everything() {
  demand(job_.state == derived(), "derive agrees with the stored state");
  demand(terms_.profile->has(job_.state), "the profile has the state");
  demand(!history_.empty() && history_.back().to == job_.state, "history replays to the state");
  demand(job_.history_count == static_cast<std::int64_t>(history_.size()), "history is counted");
  const auto released = std::count_if(rows_.begin(), rows_.end(), [](const ExecutionRow& row) {
    return is_release(row.failure.category, row.failure.code);
  });
  const auto free = std::min<std::ptrdiff_t>(released, terms_.profile->policy.free_releases);
  demand(job_.release_count == released, "release_count counts executions given back");
  demand(job_.attempt - free <= terms_.retry.max_attempts, "never more attempts than allowed");
  const auto retries =
      std::count_if(history_.begin(), history_.end(),
                    [](const HistoryEntry& entry) { return entry.to == JobState::kRetrying; });
  const auto given_back =
      std::count_if(history_.begin(), history_.end(),
                    [](const HistoryEntry& entry) { return entry.trigger == Trigger::kRelease; });
  demand(job_.retry_count ==
             retries - std::min<std::ptrdiff_t>(given_back, terms_.profile->policy.free_releases),
         "retry_count counts entries into RETRYING but those of free releases");
  demand(job_.retry_count <= terms_.profile->max_retries(terms_.retry.max_attempts),
         "never more retries than allowed");
  demand(job_.retry_count <= job_.attempt, "every retry follows an attempt");
  demand(job_.cancel_requested == cancel_asked_, "the request is kept");
  demand(balances(balance_), "the ledger balances");
  demand(balance_.reserved == job_.held, "the job holds what is reserved");
  const Amount spent = balance_.captured + balance_.reserved;
  demand(spent == 0 || spent == cost_, "reserved once, captured or released once");
  demand(is_terminal(job_.state) ? balance_.reserved == 0 : true, "an ended job holds nothing");
  demand(results_ == (committed() ? 1 : 0), "one result, at the commit");
  demand(endings_ == (is_terminal(job_.state) ? 1 : 0), "one ending");
  check_rows();
  check_times();
  check_failure();
  check_timers();
}

inline void WatchedJob::check_rows() {
  demand(job_.attempt == static_cast<int>(rows_.size()), "attempt counts executions");
  int commits = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ExecutionFacts& execution = rows_[i].execution;
    demand(execution.attempt == static_cast<int>(i) + 1, "executions are numbered");
    const bool over = !is_open(rows_[i]);
    demand(over || i + 1 == rows_.size(), "only the latest execution is open");
    demand(execution.finished_at.is_set() == over, "an execution that is over has an end");
    if (execution.committed_at.is_set()) ++commits;
    demand(execution.committed_at.is_set() || execution.lease_expires_at <= execution.deadline_at ||
               over,
           "a lease ends with its deadline");
  }
  demand(commits <= 1, "at most one COMMITTED execution, ever");
  demand((commits == 1) == committed(), "a commit is never taken back");
}

inline void WatchedJob::check_times() {
  const bool waits = job_.state == JobState::kDelayed || job_.state == JobState::kRetrying;
  demand(job_.run_at == (waits ? wake_at_ : Time{}), "run_at is the next due time");
  demand(job_.completed_at.is_set() == is_terminal(job_.state), "completed_at is the end");
  demand(job_.created_at == kBirth, "created_at stays");
  Time scheduled;
  for (const HistoryEntry& entry : history_) {
    if (entry.to == JobState::kScheduled) scheduled = entry.at;
  }
  demand(job_.scheduled_at == scheduled, "scheduled_at is the last entry into SCHEDULED");
  demand(job_.updated_at == history_.back().at, "updated_at is the last change of state");
  demand(job_.started_at == (rows_.empty() ? Time{} : rows_.back().execution.claimed_at),
         "started_at is the claim of the current attempt");
}

inline void WatchedJob::check_failure() {
  demand(job_.error_type.has_value() == has_failure_, "an error until success clears it");
  demand(job_.failure_category.has_value() == has_failure_, "a category until success clears it");
  if (!has_failure_) return;
  demand(job_.failure_category == last_failure_.category, "the category of the last failure");
  demand((job_.error_type == ErrorType::kTerminal) == is_bad_ending(job_.state),
         "TERMINAL in every unsuccessful ending");
}

inline void WatchedJob::check_timers() {
  const Timers timers = timers_of(job_);
  const bool mortal = !is_terminal(job_.state) && !committed();
  demand(timers.lifetime == (mortal ? kBirth + terms_.lifetime : Time{}), "the lifetime's timer");
  const bool waits = job_.state == JobState::kDelayed || job_.state == JobState::kRetrying;
  demand(timers.next.is_set() == (runs() || waits), "the next timer");
}

}  // namespace baton::lifecycle
