#include "worker/lease.h"

#include <gtest/gtest.h>

#include "worker/claims.h"

namespace baton::worker {
namespace {

TEST(WorkerLease, HeartbeatsComeAtAThirdButEveryFiveSeconds) {
  EXPECT_EQ(Lease(claimed_job("e", {.lease = 12s}), 100s).heartbeat_due(), 104s);
  EXPECT_EQ(Lease(claimed_job("e", {.lease = 15s}), 100s).heartbeat_due(), 105s);
  const Lease lease(claimed_job("e", {.lease = 30s}), 100s);
  EXPECT_EQ(lease.term(), 30s);
  EXPECT_EQ(lease.heartbeat_due(), 105s);
  EXPECT_EQ(lease.end(), 130s);
  EXPECT_EQ(lease.deadline(), 100s + 30min);
}

TEST(WorkerLease, EndsAtItsVeryEnd) {
  const Lease lease(claimed_job("e", {.lease = 30s}), 100s);
  EXPECT_EQ(lease.over(130s - 1ms), StopReason::kNone);
  EXPECT_EQ(lease.over(130s), StopReason::kLeaseLost);
}

TEST(WorkerLease, CountsFromWhenAHeartbeatWasSent) {
  Lease lease(claimed_job("e", {.lease = 30s}), 100s);
  lease.extend(111s);
  EXPECT_EQ(lease.heartbeat_due(), 116s);
  EXPECT_EQ(lease.end(), 141s);
}

TEST(WorkerLease, NeverOutlivesTheDeadline) {
  Lease lease(claimed_job("e", {.lease = 30s, .execution = 50s}), 100s);
  lease.extend(130s);
  EXPECT_EQ(lease.end(), 150s);
  EXPECT_EQ(lease.over(150s - 1ms), StopReason::kNone);
  EXPECT_EQ(lease.over(150s), StopReason::kDeadline);
  EXPECT_EQ(lease.over(200s), StopReason::kDeadline);
}

}  // namespace
}  // namespace baton::worker
