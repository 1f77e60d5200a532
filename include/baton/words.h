// The words of the model, as they also appear in JSON and on the command line: name(JobState::
// kDeadLetter) is "DEAD_LETTER". What each of them means is in docs/model.md. The numbers are the
// ones that are written to disk: do not renumber.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace baton {

// Why something was refused. Programs compare codes: none is ever renamed or used again.
enum class Code : std::uint8_t {
  kBadRequest,
  kUnauthenticated,
  kInsufficientCredits,
  kForbidden,
  kNotFound,
  kStaleLease,
  kAlreadyCommitted,
  kInvalidTransition,
  kNotInProfile,
  kConflict,
  kPayloadTooLarge,
  kUnsupportedMediaType,
  kInvalidJob,
  kUnknownDependency,
  kDependencyCycle,
  kDependencyTooDeep,
  kDependencyTooWide,
  kGuardRejected,
  kQuotaExceeded,
  kRateLimited,
  kQueueFull,
  kStoreUnavailable,
  kShuttingDown,
  kSubmissionTimeout,
  kDamaged,  // what is stored of it cannot be read any more
};

// The canonical states; how a job's profile calls its state is Job::state.
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

enum class ExecutionStatus : std::uint8_t {
  kLeased = 0,
  kInProgress = 1,
  kCommitted = 2,
  kDone = 3,
  kAborted = 4,
};

enum class FailureCategory : std::uint8_t {
  kTemporary = 0,
  kPermanent = 1,
  kTimeout = 2,
  kCancelled = 3,
  kSystem = 4,
};

enum class ErrorType : std::uint8_t { kRetryable = 0, kTerminal = 1 };

// How a timeout or a SYSTEM failure is treated.
enum class FailureIs : std::uint8_t { kTemporary = 0, kTerminal = 1 };

// Which ended jobs a list shows: of which a copy was made, or of which none was.
enum class Redriven : std::uint8_t { kAll = 0, kOnly = 1, kNone = 2 };

enum class Priority : std::uint8_t { kCritical = 0, kHigh = 1, kNormal = 2, kLow = 3, kBulk = 4 };

enum class Strategy : std::uint8_t {
  kConstant = 0,
  kLinear = 1,
  kExponential = 2,
  kTable = 3,
  kFunction = 4,  // a BackoffFunction of the engine's options
};

enum class Jitter : std::uint8_t { kNone = 0, kTenPercent = 1, kFull = 2 };

enum class DependencyType : std::uint8_t { kAfter = 0, kAfterAny = 1, kFanIn = 2 };

// What to do about duplicates when a submission brings no key of its own.
enum class Idempotency : std::uint8_t { kByProfile = 0, kAuto = 1, kNone = 2 };

// For how long a job holds its unique key: until it ends, or until its first claim.
enum class UniqueWhile : std::uint8_t { kActive = 0, kWaiting = 1 };

// What a submission is to do about another job that holds its unique key.
enum class OnConflict : std::uint8_t { kExisting = 0, kReplace = 1, kRefuse = 2 };

enum class Actor : std::uint8_t { kClient = 0, kWorker = 1, kSystem = 2 };

// Why a transition happened.
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
  kRelease = 17,
};

// The calls of a worker on an execution that it has claimed.
enum class CallKind : std::uint8_t {
  kStart = 0,
  kHeartbeat = 1,
  kCommit = 2,
  kDone = 3,
  kAck = 4,
  kNack = 5,
  kReject = 6,
  kCancelled = 7,
  kSpawn = 8,
  kAsset = 9,
  kRelease = 10,
};

enum class Tier : std::uint8_t { kGuest = 0, kUser = 1, kPro = 2 };

enum class PostingKind : std::uint8_t { kGrant = 0, kReserve = 1, kCapture = 2, kRelease = 3 };

// The names of an enum, in the order of its values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kNames = {};
template <>
inline constexpr std::array<std::string_view, 25> kNames<Code> = {
    "bad_request",
    "unauthenticated",
    "insufficient_credits",
    "forbidden",
    "not_found",
    "stale_lease",
    "already_committed",
    "invalid_transition",
    "not_in_profile",
    "conflict",
    "payload_too_large",
    "unsupported_media_type",
    "invalid_job",
    "unknown_dependency",
    "dependency_cycle",
    "dependency_too_deep",
    "dependency_too_wide",
    "guard_rejected",
    "quota_exceeded",
    "rate_limited",
    "queue_full",
    "store_unavailable",
    "shutting_down",
    "submission_timeout",
    "damaged",
};
template <>
inline constexpr std::array<std::string_view, 12> kNames<JobState> = {
    "",         "CREATED",   "PENDING", "DELAYED",     "SCHEDULED", "RUNNING",
    "RETRYING", "COMPLETED", "FAILED",  "DEAD_LETTER", "CANCELLED", "REJECTED"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<ExecutionStatus> = {
    "LEASED", "IN_PROGRESS", "COMMITTED", "DONE", "ABORTED"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<FailureCategory> = {
    "TEMPORARY", "PERMANENT", "TIMEOUT", "CANCELLED", "SYSTEM"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<ErrorType> = {"RETRYABLE", "TERMINAL"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<FailureIs> = {"temporary", "terminal"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Redriven> = {"all", "only", "none"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<Priority> = {"CRITICAL", "HIGH", "NORMAL",
                                                                     "LOW", "BULK"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<Strategy> = {
    "constant", "linear", "exponential", "table", "function"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Jitter> = {"none", "ten_percent", "full"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<DependencyType> = {"AFTER", "AFTER_ANY",
                                                                           "FAN_IN"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<UniqueWhile> = {"active", "waiting"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<OnConflict> = {"existing", "replace",
                                                                       "refuse"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Actor> = {"client", "worker", "system"};
template <>
inline constexpr std::array<std::string_view, 18> kNames<Trigger> = {
    "create",  "submit",  "ready",   "delay",      "due",        "claim",
    "done",    "failure", "timeout", "lease_lost", "permanent",  "exhausted",
    "backoff", "reject",  "cancel",  "lifetime",   "dependency", "release"};
template <>
inline constexpr std::array<std::string_view, 11> kNames<CallKind> = {
    "start",  "heartbeat", "commit", "done",  "ack",    "nack",
    "reject", "cancelled", "spawn",  "asset", "release"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Tier> = {"guest", "user", "pro"};
template <>
inline constexpr std::array<std::string_view, 4> kNames<PostingKind> = {"grant", "reserve",
                                                                        "capture", "release"};

// An enum that has names.
template <class Enum>
concept Named = kNames<Enum>
.size() > 0;

template <Named Enum>
constexpr std::string_view name(Enum value) {
  return kNames<Enum>.at(static_cast<std::size_t>(value));
}

// The value with exactly this name, or nullopt.
template <Named Enum>
constexpr std::optional<Enum> parse(std::string_view text) {
  for (std::size_t i = 0; i < kNames<Enum>.size(); ++i) {
    if (!text.empty() && kNames<Enum>[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// Terminal is final: nothing ever leaves these.
constexpr bool is_terminal(JobState state) { return state >= JobState::kCompleted; }

// Terminal, and not COMPLETED.
constexpr bool is_bad_ending(JobState state) { return state > JobState::kCompleted; }

}  // namespace baton
