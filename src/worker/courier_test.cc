// The courier, told the time and the answers by hand.
#include "worker/driven_courier.h"

namespace baton::worker {
namespace {

// ---- Claims -----------------------------------------------------------------------------------

TEST_F(CourierTest, ClaimsForAllItsHandsAndWaits) {
  open(4);
  const Parcel parcel = sent();
  EXPECT_TRUE(parcel.waits);
  EXPECT_TRUE(parcel.exchange.calls.empty());
  EXPECT_EQ(parcel.exchange.claim->max, 4);
  EXPECT_EQ(parcel.exchange.claim->wait, 20s);
  EXPECT_EQ(parcel.exchange.claim->queues, std::vector<std::string>{"q"});
  EXPECT_EQ(parcel.exchange.claim->types, std::vector<std::string>{"t"});
  EXPECT_EQ(parcel.exchange.claim->worker, "w");
  EXPECT_TRUE(silent());
  EXPECT_EQ(courier().next_due(), kNever);
}

TEST_F(CourierTest, ClaimsAgainWhenNothingCame) {
  open(2);
  EXPECT_TRUE(answer(sent()).to_run.empty());
  EXPECT_TRUE(sent().waits);
}

TEST_F(CourierTest, ClaimsOnlyForHandsThatAreFree) {
  open(3);
  EXPECT_EQ(hold({claimed_job("a"), claimed_job("b")}).size(), 2U);
  EXPECT_EQ(courier().stats().claimed, 2);
  EXPECT_EQ(sent().exchange.claim->max, 1);
  EXPECT_TRUE(silent());
}

TEST_F(CourierTest, ClaimsNothingWithAllHandsFull) {
  open(1);
  hold({claimed_job("a")});
  EXPECT_TRUE(silent());
  EXPECT_FALSE(courier().idle());
}

TEST_F(CourierTest, ClaimsAtMostAThousandAtOnce) {
  open(1500);
  EXPECT_EQ(sent().exchange.claim->max, 1000);
}

TEST_F(CourierTest, AReportAndTheNextClaimTravelTogether) {
  const auto held = hold_one();
  finish(held);
  const Parcel parcel = sent();
  EXPECT_FALSE(parcel.waits);
  EXPECT_EQ(kinds(parcel), std::vector<std::string>{"ack e"});
  EXPECT_EQ(parcel.exchange.claim->max, 1);
  EXPECT_EQ(parcel.exchange.claim->wait, 0s);
  EXPECT_TRUE(silent());
  EXPECT_EQ(answer(parcel, {.executions = {claimed_job("next")}}).to_run.size(), 1U);
  EXPECT_EQ(courier().stats().completed, 1);
  EXPECT_TRUE(silent());
}

TEST_F(CourierTest, AClaimThatCameBackEmptyIsFollowedByOneThatWaits) {
  const auto held = hold_one();
  finish(held);
  answer(sent());
  const Parcel next = sent();
  EXPECT_TRUE(next.waits);
  EXPECT_EQ(next.exchange.claim->max, 1);
}

TEST_F(CourierTest, NothingIsClaimedForTheHandOfAReportThatIsStillToBeTaken) {
  const auto held = hold_one();
  finish(held);
  fail(sent());
  now_ += 100ms;
  const Parcel again = sent();
  EXPECT_EQ(kinds(again), std::vector<std::string>{"ack e"});
  EXPECT_FALSE(again.exchange.claim);
  EXPECT_TRUE(silent());
  answer(again);
  EXPECT_EQ(sent().exchange.claim->max, 1);
}

TEST_F(CourierTest, AReportDoesNotWaitForAClaimThatWaits) {
  open(2);
  const auto held = hold({claimed_job("a")}).at(0);
  const Parcel waiting = sent();
  EXPECT_TRUE(waiting.waits);
  finish(held);
  EXPECT_EQ(kinds(sent()), std::vector<std::string>{"ack a"});
}

// ---- Leases -----------------------------------------------------------------------------------

TEST_F(CourierTest, HeartbeatsAtAThirdOfTheLease) {
  hold_one({.lease = 12s});
  EXPECT_EQ(courier().next_due(), now_ + 4s);
  now_ += 4s - 1ms;
  EXPECT_TRUE(silent());
  now_ += 1ms;
  const Parcel parcel = sent();
  EXPECT_EQ(kinds(parcel), std::vector<std::string>{"heartbeat e"});
  EXPECT_EQ(parcel.exchange.calls[0].token, token_named("e"));
  now_ += 2s;
  answer(parcel);
  EXPECT_EQ(courier().next_due(), now_ - 2s + 4s);
}

TEST_F(CourierTest, AHeartbeatTakesAllOthersAlong) {
  open(3);
  const HeldList held = hold({claimed_job("a", {.lease = 9s}), claimed_job("b"), claimed_job("c")});
  held[2]->take_reason(StopReason::kLeaseLost);
  now_ += 3s;
  const Parcel parcel = sent();
  EXPECT_EQ(kinds(parcel), (std::vector<std::string>{"heartbeat a", "heartbeat b"}));
  answer(parcel);
  EXPECT_EQ(courier().next_due(), now_ + 3s);
}

TEST_F(CourierTest, AReleaseIsCounted) {
  const auto held = hold_one();
  finish(held, {.kind = Ending::Kind::kReleased});
  const Parcel parcel = sent();
  EXPECT_EQ(kinds(parcel), std::vector<std::string>{"release e"});
  answer(parcel);
  EXPECT_EQ(courier().stats().released, 1);
  EXPECT_EQ(courier().stats().failed, 0);
}

TEST_F(CourierTest, ALeaseCountsFromTheAnswerOfAClaimThatWaited) {
  open(1);
  const Parcel parcel = sent();
  now_ += 15s;
  const auto held = answer(parcel, {.executions = {claimed_job("e")}}).to_run.at(0);
  EXPECT_EQ(held->lease.end(), now_ + 30s);
}

TEST_F(CourierTest, ALeaseCountsFromTheSendingOfAClaimThatDidNot) {
  open(2);
  const auto first = hold({claimed_job("a"), claimed_job("b")}).at(0);
  finish(first);
  const Parcel parcel = sent();
  EXPECT_EQ(parcel.exchange.claim->wait, 0s);
  now_ += 3s;
  const auto next = answer(parcel, {.executions = {claimed_job("c")}}).to_run.at(0);
  EXPECT_EQ(next->lease.end(), now_ - 3s + 30s);
}

TEST_F(CourierTest, ALeaseThatRunsOutIsLostAndItsResultDropped) {
  const auto held = hold_one({.lease = 30s});
  now_ += 10s;
  const Parcel beat = sent();
  now_ += 20s - 1ms;
  EXPECT_TRUE(courier().overdue(now_).empty());
  EXPECT_EQ(courier().next_due(), now_ + 1ms);
  now_ += 1ms;
  EXPECT_EQ(courier().overdue(now_), HeldList{held});
  EXPECT_EQ(held->reason(), StopReason::kLeaseLost);
  EXPECT_TRUE(courier().overdue(now_).empty());
  EXPECT_EQ(courier().next_due(), kNever);
  // An answer that comes too late does not bring it back.
  answer(beat);
  EXPECT_EQ(held->reason(), StopReason::kLeaseLost);
  EXPECT_TRUE(silent());
  finish(held);
  EXPECT_EQ(courier().stats().dropped, 1);
  EXPECT_EQ(courier().stats().completed, 0);
  EXPECT_TRUE(courier().idle());
  EXPECT_TRUE(courier().clean());
}

TEST_F(CourierTest, AStaleHeartbeatMeansALostLease) {
  const auto held = hold_one();
  now_ += 10s;
  EXPECT_EQ(refuse(sent(), Code::kStaleLease).to_stop, HeldList{held});
  EXPECT_EQ(held->reason(), StopReason::kLeaseLost);
  finish(held);
  EXPECT_EQ(courier().stats().dropped, 1);
  EXPECT_TRUE(sent().waits);
}

TEST_F(CourierTest, ALostLeaseIsGraverThanACancel) {
  const auto held = hold_one();
  held->take_reason(StopReason::kCancelRequested);
  now_ += 10s;
  EXPECT_EQ(refuse(sent(), Code::kStaleLease).to_stop, HeldList{held});
  EXPECT_EQ(held->reason(), StopReason::kLeaseLost);
  EXPECT_FALSE(held->take_reason(StopReason::kWorkerStops));
}

TEST_F(CourierTest, TheDeadlineStopsAHandlerButItsReportIsTried) {
  const auto held = hold_one({.lease = 30s, .execution = 20s});
  now_ += 20s;
  EXPECT_EQ(courier().overdue(now_), HeldList{held});
  EXPECT_EQ(held->reason(), StopReason::kDeadline);
  finish(held);
  EXPECT_EQ(kinds(sent()), std::vector<std::string>{"ack e"});
}

// The clock may pass the end of a lease between overdue() and next().
TEST_F(CourierTest, ALeaseThatIsOverIsNotHeartbeaten) {
  const auto held = hold_one({.execution = 5s});
  now_ += 6s;
  EXPECT_TRUE(silent());
  EXPECT_LE(courier().next_due(), now_);
  EXPECT_EQ(courier().overdue(now_), HeldList{held});
  EXPECT_TRUE(silent());
}

TEST_F(CourierTest, ACancelRequestComesWithAHeartbeat) {
  const auto held = hold_one();
  now_ += 10s;
  const Delivery first = answer(sent(), {.results = {WorkAnswer{.cancel_requested = true}}});
  EXPECT_EQ(first.to_stop, HeldList{held});
  EXPECT_EQ(held->reason(), StopReason::kCancelRequested);
  // The lease goes on until the handler has stopped, and nobody is told twice.
  now_ += 10s;
  const Delivery second = answer(sent(), {.results = {WorkAnswer{.cancel_requested = true}}});
  EXPECT_TRUE(second.to_stop.empty());
  finish(held, {.kind = Ending::Kind::kCancelled});
  const Parcel report = sent();
  EXPECT_EQ(kinds(report), std::vector<std::string>{"cancelled e"});
  answer(report);
  EXPECT_EQ(courier().stats().cancelled, 1);
}

// ---- News -------------------------------------------------------------------------------------

TEST_F(CourierTest, NewsGoAtOnceAndOnlyOnce) {
  const auto held = hold_one();
  held->news = {.progress = 40, .message = "reading", .checkpoint = "4"};
  held->checkpoints.wanted = 1;
  EXPECT_LE(courier().next_due(), now_);
  const Parcel parcel = sent();
  EXPECT_EQ(parcel.exchange.calls[0].kind(), CallKind::kHeartbeat);
  EXPECT_EQ(std::get<HeartbeatCall>(parcel.exchange.calls[0].call).progress, 40);
  EXPECT_EQ(std::get<HeartbeatCall>(parcel.exchange.calls[0].call).message, "reading");
  EXPECT_EQ(std::get<HeartbeatCall>(parcel.exchange.calls[0].call).checkpoint, "4");
  EXPECT_EQ(held->checkpoints.kept, 0);
  answer(parcel);
  EXPECT_EQ(held->checkpoints.kept, 1);
  EXPECT_EQ(held->checkpoint, "4");
  EXPECT_TRUE(silent());
  EXPECT_EQ(courier().next_due(), now_ + 5s);
}

TEST_F(CourierTest, TheLastNewsGoBeforeTheReport) {
  const auto held = hold_one();
  held->news.progress = 100;
  finish(held);
  const Parcel parcel = sent();
  EXPECT_EQ(kinds(parcel), (std::vector<std::string>{"heartbeat e", "ack e"}));
  EXPECT_EQ(std::get<HeartbeatCall>(parcel.exchange.calls[0].call).progress, 100);
  EXPECT_EQ(parcel.exchange.claim->max, 1);
  answer(parcel);
  EXPECT_EQ(courier().stats().completed, 1);
  EXPECT_TRUE(sent().waits);
}

TEST_F(CourierTest, NewsThatDidNotArriveAreSentAgainUnlessThereAreNewer) {
  const auto held = hold_one();
  held->news = {.progress = 40, .message = "old", .checkpoint = "4"};
  held->checkpoints.wanted = 1;
  const Parcel parcel = sent();
  held->news.progress = 50;
  fail(parcel);
  EXPECT_EQ(held->checkpoints.failed, 0);
  now_ += 100ms;
  const Parcel again = sent();
  EXPECT_EQ(std::get<HeartbeatCall>(again.exchange.calls[0].call).progress, 50);
  EXPECT_EQ(std::get<HeartbeatCall>(again.exchange.calls[0].call).message, "old");
  EXPECT_EQ(std::get<HeartbeatCall>(again.exchange.calls[0].call).checkpoint, "4");
  answer(again);
  EXPECT_EQ(held->checkpoints.kept, 1);
}

TEST_F(CourierTest, ANewerCheckpointTakesThePlaceOfOneThatDidNotArrive) {
  const auto held = hold_one();
  held->news.checkpoint = "1";
  held->checkpoints.wanted = 1;
  const Parcel parcel = sent();
  held->news.checkpoint = "2";
  held->checkpoints.wanted = 2;
  fail(parcel);
  now_ += 100ms;
  answer(sent());
  EXPECT_EQ(held->checkpoints.kept, 2);
  EXPECT_EQ(held->checkpoint, "2");
}

TEST_F(CourierTest, NewsThatAreRefusedGoNoFurther) {
  const auto held = hold_one();
  held->news.checkpoint = "too long";
  held->checkpoints.wanted = 1;
  const Delivery delivery = refuse(sent(), Code::kPayloadTooLarge);
  EXPECT_EQ(held->checkpoints.failed, 1);
  EXPECT_EQ(held->checkpoints.error.code, Code::kPayloadTooLarge);
  EXPECT_EQ(held->checkpoint, "");
  EXPECT_EQ(delivery.errors.at(0).code, Code::kPayloadTooLarge);
  EXPECT_TRUE(silent());
  EXPECT_EQ(courier().next_due(), now_ + 5s);
  now_ += 5s;
  EXPECT_FALSE(std::get<HeartbeatCall>(sent().exchange.calls[0].call).checkpoint);
}

TEST_F(CourierTest, ABareHeartbeatThatIsRefusedIsNotRepeatedAtOnce) {
  hold_one();
  now_ += 10s;
  refuse(sent(), Code::kInvalidTransition);
  EXPECT_TRUE(silent());
  now_ += 100ms;
  EXPECT_EQ(kinds(sent()), std::vector<std::string>{"heartbeat e"});
}

TEST_F(CourierTest, AHandlerMayReturnWhileItsHeartbeatIsUnderWay) {
  const auto held = hold_one();
  now_ += 10s;
  const Parcel beat = sent();
  finish(held);
  EXPECT_TRUE(silent());
  answer(beat);
  EXPECT_EQ(courier().stats().completed, 0);
  EXPECT_EQ(kinds(sent()), std::vector<std::string>{"ack e"});
}

// ---- A store that is away ---------------------------------------------------------------------

TEST_F(CourierTest, WaitsLongerAndLongerForAStoreThatIsAway) {
  open(1);
  for (const Duration planned : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
    const Delivery delivery = fail(sent());
    EXPECT_EQ(delivery.errors, std::vector<Error>{kAway});
    EXPECT_TRUE(silent());
    const Duration rest = courier().next_due() - now_;
    EXPECT_GE(rest, planned / 2);
    EXPECT_LE(rest, planned);
    now_ += rest - 1ms;
    EXPECT_TRUE(silent());
    now_ += 1ms;
  }
  answer(sent());
  fail(sent());
  EXPECT_LE(courier().next_due() - now_, 100ms);
}

TEST_F(CourierTest, WaitsAlsoWhenOnlyTheClaimFailed) {
  open(1);
  const Delivery delivery = answer(sent(), {.claim_error = kAway});
  EXPECT_EQ(delivery.errors, std::vector<Error>{kAway});
  EXPECT_TRUE(silent());
}

TEST_F(CourierTest, ANewBackoffIsShortEnoughForTheLeasesThatAreHeld) {
  hold_one({.lease = 3s});
  now_ += 1s;
  for (int i = 0; i < 4; ++i) {
    fail(sent());
    EXPECT_LE(courier().next_due() - now_, 500ms);
    now_ = courier().next_due();
  }
  EXPECT_EQ(kinds(sent()), std::vector<std::string>{"heartbeat e"});
}

TEST_F(CourierTest, AReportIsOfferedUntilItIsTaken) {
  const auto held = hold_one();
  finish(held, {.result = Outcome{.bytes = "42"}});
  fail(sent());
  now_ += 100ms;
  refuse(sent(), Code::kShuttingDown);
  now_ += 200ms;
  const Parcel report = sent();
  EXPECT_EQ(std::get<AckCall>(report.exchange.calls[0].call).result->bytes, "42");
  answer(report);
  EXPECT_EQ(courier().stats().completed, 1);
  EXPECT_TRUE(courier().clean());
}

TEST_F(CourierTest, AReportIsDroppedWhenItWasKeptLongEnough) {
  const auto held = hold_one();
  finish(held);
  fail(sent());
  now_ += 5min - 1ms;
  courier().overdue(now_);
  const Parcel last = sent();
  now_ += 1ms;
  courier().overdue(now_);
  EXPECT_EQ(courier().stats().dropped, 0) << "it is under way";
  fail(last);
  EXPECT_LE(courier().next_due(), now_ + 200ms);
  courier().overdue(now_);
  EXPECT_EQ(courier().stats().dropped, 1);
  EXPECT_FALSE(courier().clean());
  EXPECT_TRUE(courier().idle());
}

// ---- Reports that are not taken ---------------------------------------------------------------

TEST_F(CourierTest, AReportThatComesTooLateIsDropped) {
  for (const Code code : {Code::kStaleLease, Code::kAlreadyCommitted, Code::kNotFound}) {
    const auto held = hold_one();
    finish(held);
    EXPECT_TRUE(refuse(sent(), code).errors.empty());
    EXPECT_EQ(courier().stats().dropped, 1);
    EXPECT_EQ(courier().stats().completed, 0);
    EXPECT_TRUE(courier().clean());
    EXPECT_TRUE(sent().waits);
  }
}

TEST_F(CourierTest, AResultThatIsRefusedBecomesAFailure) {
  const auto held = hold_one();
  finish(held);
  EXPECT_EQ(refuse(sent(), Code::kInvalidJob).errors.at(0).code, Code::kInvalidJob);
  const Parcel second = sent();
  EXPECT_EQ(kinds(second), std::vector<std::string>{"nack e"});
  EXPECT_EQ(std::get<NackCall>(second.exchange.calls[0].call).failure.code, "invalid_job");
  answer(second);
  EXPECT_EQ(courier().stats().failed, 1);
  EXPECT_EQ(courier().stats().completed, 0);
}

TEST_F(CourierTest, AFailureThatIsRefusedIsDropped) {
  const auto held = hold_one();
  finish(held, {.kind = Ending::Kind::kFailure});
  EXPECT_EQ(refuse(sent(), Code::kInvalidJob).errors.size(), 1U);
  EXPECT_EQ(courier().stats().dropped, 1);
  EXPECT_TRUE(sent().waits);
}

TEST_F(CourierTest, ReportsTravelTogetherInTheOrderOfTheirClaims) {
  open(3);
  const HeldList held = hold({claimed_job("a"), claimed_job("b"), claimed_job("c")});
  finish(held[2], {.kind = Ending::Kind::kFailure});
  finish(held[0]);
  const Parcel parcel = sent();
  EXPECT_EQ(kinds(parcel), (std::vector<std::string>{"ack a", "nack c"}));
  answer(parcel);
  EXPECT_EQ(courier().stats().completed, 1);
  EXPECT_EQ(courier().stats().failed, 1);
  EXPECT_EQ(sent().exchange.claim->max, 2);
}

TEST_F(CourierTest, SendsAtMostAThousandCallsAtOnce) {
  open(1000);
  std::vector<Claimed> many(1000, claimed_job("e"));
  HeldList held = hold(std::move(many));
  for (const auto& one : held) {
    one->news.progress = 100;
    finish(one);
  }
  const Parcel parcel = sent();
  EXPECT_EQ(parcel.exchange.calls.size(), 1000U);
  answer(parcel);
  EXPECT_EQ(sent().exchange.calls.size(), 1000U);
}

}  // namespace
}  // namespace baton::worker
