#include "base/error.h"

#include <array>

#include "base/assert.h"

namespace baton::base {
namespace {

// In the order of Code.
const std::array<std::string_view, kCodeCount> kNames = {
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

}  // namespace

std::string_view code_name(Code code) {
  const auto index = static_cast<std::size_t>(code);
  BATON_ASSERT(index < kNames.size());
  return kNames[index];
}

}  // namespace baton::base
