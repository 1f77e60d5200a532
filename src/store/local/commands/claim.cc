#include <algorithm>
#include <cstring>

#include "lifecycle/payload_class.h"
#include "store/check_claim.h"
#include "store/local/commands/handlers.h"

namespace baton::store::local {
namespace {

LeaseToken make_token(base::Random& random) {
  const std::uint64_t halves[2] = {random.next(), random.next()};
  LeaseToken token;
  static_assert(sizeof halves == sizeof token.bytes);
  std::memcpy(token.bytes.data(), halves, sizeof halves);
  return token;
}

// The numbers of the wanted types that any live job has; empty if none has.
std::vector<std::uint32_t> known_types(const Core& core, const ClaimRequest& request) {
  std::vector<std::uint32_t> types;
  for (const std::string& type : request.types) {
    const std::uint32_t number = core.types.find(type);
    if (number != CountedNames::kNone) types.push_back(number);
  }
  return types;
}

ClaimedJob lease_out(Core& core, SlotIndex slot, const ClaimRequest& request) {
  const lifecycle::Claim claim{make_token(core.random_source()), request.lease, request.max_lease};
  const auto change = lifecycle::decide(core.slots.load(slot), claim, core.now(), core.random());
  Brought brought;
  brought.worker = request.worker;
  const JobId id = core.slots[slot].id;
  core.apply(slot, change.value(), std::move(brought));
  return {execution_id(id, change->job.attempt), id, change->job};
}

}  // namespace

Answer handle(Core& core, const ClaimRequest& request) {
  if (const auto checked = check_claim(request); !checked) return checked.error();
  ClaimAnswer answer;
  std::size_t bytes = 0;  // of payloads and checkpoints, at most
  const std::vector<std::uint32_t> types = known_types(core, request);
  if (request.stop.stop_requested()) return answer;
  if (!request.types.empty() && types.empty()) return answer;
  for (const std::string& name : request.queues) {
    const std::uint32_t index = core.queues.find(name);
    if (index == kNoName) continue;
    ReadyQueue& queue = core.queues[index];
    const int wanted = request.max - static_cast<int>(answer.executions.size());
    const int allowed = queue.allows(core.now(), wanted);
    int taken = 0;
    for (; taken < allowed; ++taken) {
      const SlotIndex slot = core.next_claimable(index, types);
      if (slot == kNoSlot) break;
      bytes += lifecycle::largest_of(core.slots.payload_class(slot)) + core.checkpoint_bytes(slot);
      if (bytes > lifecycle::kMaxClaimBytes && !answer.executions.empty()) break;
      answer.executions.push_back(lease_out(core, slot, request));
    }
    if (!answer.more) answer.more = core.next_claimable(index, types) != kNoSlot;
    if (queue.settings().rate) {
      lifecycle::rate_take(queue.rate, *queue.settings().rate, core.now(), taken);
    }
  }
  return answer;
}

}  // namespace baton::store::local
