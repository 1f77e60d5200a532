#include <algorithm>
#include <cstring>

#include "lifecycle/limits.h"
#include "lifecycle/validate.h"
#include "store/local/handlers.h"

namespace baton::store::local {
namespace {

using base::Code;
using base::Error;

constexpr int kMaxClaim = 1000;

Error bad(std::string field, const std::string& message) {
  return {Code::kBadRequest, field + " " + message, std::move(field), {}};
}

std::optional<Error> check(const ClaimRequest& request) {
  if (request.max < 1 || request.max > kMaxClaim) {
    return bad("max", "must be from 1 to " + std::to_string(kMaxClaim));
  }
  if (request.queues.empty()) return bad("queues", "must name at least one queue");
  if (request.worker.empty()) return bad("worker", "must not be empty");
  if (request.worker.size() > lifecycle::kMaxWorkerLength) {
    return bad("worker",
               "must have at most " + std::to_string(lifecycle::kMaxWorkerLength) + " bytes");
  }
  if (request.lease) {
    const base::Status lease = lifecycle::check_lease(*request.lease);
    if (!lease) return lease.error();
  }
  return std::nullopt;
}

LeaseToken make_token(base::Random& random) {
  const std::uint64_t halves[2] = {random.next(), random.next()};
  LeaseToken token;
  static_assert(sizeof halves == sizeof token.bytes);
  std::memcpy(token.bytes.data(), halves, sizeof halves);
  return token;
}

// The numbers of the wanted types that any job ever had; empty if none had.
std::vector<std::uint32_t> known_types(const Core& core, const ClaimRequest& request) {
  std::vector<std::uint32_t> types;
  for (const std::string& type : request.types) {
    const std::uint32_t number = core.types.find(type);
    if (number != kNoName) types.push_back(number);
  }
  return types;
}

Claimed lease_out(Core& core, SlotIndex slot, const ClaimRequest& request) {
  const lifecycle::Claim claim{make_token(core.random_source()), request.lease};
  const auto change = lifecycle::decide(core.slots.load(slot), claim, core.now(), core.random());
  Brought brought;
  brought.worker = request.worker;
  const JobId id = core.slots[slot].id;
  core.apply(slot, change.value(), std::move(brought));
  return {execution_id(id, change->job.attempt), id, change->job, nullptr};
}

}  // namespace

Answer handle(Core& core, const ClaimRequest& request) {
  if (const auto refused = check(request)) return *refused;
  ClaimAnswer answer;
  const std::vector<std::uint32_t> types = known_types(core, request);
  if (!request.types.empty() && types.empty()) return answer;
  for (const std::string& name : request.queues) {
    const std::uint32_t index = core.queues.find(name);
    if (index == kNoName) continue;
    Queue& queue = core.queues[index];
    const int wanted = request.max - static_cast<int>(answer.executions.size());
    const int allowed = queue.allows(core.now(), wanted);
    int taken = 0;
    for (; taken < allowed; ++taken) {
      const SlotIndex slot = core.lanes.front(index, types);
      if (slot == kNoSlot) break;
      answer.executions.push_back(lease_out(core, slot, request));
    }
    if (queue.settings.rate) {
      lifecycle::rate_take(queue.rate, *queue.settings.rate, core.now(), taken);
    }
  }
  return answer;
}

}  // namespace baton::store::local
