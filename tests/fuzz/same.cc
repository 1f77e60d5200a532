#include "same.h"

#include <algorithm>

#include "store/work_call.h"
#include "wire/bytes.h"

namespace baton::fuzz {

bool same(Submission a, Submission b) {
  wire::settle_null(a.payload, a.content_type);
  wire::settle_null(b.payload, b.content_type);
  return a == b;
}

bool same(const std::vector<std::shared_ptr<const Submission>>& a,
          const std::vector<std::shared_ptr<const Submission>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(*x, *y); });
}

namespace {

// True also for calls that are no such call.
template <class One>
bool same_part(const WorkCall& a, const WorkCall& b) {
  const One* part = store::part<One>(a);
  const One* other = store::part<One>(b);
  return part == nullptr || other == nullptr ? part == other : *part == *other;
}

}  // namespace

bool same(const WorkCall& a, const WorkCall& b) {
  const Outcome* result = store::result_of(a);
  const Outcome* other = store::result_of(b);
  const bool same_result =
      result == nullptr || other == nullptr ? result == other : *result == *other;
  return a.kind() == b.kind() && a.execution == b.execution && a.token == b.token &&
         same_part<StartCall>(a, b) && same_part<HeartbeatCall>(a, b) &&
         same_part<NackCall>(a, b) && same_part<RejectCall>(a, b) && same_part<ReleaseCall>(a, b) &&
         same_result && same(store::children_of(a), store::children_of(b));
}

bool same(const ClaimRequest& a, const ClaimRequest& b) {
  return a.queues == b.queues && a.types == b.types && a.max == b.max && a.worker == b.worker &&
         a.lease == b.lease && a.wait == b.wait;
}

bool same(const CancelJob& a, const CancelJob& b) {
  return a.id == b.id && a.force == b.force && a.reason == b.reason;
}

bool same(const RejectJob& a, const RejectJob& b) { return a.id == b.id && a.reason == b.reason; }

bool same(const PatchJob& a, const PatchJob& b) {
  return a.id == b.id && a.priority == b.priority && a.tags == b.tags &&
         a.correlation_id == b.correlation_id && a.callback_url == b.callback_url &&
         a.version == b.version;
}

bool same(const QueueUpdate& a, const QueueUpdate& b) {
  return a.name == b.name && a.profile == b.profile && a.retry == b.retry &&
         a.timeouts == b.timeouts && a.timeout_is == b.timeout_is && a.system_is == b.system_is &&
         a.idempotency_window == b.idempotency_window &&
         a.max_payload_bytes == b.max_payload_bytes && a.max_pending == b.max_pending &&
         a.max_running == b.max_running && a.rate == b.rate &&
         a.keep_completed == b.keep_completed && a.keep_failed == b.keep_failed &&
         a.paused == b.paused && a.draining == b.draining;
}

bool same(const GrantCredits& a, const GrantCredits& b) {
  return a.account == b.account && a.amount == b.amount && a.tier == b.tier &&
         a.idempotency_key == b.idempotency_key;
}

}  // namespace baton::fuzz
