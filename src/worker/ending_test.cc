// The tables of what is thrown, what is reported and what a refusal means, written a second time.
#include "worker/ending.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.h"
#include "worker/claims.h"
#include "worker/held.h"
#include "worker/runtime.h"

namespace baton::worker {
namespace {

// Nothing is ever sent.
class NoSource final : public WorkSource {
 public:
  Pending<ExchangeAnswer> exchange(Exchange) override {
    return Pending<ExchangeAnswer>::begun([](const auto& done) { done(ExchangeAnswer{}); });
  }
};

WorkCall report_after(const Handler& handler, StopReason reason = StopReason::kNone) {
  NoSource source;
  const base::SystemClock clock;
  Runtime runtime(source, {}, clock, 1);
  Held held(claimed_job("e"), 0s);
  Context context(runtime, held);
  return report_of(run(handler, context), held.claimed, reason, {}).value();
}

template <class Thrown>
WorkCall report_of_throw(const Thrown& thrown, StopReason reason = StopReason::kNone) {
  return report_after([&](Context&) -> std::optional<Outcome> { throw thrown; }, reason);
}

const NackCall& nack_in(const WorkCall& call) { return std::get<NackCall>(call.call); }

TEST(Ending, AResultIsAcknowledged) {
  const WorkCall call = report_after([](Context&) { return Outcome{"[1]", "text/plain"}; });
  EXPECT_EQ(call.kind(), CallKind::kAck);
  EXPECT_EQ(name_of(call.execution), "e");
  EXPECT_EQ(call.token, token_named("e"));
  EXPECT_EQ(std::get<AckCall>(call.call).result, (Outcome{"[1]", "text/plain"}));
  const WorkCall bare = report_after([](Context&) { return std::nullopt; });
  EXPECT_EQ(std::get<AckCall>(bare.call).result, std::nullopt);
}

TEST(Ending, ATemporaryErrorIsTemporary) {
  const WorkCall call = report_of_throw(TemporaryError{"busy", 5s});
  EXPECT_EQ(call.kind(), CallKind::kNack);
  EXPECT_EQ(nack_in(call).failure,
            (Failure{.category = FailureCategory::kTemporary, .message = "busy"}));
  EXPECT_EQ(nack_in(call).retry_after, 5s);
  EXPECT_EQ(nack_in(report_of_throw(TemporaryError{"busy"})).retry_after, std::nullopt);
}

TEST(Ending, APermanentErrorIsPermanentAndHasACode) {
  const WorkCall call = report_of_throw(PermanentError{"no such user", "no_user"});
  EXPECT_EQ(call.kind(), CallKind::kNack);
  EXPECT_EQ(nack_in(call).failure, (Failure{.category = FailureCategory::kPermanent,
                                            .code = "no_user",
                                            .message = "no such user"}));
  EXPECT_EQ(nack_in(report_of_throw(PermanentError{"m", ""})).failure.code, "permanent");
}

TEST(Ending, AnyOtherExceptionIsTemporary) {
  const WorkCall call = report_of_throw(std::logic_error("oops"));
  EXPECT_EQ(call.kind(), CallKind::kNack);
  EXPECT_EQ(nack_in(call).failure.category, FailureCategory::kTemporary);
  EXPECT_EQ(nack_in(call).failure.message, "oops");
  const WorkCall odd = report_of_throw(42);
  EXPECT_EQ(nack_in(odd).failure.category, FailureCategory::kTemporary);
  EXPECT_EQ(nack_in(odd).failure.message, "the handler threw something that is not an exception");
  EXPECT_EQ(nack_in(report_of_throw(Refused(Error{.message = "no"}))).failure.message,
            "bad_request: no");
}

TEST(Ending, ARejectionIsARejection) {
  const WorkCall call = report_of_throw(RejectedError("unsafe"));
  EXPECT_EQ(std::get<RejectCall>(call.call).reason, "unsafe");
}

TEST(Ending, CancelledMeansWhatTheReasonSays) {
  EXPECT_EQ(report_of_throw(Cancelled(), StopReason::kCancelRequested).kind(),
            CallKind::kCancelled);
  struct Row {
    StopReason reason;
    FailureCategory category;
    std::string code;
  };
  const std::vector<Row> rows = {
      {StopReason::kDeadline, FailureCategory::kTimeout, "deadline"},
      {StopReason::kNone, FailureCategory::kTemporary, ""},
  };
  for (const Row& row : rows) {
    const WorkCall call = report_of_throw(Cancelled(), row.reason);
    EXPECT_EQ(call.kind(), CallKind::kNack);
    EXPECT_EQ(nack_in(call).failure.category, row.category);
    EXPECT_EQ(nack_in(call).failure.code, row.code);
    EXPECT_FALSE(nack_in(call).failure.message.empty());
  }
}

TEST(Ending, NothingIsReportedWithoutALease) {
  for (const auto kind : {Ending::Kind::kResult, Ending::Kind::kFailure, Ending::Kind::kCancelled,
                          Ending::Kind::kRejected}) {
    EXPECT_FALSE(
        report_of({.kind = kind}, claimed_job("e"), StopReason::kLeaseLost, {}).has_value());
  }
}

TEST(Ending, AWorkerThatStopsGivesItsJobsBack) {
  const WorkCall call = report_of_throw(Cancelled(), StopReason::kWorkerStops);
  EXPECT_EQ(std::get<ReleaseCall>(call.call), (ReleaseCall{.reason = "the worker was stopped"}));
}

TEST(Ending, AHandlerMayGiveItsJobBack) {
  EXPECT_EQ(std::get<ReleaseCall>(report_of_throw(Released("busy", 3s), StopReason::kNone).call),
            (ReleaseCall{.delay = 3s, .reason = "busy"}));
  EXPECT_EQ(std::get<ReleaseCall>(report_of_throw(Released("busy"), StopReason::kNone).call),
            (ReleaseCall{.reason = "busy"}));
}

TEST(Ending, AReleaseWhoseDelayIsRefusedIsTriedWithout) {
  const WorkCall delayed = report_of_throw(Released("busy", 3s), StopReason::kNone);
  const auto plain = instead_of(delayed, {.code = Code::kNotInProfile});
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(std::get<ReleaseCall>(plain->call), (ReleaseCall{.reason = "busy"}));
  EXPECT_EQ(plain->token, delayed.token);
  EXPECT_FALSE(instead_of(*plain, {.code = Code::kInvalidJob}).has_value());
}

TEST(Ending, AResultIsReportedWhateverElseTheReason) {
  for (const StopReason reason : {StopReason::kNone, StopReason::kCancelRequested,
                                  StopReason::kWorkerStops, StopReason::kDeadline}) {
    EXPECT_EQ(report_of({}, claimed_job("e"), reason, {})->kind(), CallKind::kAck);
  }
}

TEST(Ending, ChildrenComeWithAResultOnly) {
  const std::vector<std::shared_ptr<const Submission>> children = {
      std::make_shared<const Submission>(Submission{.type = "child"})};
  const Claimed claimed = claimed_job("e");
  const auto ack = report_of({}, claimed, StopReason::kNone, children);
  EXPECT_EQ(std::get<AckCall>(ack->call).spawn, children);
  const Ending failed{.kind = Ending::Kind::kFailure};
  EXPECT_EQ(report_of(failed, claimed, StopReason::kNone, children)->kind(), CallKind::kNack);
}

TEST(Ending, TextIsCutToWhatTheStoreTakesAtACharacter) {
  EXPECT_EQ(nack_in(report_of_throw(TemporaryError{std::string(8192, 'x')})).failure.message.size(),
            8192U);
  EXPECT_EQ(nack_in(report_of_throw(TemporaryError{std::string(8193, 'x')})).failure.message.size(),
            8192U);
  // The two bytes of the last character are the 8192nd and the 8193rd.
  const std::string torn = std::string(8191, 'x') + "\xC3\xA4";
  EXPECT_EQ(nack_in(report_of_throw(TemporaryError{torn})).failure.message, std::string(8191, 'x'));
  const std::string whole = std::string(8190, 'x') + "\xC3\xA4" + "y";
  EXPECT_EQ(nack_in(report_of_throw(TemporaryError{whole})).failure.message,
            std::string(8190, 'x') + "\xC3\xA4");
  EXPECT_EQ(
      nack_in(report_of_throw(PermanentError{"m", std::string(200, 'c')})).failure.code.size(),
      128U);
}

TEST(Ending, AMissingHandlerIsTemporary) {
  const Ending ending = no_handler("mail");
  EXPECT_EQ(ending.kind, Ending::Kind::kFailure);
  EXPECT_EQ(ending.failure.category, FailureCategory::kTemporary);
  EXPECT_EQ(ending.failure.message, "this worker has no handler for jobs of type mail");
}

TEST(Meaning, OfEveryCode) {
  using enum Code;
  const std::vector<Code> again = {kStoreUnavailable, kShuttingDown, kSubmissionTimeout,
                                   kRateLimited};
  const std::vector<Code> gone = {kStaleLease, kAlreadyCommitted, kNotFound};
  for (std::size_t i = 0; i < kNames<Code>.size(); ++i) {
    const Code code = static_cast<Code>(i);
    const auto has = [&](const auto& list) {
      return std::find(list.begin(), list.end(), code) != list.end();
    };
    const Meaning expected = has(again)  ? Meaning::kAgain
                             : has(gone) ? Meaning::kGone
                                         : Meaning::kRefused;
    EXPECT_EQ(meaning_of(code), expected) << name(code);
  }
}

WorkCall call_of(AnyCall call) {
  return {.execution = execution_named("e"), .token = token_named("t"), .call = std::move(call)};
}

TEST(InsteadOf, ARefusedResultIsAFailureThatMayPassOrNot) {
  using enum Code;
  const std::vector<Code> passing = {kQuotaExceeded, kQueueFull, kInsufficientCredits, kConflict};
  for (const Code code : {kQuotaExceeded, kQueueFull, kInsufficientCredits, kConflict, kInvalidJob,
                          kUnknownDependency, kPayloadTooLarge, kInvalidTransition}) {
    const bool passes = std::find(passing.begin(), passing.end(), code) != passing.end();
    const auto call = instead_of(call_of(AckCall{}), {.code = code, .message = "no"}).value();
    EXPECT_EQ(call.kind(), CallKind::kNack);
    EXPECT_EQ(name_of(call.execution), "e");
    EXPECT_EQ(call.token, token_named("t"));
    EXPECT_EQ(nack_in(call).failure.category,
              passes ? FailureCategory::kTemporary : FailureCategory::kPermanent);
    EXPECT_EQ(nack_in(call).failure.code, name(code));
    EXPECT_EQ(nack_in(call).failure.message, "the result was refused: no");
  }
}

TEST(InsteadOf, ARefusedRejectionIsAPermanentFailure) {
  const auto call = instead_of(call_of(RejectCall{"m"}), {.code = Code::kNotInProfile}).value();
  EXPECT_EQ(call.kind(), CallKind::kNack);
  EXPECT_EQ(nack_in(call).failure.category, FailureCategory::kPermanent);
  EXPECT_EQ(nack_in(call).failure.code, "rejected");
  EXPECT_EQ(nack_in(call).failure.message, "m");
}

TEST(InsteadOf, ARefusedCancelledIsATemporaryFailure) {
  const auto call =
      instead_of(call_of(CancelledCall{}), {.code = Code::kInvalidTransition}).value();
  EXPECT_EQ(call.kind(), CallKind::kNack);
  EXPECT_EQ(nack_in(call).failure.category, FailureCategory::kTemporary);
}

TEST(InsteadOf, ARefusedFailureIsMadePlainerOnceAndThenDropped) {
  const Failure failure{.category = FailureCategory::kPermanent, .code = "c", .message = "m"};
  const WorkCall nack = call_of(NackCall{failure, 5s});
  const auto plain = instead_of(nack, {.code = Code::kNotInProfile}).value();
  EXPECT_EQ(plain.kind(), CallKind::kNack);
  EXPECT_EQ(nack_in(plain).failure, failure);
  EXPECT_EQ(nack_in(plain).retry_after, std::nullopt);
  EXPECT_FALSE(instead_of(plain, {.code = Code::kInvalidJob}).has_value());
}

}  // namespace
}  // namespace baton::worker
