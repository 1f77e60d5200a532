#include "lifecycle/failures.h"

namespace baton::lifecycle {
namespace {

const std::string_view kLeaseLost = "lease_lost";
const std::string_view kDamaged = "damaged";
const std::string_view kReleased = "released";

bool is_temporary(FailureIs setting) { return setting == FailureIs::kTemporary; }

}  // namespace

bool is_retryable(const Terms& terms, FailureCategory category, std::string_view code) {
  switch (category) {
    case FailureCategory::kTemporary:
      return true;
    case FailureCategory::kTimeout:
      return is_temporary(terms.timeout_is);
    case FailureCategory::kSystem:
      return code == kLeaseLost || code == kDamaged || is_temporary(terms.system_is);
    case FailureCategory::kPermanent:
    case FailureCategory::kCancelled:
      return false;
  }
  return false;
}

bool is_release(FailureCategory category, std::string_view code) {
  return category == FailureCategory::kSystem && code == kReleased;
}

FailureView lease_lost_failure() {
  return {FailureCategory::kSystem, kLeaseLost, "the lease ended without a heartbeat", {}};
}

FailureView damaged_failure() {
  return {FailureCategory::kSystem, kDamaged, "what is stored of the job cannot be read", {}};
}

FailureView timeout_failure() {
  return {FailureCategory::kTimeout, "execution_timeout", "the execution passed its deadline", {}};
}

FailureView lifetime_failure() {
  return {FailureCategory::kTimeout, "lifetime_exceeded", "the job's total lifetime is over", {}};
}

FailureView dependency_failure(std::string_view because) {
  if (because.empty()) because = "a dependency did not complete";
  return {FailureCategory::kPermanent, "dependency_failed", because, {}};
}

FailureView released_failure(std::string_view reason) {
  return {FailureCategory::kSystem,
          kReleased,
          reason.empty() ? std::string_view("the worker gave the job back") : reason,
          {}};
}

FailureView cancelled_failure(std::string_view reason) {
  return {FailureCategory::kCancelled,
          "cancelled",
          reason.empty() ? std::string_view("the job was cancelled") : reason,
          {}};
}

FailureView rejected_failure(std::string_view reason) {
  return {FailureCategory::kPermanent,
          "rejected",
          reason.empty() ? std::string_view("the job was rejected by moderation") : reason,
          {}};
}

}  // namespace baton::lifecycle
