// Limits on what comes with calls: what is too large is refused, the lease stays, nothing changes.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

TEST_P(Leases, TextsThatAreTooLongAreRefusedAndTheLeaseStays) {
  const ClaimedJob claim = running();
  WorkCall heartbeat = call_of(CallKind::kHeartbeat, claim);
  std::get<HeartbeatCall>(heartbeat.call).message =
      std::string(lifecycle::kMaxMessageLength + 1, 'x');
  EXPECT_EQ(code_of(work(heartbeat)), "invalid_job");
  std::get<HeartbeatCall>(heartbeat.call).message = "fine";
  std::get<HeartbeatCall>(heartbeat.call).checkpoint =
      std::string(lifecycle::kMaxCheckpointBytes + 1, 'x');
  EXPECT_EQ(code_of(work(heartbeat)), "payload_too_large");
  WorkCall ack = call_of(CallKind::kAck, claim);
  std::get<AckCall>(ack.call).result = Outcome{std::string(lifecycle::kMaxResultBytes + 1, 'x')};
  EXPECT_EQ(code_of(work(ack)), "payload_too_large");
  EXPECT_EQ(state_of(claim.job), "RUNNING");
  EXPECT_EQ(code_of(this->ack(claim)), "ok");
}

TEST_P(Leases, AResultMayBeAsLargeAsAPayloadOfItsQueue) {
  const ClaimedJob claim = running();
  WorkCall ack = call_of(CallKind::kAck, claim);
  std::get<AckCall>(ack.call).result = Outcome{std::string(kDefaultPayloadBytes + 1, 'x')};
  EXPECT_EQ(code_of(work(ack)), "payload_too_large");
  EXPECT_EQ(state_of(claim.job), "RUNNING") << "the lease stays";
  QueueUpdate update = update_of("default");
  update.max_payload_bytes = kDefaultPayloadBytes + 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(code_of(work(ack)), "ok");
  const ClaimedJob small = running();
  update.max_payload_bytes = 10;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  ack = call_of(CallKind::kAck, small);
  std::get<AckCall>(ack.call).result = Outcome{std::string(kDefaultPayloadBytes, 'x')};
  EXPECT_EQ(code_of(work(ack)), "ok") << "never less than a mebibyte";
}

TEST_P(Operating, AReasonThatIsTooLongIsRefused) {
  const JobId id = make();
  const std::string reason(lifecycle::kMaxReasonLength + 1, 'x');
  EXPECT_EQ(code_of(cancel(id, false, reason)), "invalid_job");
  EXPECT_EQ(code_of(reject_job(id, reason)), "invalid_job");
  EXPECT_EQ(state_of(id), "SCHEDULED");
}

}  // namespace
}  // namespace baton::store::conformance
