// What the reference model remembers: jobs, queues, accounts, as plain values in maps, searched by
// walking over them. Deleted jobs stay, marked, because others may have depended on them. A copy
// of the whole state is how the model tries out a batch that was refused as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/model/rules.h"
#include "store/commands.h"

namespace baton::sim {

using Spec = std::shared_ptr<const Submission>;

bool is_end(JobState state);
bool is_bad_end(JobState state);
bool is_waiting_state(JobState state);

struct ModelExecution {
  LeaseToken token;
  ExecutionStatus status = ExecutionStatus::kLeased;
  std::string worker;
  Duration lease{};
  Time claimed_at;
  Time started_at;
  Time committed_at;
  Time finished_at;
  Time lease_end;
  Time deadline;
};

struct ModelGroup {
  DependencyType type = DependencyType::kAfter;
  bool allow_failures = false;
  std::vector<JobId> jobs;
  // FAN_IN: which children it waits for, by parent. Fixed when the parent ends or, if later, when
  // the job is made.
  std::map<JobId, std::vector<JobId>> children = {};
};

struct ModelJob {
  JobId id;
  std::int64_t number = 0;
  Spec spec;
  std::string queue;
  std::string type;
  Promise promise;
  bool deleted = false;

  JobState state = JobState::kNone;
  Priority priority = Priority::kNormal;
  bool cancel_requested = false;
  std::string cancel_reason;  // of the first request
  int retry_count = 0;
  int release_count = 0;
  int progress = lifecycle::kNoProgress;
  std::int64_t steps = 0;  // entries of its history
  Amount held = 0;
  Duration delay{};
  Time not_before;
  Time created_at;
  Time updated_at;
  Time scheduled_at;
  Time run_at;
  Time started_at;
  Time completed_at;
  std::optional<FailureCategory> failure;
  std::optional<ErrorType> error_type;
  std::int64_t ready_number = 0;  // among all SCHEDULED jobs: who became so first

  std::vector<ModelExecution> executions;
  std::vector<ModelGroup> groups;
  std::vector<JobId> children;
  std::vector<Spec> staged;
  JobId parent;
  JobId redriven_from;
  JobId redriven_to;
  bool left_pending = false;  // it went on from PENDING: its dependencies were met
  std::optional<Outcome> result;
  std::string checkpoint;
  store::Labels labels;

  ModelExecution& last() { return executions.back(); }
  const ModelExecution& last() const { return executions.back(); }
  bool committed() const;
  Time lifetime_end() const { return created_at + promise.lifetime; }
};

// A key that a job of some type holds.
struct ModelKey {
  std::string type;
  std::string key;   // an explicit one; empty for a made one
  std::string made;  // of what a made key is made, without the minute
  std::int64_t minute = 0;
  JobId job;
  Time created_at;
  Time ends_at;
};

// Tokens in millionths: how many executions of a queue may start.
constexpr std::int64_t kToken = 1'000'000;
struct ModelBucket {
  std::int64_t tokens = 0;
  Time at;
};

struct ModelQueue {
  QueueSettings settings;
  ModelBucket bucket;
};

struct ModelAccount {
  Tier tier = Tier::kGuest;
  Amount granted = 0;
  Amount available = 0;
  Amount reserved = 0;
  Amount captured = 0;
  std::int64_t active = 0;
  std::vector<Time> submissions;
  std::set<std::string> grant_keys;
};

struct State {
  std::map<JobId, ModelJob> jobs;
  std::set<JobId> live;
  std::set<std::pair<JobId, JobId>> told;  // who waits, and of whose end it knows
  std::set<JobId> lately_ended;            // since the machine last had nothing left to do
  std::vector<ModelKey> keys;
  std::map<std::string, ModelQueue> queues;
  std::map<std::string, ModelAccount> accounts;
  std::int64_t ready_count = 0;
  std::int64_t last_number = 0;
  std::int64_t safe_blocks = 0;  // records of the audit log
  std::int64_t invented = 0;     // ids made up for a batch that is only tried out

  // nullptr when there is none, or when it was deleted.
  ModelJob* find(const JobId& id);
  // Deleted ones, too.
  const ModelJob& any(const JobId& id) const;
  // Along the copies that redrives made; deleted ones, too.
  const ModelJob& newest_copy(const JobId& id) const;
  std::int64_t count(const std::string& queue, bool (*which)(JobState)) const;
  std::int64_t running(const std::string& queue) const;
};

}  // namespace baton::sim
