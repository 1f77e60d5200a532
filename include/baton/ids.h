// Ids of jobs and executions, and lease tokens. A job's id is a UUID v4 whose last byte is zero;
// the id of an execution is its job's id with the attempt in that byte, so an execution's id names
// its job. Values; any thread.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  bool is_nil() const { return *this == Uuid{}; }
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

struct JobId {
  Uuid uuid = {};

  bool is_nil() const { return uuid.is_nil(); }
  friend auto operator<=>(const JobId&, const JobId&) = default;
};

struct ExecutionId {
  Uuid uuid = {};

  bool is_nil() const { return uuid.is_nil(); }
  JobId job() const;
  int attempt() const { return uuid.bytes[15]; }  // from 1
  friend auto operator<=>(const ExecutionId&, const ExecutionId&) = default;
};

// Drawn at random by each claim; only its holder may act on the execution.
struct LeaseToken {
  std::array<std::uint8_t, 16> bytes{};

  friend bool operator==(const LeaseToken&, const LeaseToken&) = default;
};

// What `max_attempts` may be at most; and the most executions that a job may have, because its
// first kFreeReleases releases spend no attempt.
inline constexpr int kMaxAttempts = 100;
inline constexpr int kFreeReleases = 100;
inline constexpr int kMaxExecutions = kMaxAttempts + kFreeReleases;

// The execution of `job` with this attempt number, 1 to kMaxExecutions.
ExecutionId execution_id(const JobId& job, int attempt);

// "123e4567-e89b-42d3-a456-426614174000".
std::string to_string(const Uuid& uuid);
std::string to_string(const JobId& id);
std::string to_string(const ExecutionId& id);
// 32 hexadecimal digits, in lower case.
std::string to_string(const LeaseToken& token);

// nullopt for anything that cannot be the id of a job or of an execution, or a token.
std::optional<JobId> parse_job_id(std::string_view text);
std::optional<ExecutionId> parse_execution_id(std::string_view text);
std::optional<LeaseToken> parse_lease_token(std::string_view text);

}  // namespace baton
