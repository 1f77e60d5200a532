// A job, before and after: what a program hands in to have one made (Submission), and what it reads
// back (Job, its history and its executions). Plain values to be filled by name:
// {.type = "mail", .payload = "{}", .delay = 5s}. Unset means: inherit, from the queue and then
// from its profile. Sizes and limits are in docs/model.md; what exceeds them is refused, never cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baton/ids.h"
#include "baton/result.h"
#include "baton/words.h"

namespace baton {

// Credits, in whole units.
using Amount = std::int64_t;

// In the order given; no key twice.
using Tags = std::vector<std::pair<std::string, std::string>>;

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

// At most one job of a type holds a unique key at a time, whatever its queue. What another
// submission with the key does to it, or gets for it, is for that submission to say.
struct Unique {
  std::string key = {};  // required
  UniqueWhile held_while = UniqueWhile::kActive;
  OnConflict on_conflict = OnConflict::kExisting;

  friend bool operator==(const Unique&, const Unique&) = default;
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
  std::optional<Unique> unique = {};
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

// The most jobs of a batch, calls of an exchange and children of an execution.
inline constexpr std::size_t kMaxBatch = 1000;

struct Batch {
  std::vector<Submission> jobs = {};  // 1 to kMaxBatch
  bool atomic = true;                 // one refusal refuses all
  bool chain = false;                 // each job AFTER the one before it
};

struct Submitted {
  JobId id = {};
  JobState canonical_state = JobState::kNone;
  bool duplicate = false;  // an earlier submission with the same key made this job
  // Of a duplicate: whether the earlier one had another payload or content type. Unset when that
  // is not known any more, and when it is no duplicate.
  std::optional<bool> payload_differs = {};
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
  JobId id = {};
  // As submitted, with references resolved to ids. Never null. What may change after the
  // submission, or was inherited, is below as it is now.
  std::shared_ptr<const Submission> spec = {};
  std::string profile = {};
  std::string state = {};  // as the profile calls it
  JobState canonical_state = JobState::kNone;
  Priority priority = Priority::kNormal;
  Tags tags = {};
  std::string correlation_id = {};
  std::string callback_url = {};
  Retry retry = {};        // in force: nothing is unset
  Timeouts timeouts = {};  // likewise
  FailureIs timeout_is = FailureIs::kTemporary;
  FailureIs system_is = FailureIs::kTemporary;
  int attempt = 0;  // executions so far
  int max_attempts = 0;
  int retry_count = 0;
  int release_count = 0;  // how often a worker gave it back
  int max_retries = 0;
  Time created_at = {};
  Time updated_at = {};
  Time scheduled_at = {};  // this and the following: unset when it did not happen
  Time run_at = {};
  Time started_at = {};
  Time completed_at = {};
  std::optional<Failure> last_error = {};
  std::optional<ErrorType> error_type = {};
  std::optional<int> progress = {};  // 0 to 100
  std::string progress_message = {};
  std::string checkpoint = {};  // what an attempt left for the next one
  bool cancel_requested = false;
  std::shared_ptr<const Outcome> result = {};  // null unless it committed one
  JobId parent = {};                           // nil unless another job spawned it
  JobId redriven_from = {};                    // nil unless it is a copy of an ended job
  JobId redriven_to = {};                      // its newest copy; nil unless there is one
  std::string worker = {};                     // who runs it; empty unless RUNNING
  ExecutionId previous_execution = {};         // of the attempt before the current one; nil: none
  std::vector<JobId> children = {};
  std::int64_t version = 0;  // rises with every change that a reader can see

  bool ended() const { return is_terminal(canonical_state); }
};

// How a wait for a job's end went.
struct Waited {
  Job job = {};
  bool timed_out = false;  // the job has not ended
};

// One claim of a job.
struct Execution {
  ExecutionId id = {};                  // names its job, too
  int attempt = 0;                      // also its lease version
  ExecutionId previous_execution = {};  // nil: none
  std::string worker = {};
  ExecutionStatus status = ExecutionStatus::kLeased;
  Time claimed_at = {};
  Time lease_expires_at = {};
  Time deadline_at = {};
  Time started_at = {};  // this and the following: unset when it did not happen
  Time committed_at = {};
  Time finished_at = {};
  std::optional<Failure> failure = {};
};

// One step of a job, in canonical words.
struct HistoryEntry {
  std::int64_t seq = 0;  // counted from 1
  JobState from = JobState::kNone;
  JobState to = JobState::kNone;
  Trigger trigger = Trigger::kCreate;
  Time at = {};
  int attempt = 0;  // the execution that it belongs to; 0: none
  Actor actor = Actor::kSystem;

  friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};

// Why a job is in its state and what it waits for.
struct Explanation {
  JobId id = {};
  std::string state = {};
  JobState canonical_state = JobState::kNone;
  std::string code = {};              // stable: "waits_for_dependencies", "queue_paused", …
  std::string sentence = {};          // for a person
  Time until = {};                    // when time alone will change it; unset otherwise
  std::vector<JobId> waits_for = {};  // unfinished dependencies, at most 100 of them
  std::string worker = {};            // of a running job; else empty
  Time worker_last_seen = {};         // unset when it was not seen since the start
};

// Unset members match everything.
struct JobFilter {
  std::optional<std::string> queue = {};
  std::optional<std::string> state = {};  // as the job's profile calls it
  std::optional<JobState> canonical_state = {};
  std::optional<std::string> type = {};
  std::optional<JobId> parent = {};           // made by the commit of this job
  std::optional<std::string> id_prefix = {};  // the first 8 to 36 characters of their ids
  std::optional<std::pair<std::string, std::string>> tag = {};
  std::optional<std::string> correlation_id = {};
  std::optional<std::string> account = {};
  Time created_after = {};                // exclusive; unset: any
  Time created_before = {};               // exclusive; unset: any
  std::optional<Redriven> redriven = {};  // unset: all, but of dead letters those without a copy
  std::string cursor = {};                // JobPage::next_cursor of the page before
  std::size_t limit = 100;                // 1 to 1,000
};

struct JobPage {
  std::vector<Job> jobs = {};    // newest first
  std::string next_cursor = {};  // empty: there are no more
};

// ---- What can be done to a job ----------------------------------------------------------------

struct CancelJob {
  JobId id = {};
  bool force = false;  // do not wait for the worker
  std::string reason = {};
};

struct RejectJob {
  JobId id = {};
  std::string reason = {};
};

struct RedriveJob {
  JobId id = {};
  bool again = false;              // although a copy was made before
  bool drop_dependencies = false;  // the copy waits for nobody
};

// Only what is set changes.
struct PatchJob {
  JobId id = {};
  std::optional<Priority> priority = {};  // while it waits
  std::optional<Time> run_at = {};        // while DELAYED or RETRYING; not ahead: now
  std::optional<Tags> tags = {};
  std::optional<std::string> correlation_id = {};
  std::optional<std::string> callback_url = {};
  std::optional<std::int64_t> version = {};  // refuse unless the job still has this version
};

}  // namespace baton
