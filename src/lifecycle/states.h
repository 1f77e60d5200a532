// The words of the model, one definition each: job states, execution statuses, failure
// categories, priorities. Names are the canonical ones; how a profile calls a state is in
// profile.h. The numbers are written to disk and to other programs: do not renumber.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace baton::lifecycle {

enum class JobState : std::uint8_t {
  kNone = 0,  // before a job exists: the "from" of its first history entry
  kCreated = 1,
  kPending = 2,
  kDelayed = 3,
  kScheduled = 4,
  kRunning = 5,
  kRetrying = 6,
  kCompleted = 7,
  kFailed = 8,
  kDeadLetter = 9,
  kCancelled = 10,
  kRejected = 11,
};
inline constexpr std::size_t kJobStateCount = 12;

enum class ExecutionStatus : std::uint8_t {
  kLeased = 0,
  kInProgress = 1,
  kCommitted = 2,
  kDone = 3,
  kAborted = 4,
};
inline constexpr std::size_t kExecutionStatusCount = 5;

enum class FailureCategory : std::uint8_t {
  kTemporary = 0,
  kPermanent = 1,
  kTimeout = 2,
  kCancelled = 3,
  kSystem = 4,
};

// Whether another attempt may follow a failure.
enum class ErrorType : std::uint8_t { kRetryable = 0, kTerminal = 1 };

// How a failure category that the caller may configure is treated.
enum class FailureIs : std::uint8_t { kTemporary = 0, kTerminal = 1 };

enum class Priority : std::uint8_t { kCritical = 0, kHigh = 1, kNormal = 2, kLow = 3, kBulk = 4 };
inline constexpr std::size_t kPriorityCount = 5;

// Who caused a history entry.
enum class Actor : std::uint8_t { kClient = 0, kWorker = 1, kSystem = 2 };

// Why a transition happened: the label of its row in the transition table.
enum class Trigger : std::uint8_t {
  kCreate = 0,
  kSubmit = 1,
  kReady = 2,
  kDelay = 3,
  kDue = 4,
  kClaim = 5,
  kDone = 6,
  kFailure = 7,
  kTimeout = 8,
  kLeaseLost = 9,
  kPermanent = 10,
  kExhausted = 11,
  kBackoff = 12,
  kReject = 13,
  kCancel = 14,
  kLifetime = 15,
  kDependency = 16,
};
inline constexpr std::size_t kTriggerCount = 17;

// Terminal is final: nothing ever leaves these.
bool is_terminal(JobState state);

// Terminal, and not COMPLETED.
bool is_bad_ending(JobState state);

// Waiting states: not running and not terminal.
bool is_waiting(JobState state);

// CREATED or PENDING: how its dependencies end still matters to the job.
bool is_before_schedule(JobState state);

// All names of an enum, in the order of its values. The argument only chooses the enum.
std::span<const std::string_view> names(JobState);
std::span<const std::string_view> names(ExecutionStatus);
std::span<const std::string_view> names(FailureCategory);
std::span<const std::string_view> names(ErrorType);
std::span<const std::string_view> names(FailureIs);
std::span<const std::string_view> names(Priority);
std::span<const std::string_view> names(Actor);
std::span<const std::string_view> names(Trigger);

template <class Enum>
std::string_view name(Enum value) {
  return names(value)[static_cast<std::size_t>(value)];
}

// The value with exactly this name, or nullopt.
template <class Enum>
std::optional<Enum> parse(std::string_view text) {
  const auto all = names(Enum{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!text.empty() && all[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace baton::lifecycle
