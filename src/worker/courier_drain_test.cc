// How a courier comes to its end: draining, and giving up.
#include "worker/driven_courier.h"

namespace baton::worker {
namespace {

class CourierDrainTest : public CourierTest {};

TEST_F(CourierDrainTest, DrainsWithoutNewClaims) {
  open(2);
  const auto held = hold({claimed_job("a")}).at(0);
  const Parcel waiting = sent();
  EXPECT_FALSE(waiting.exchange.claim->stop.stop_requested());
  courier().drain().request_stop();
  EXPECT_TRUE(waiting.exchange.claim->stop.stop_requested());
  answer(waiting);
  EXPECT_TRUE(silent());
  finish(held);
  const Parcel report = sent();
  EXPECT_FALSE(report.exchange.claim);
  EXPECT_FALSE(courier().idle());
  answer(report);
  EXPECT_TRUE(courier().idle());
  EXPECT_TRUE(courier().clean());
  EXPECT_EQ(courier().next_due(), kNever);
}

TEST_F(CourierDrainTest, RunsWhatAClaimBringsWhileItDrains) {
  open(1);
  const Parcel waiting = sent();
  courier().drain();
  EXPECT_FALSE(courier().idle());
  const auto held = answer(waiting, {.executions = {claimed_job("a")}}).to_run.at(0);
  finish(held);
  answer(sent());
  EXPECT_TRUE(courier().idle());
}

TEST_F(CourierDrainTest, GivingUpStopsHandlersAndKeepsTheirLeases) {
  const auto held = hold_one();
  courier().drain();
  EXPECT_EQ(courier().give_up(), HeldList{held});
  EXPECT_EQ(held->reason(), StopReason::kWorkerStops);
  EXPECT_FALSE(courier().clean());
  now_ += 10s;
  answer(sent());
  finish(held, {.kind = Ending::Kind::kCancelled});
  const Parcel report = sent();
  EXPECT_EQ(std::get<ReleaseCall>(report.exchange.calls[0].call).reason, "the worker was stopped");
  answer(report);
  EXPECT_TRUE(courier().idle());
}

TEST_F(CourierDrainTest, GivingUpTriesEveryReportOnceMore) {
  const auto held = hold_one();
  finish(held);
  fail(sent());
  EXPECT_TRUE(silent());
  EXPECT_TRUE(courier().give_up().empty());
  EXPECT_TRUE(courier().clean());
  fail(sent());
  EXPECT_EQ(courier().stats().dropped, 1);
  EXPECT_FALSE(courier().clean());
  EXPECT_TRUE(courier().idle());
}

TEST_F(CourierDrainTest, GivingUpEndsTheWaitForACheckpoint) {
  const auto held = hold_one();
  courier().give_up();
  held->news.checkpoint = "4";
  held->checkpoints.wanted = 1;
  fail(sent());
  EXPECT_EQ(held->checkpoints.failed, 1);
  EXPECT_EQ(held->checkpoints.error, kAway);
  EXPECT_TRUE(silent());
}

TEST_F(CourierDrainTest, GivingUpDoesNotAskAStoreThatIsAwayWithoutEnd) {
  hold_one();
  courier().give_up();
  now_ += 10s;
  for (int i = 0; i < 5; ++i) {
    fail(sent());
    EXPECT_TRUE(silent());
    const Duration rest = courier().next_due() - now_;
    EXPECT_GE(rest, 50ms);
    EXPECT_LE(rest, 100ms);
    now_ += rest;
  }
}

}  // namespace
}  // namespace baton::worker
