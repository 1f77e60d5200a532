#include "store/check_claim.h"

#include "lifecycle/limits.h"
#include "lifecycle/validate.h"

namespace baton::store {
namespace {

constexpr int kMaxClaim = 1000;

Error bad(std::string field, const std::string& message) {
  return {Code::kBadRequest, field + " " + message, std::move(field), {}};
}

}  // namespace

Status check_claim(const ClaimRequest& request) {
  if (request.max < 1 || request.max > kMaxClaim) {
    return bad("max", "must be from 1 to " + std::to_string(kMaxClaim));
  }
  if (request.queues.empty()) return bad("queues", "must name at least one queue");
  if (request.worker.empty()) return bad("worker", "must not be empty");
  if (request.worker.size() > lifecycle::kMaxWorkerLength) {
    return bad("worker",
               "must have at most " + std::to_string(lifecycle::kMaxWorkerLength) + " bytes");
  }
  if (request.lease && request.max_lease) return bad("max_lease_ms", "excludes lease_ms");
  if (request.max_lease) return lifecycle::check_lease(*request.max_lease, "max_lease_ms");
  if (request.lease) return lifecycle::check_lease(*request.lease, "lease_ms");
  return Ok{};
}

}  // namespace baton::store
