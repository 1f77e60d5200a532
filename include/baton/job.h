// A job, before and after: what a program hands in to have one made (Submission), and what it reads
// back (Job, its history and its executions). Plain values to be filled by name:
// {.type = "mail", .payload = "{}", .delay = 5s}. Unset means: inherit, from the queue and then
// from its profile. Sizes and limits are in docs/model.md; what exceeds them is refused, never cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baton/result.h"
#include "baton/words.h"

namespace baton {

// Credits, in whole units.
using Amount = std::int64_t;

using Tags = std::map<std::string, std::string>;

// ---- What is handed in ------------------------------------------------------------------------

struct Retry {
  std::optional<int> max_attempts = {};  // executions in all, the first one included
  std::optional<Strategy> strategy = {};
  std::optional<Duration> initial = {};
  std::optional<double> multiplier = {};
  std::optional<Duration> max = {};
  std::optional<Jitter> jitter = {};
  std::vector<Duration> table = {};  // for kTable; its last entry repeats
  std::string function = {};         // for kFunction: its name in EngineOptions

  friend bool operator==(const Retry&, const Retry&) = default;
};

struct Timeouts {
  std::optional<Duration> execution = {};  // one attempt, however often it heartbeats
  std::optional<Duration> lease = {};      // what a heartbeat extends the attempt by
  std::optional<Duration> lifetime = {};   // from creation to the end

  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

// A job that waits for others. They are named by id, or within a batch by "#ref".
struct Dependency {
  DependencyType type = DependencyType::kAfter;
  std::vector<std::string> jobs = {};
  bool allow_failures = false;  // kFanIn only

  friend bool operator==(const Dependency&, const Dependency&) = default;
};

struct Submission {
  std::string type = {};  // required
  std::string queue = "default";
  std::string payload = {};  // bytes; JSON text unless content_type says otherwise
  std::string content_type = "application/json";
  Priority priority = Priority::kNormal;
  std::optional<Duration> delay = {};
  std::optional<Time> run_at = {};
  std::optional<std::string> idempotency_key = {};
  Idempotency idempotency = Idempotency::kByProfile;
  Retry retry = {};
  Timeouts timeouts = {};
  std::optional<FailureIs> timeout_is = {};
  std::optional<FailureIs> system_is = {};
  std::vector<Dependency> depends_on = {};
  Tags tags = {};
  std::string correlation_id = {};
  std::string callback_url = {};
  std::string account = {};
  std::optional<Amount> cost = {};
  bool draft = false;
  std::string traceparent = {};
  std::string ref = {};  // how the other jobs of a batch call this one

  friend bool operator==(const Submission&, const Submission&) = default;
};

struct Batch {
  std::vector<Submission> jobs = {};  // 1 to 1,000
  bool atomic = true;                 // one refusal refuses all
  bool chain = false;                 // each job AFTER the one before it
};

struct Submitted {
  std::string id = {};
  JobState canonical_state = JobState::kNone;
  bool duplicate = false;  // an earlier submission with the same key made this job
};

// ---- What is read back ------------------------------------------------------------------------

struct Failure {
  FailureCategory category = FailureCategory::kTemporary;
  std::string code = {};
  std::string message = {};
  std::string cause = {};

  friend bool operator==(const Failure&, const Failure&) = default;
};

// What an execution brought at its commit.
struct Outcome {
  std::string bytes = {};
  std::string content_type = "application/json";

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Job {
  std::string id = {};
  // As submitted, with references resolved to ids. Priority, tags, correlation id and callback
  // address are the current ones.
  Submission spec = {};
  std::string profile = {};
  std::string state = {};  // as the profile calls it
  JobState canonical_state = JobState::kNone;
  int attempt = 0;  // executions so far
  int max_attempts = 0;
  int retry_count = 0;
  int max_retries = 0;
  Time created_at = {};
  Time updated_at = {};
  std::optional<Time> scheduled_at = {};
  std::optional<Time> run_at = {};
  std::optional<Time> started_at = {};
  std::optional<Time> completed_at = {};
  std::optional<Failure> last_error = {};
  std::optional<ErrorType> error_type = {};
  std::optional<int> progress = {};  // 0 to 100
  std::string progress_message = {};
  std::string checkpoint = {};  // what an attempt left for the next one
  bool cancel_requested = false;
  std::optional<Outcome> result = {};
  std::string parent_id = {};              // empty unless another job spawned it
  std::string redriven_from = {};          // empty unless it is a copy of an ended job
  std::string previous_execution_id = {};  // of the attempt before the current one
  std::vector<std::string> children = {};
  std::int64_t version = 0;  // rises with every change that a reader can see

  bool ended() const { return is_terminal(canonical_state); }
};

// One claim of a job.
struct Execution {
  std::string id = {};
  std::string job_id = {};
  int attempt = 0;  // also its lease version
  std::string previous_execution_id = {};
  std::string worker = {};
  ExecutionStatus status = ExecutionStatus::kLeased;
  Time claimed_at = {};
  Time lease_expires_at = {};
  Time deadline_at = {};
  std::optional<Time> started_at = {};
  std::optional<Time> committed_at = {};
  std::optional<Time> finished_at = {};
  std::optional<Failure> failure = {};
};

// One step of a job, in canonical words.
struct HistoryEntry {
  std::int64_t seq = 0;  // counted from 1
  JobState from = JobState::kNone;
  JobState to = JobState::kNone;
  Trigger trigger = Trigger::kCreate;
  Time at = {};
  std::string execution_id = {};  // empty when it belongs to none
  Actor actor = Actor::kSystem;
};

// Why a job is in its state and what it waits for.
struct Explanation {
  std::string id = {};
  std::string state = {};
  JobState canonical_state = JobState::kNone;
  std::string code = {};                    // stable: "waits_for_dependencies", "queue_paused", …
  std::string sentence = {};                // for a person
  std::optional<Time> until = {};           // when time alone will change it
  std::vector<std::string> waits_for = {};  // unfinished dependencies, at most 100 of them
};

// Unset members match everything.
struct JobFilter {
  std::optional<std::string> queue = {};
  std::optional<std::string> state = {};  // as the job's profile calls it
  std::optional<JobState> canonical_state = {};
  std::optional<std::string> type = {};
  std::optional<std::pair<std::string, std::string>> tag = {};
  std::optional<std::string> correlation_id = {};
  std::optional<std::string> account = {};
  std::optional<Time> created_after = {};   // exclusive
  std::optional<Time> created_before = {};  // exclusive
  std::string cursor = {};                  // JobPage::next_cursor of the page before
  std::size_t limit = 100;                  // 1 to 1,000
};

struct JobPage {
  std::vector<Job> jobs = {};    // newest first
  std::string next_cursor = {};  // empty: there are no more
};

// ---- What can be done to a job ----------------------------------------------------------------

struct CancelJob {
  std::string id = {};
  bool force = false;  // do not wait for the worker
  std::string reason = {};
};

struct RejectJob {
  std::string id = {};
  std::string reason = {};
};

// Only what is set changes.
struct PatchJob {
  std::string id = {};
  std::optional<Priority> priority = {};
  std::optional<Tags> tags = {};
  std::optional<std::string> correlation_id = {};
  std::optional<std::string> callback_url = {};
  std::optional<std::int64_t> version = {};  // refuse unless the job still has this version
};

}  // namespace baton
