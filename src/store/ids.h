// Ids of jobs and executions, and lease tokens, as texts. A job's id is a UUID v4 whose last byte
// is zero; the id of an execution is its job's id with the attempt in that byte. So an execution's
// id names its job, and no index from one to the other is needed. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.h"
#include "lifecycle/job.h"

namespace baton::store {

struct JobId {
  base::Uuid uuid;

  bool is_nil() const { return uuid.is_nil(); }
  friend auto operator<=>(const JobId&, const JobId&) = default;
};

struct ExecutionId {
  base::Uuid uuid;

  JobId job() const;
  int attempt() const { return uuid.bytes[15]; }
  friend auto operator<=>(const ExecutionId&, const ExecutionId&) = default;
};

JobId make_job_id(base::Random& random);
ExecutionId execution_id(const JobId& job, int attempt);

std::string format(const JobId& id);
std::string format(const ExecutionId& id);

// nullopt for anything that cannot be the id of a job, or of an execution.
std::optional<JobId> parse_job_id(std::string_view text);
std::optional<ExecutionId> parse_execution_id(std::string_view text);

// 32 hexadecimal digits, in lower case; nullopt for anything else.
std::string format(const LeaseToken& token);
std::optional<LeaseToken> parse_lease_token(std::string_view text);

}  // namespace baton::store

template <>
struct std::hash<baton::JobId> {
  std::size_t operator()(const baton::JobId& id) const noexcept {
    return static_cast<std::size_t>(baton::base::hash_uuid(id.uuid));
  }
};
