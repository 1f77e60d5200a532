// The refusals that Baton can answer with. A code is stable: programs compare it, so a code is
// never renamed or reused. The message is for a person and may change; `field` names the part of
// the request that is to blame, when one is. Values, no threads, no allocation beyond the strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace baton::base {

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
inline constexpr int kCodeCount = static_cast<int>(Code::kDamaged) + 1;

// The code as it appears in answers: "stale_lease".
std::string_view code_name(Code code);

struct Error {
  Code code = Code::kBadRequest;
  std::string message;
  std::string field;       // empty when no single field is to blame
  Duration retry_after{};  // how long to wait before asking again; zero when unknown

  friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace baton::base
