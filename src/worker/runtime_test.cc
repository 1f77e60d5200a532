// The runtime with its threads, on a source that is answered by hand and a clock that stands still.
#include "worker/runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "base/eventually.h"
#include "worker/hand_source.h"

namespace baton::worker {
namespace {

using Nothing = std::optional<Outcome>;

// A handler that stays until its context is cancelled, or the test lets it go.
struct Stay {
  std::promise<void> begun;
  std::promise<StopReason> reason;
  std::atomic<bool> leave{false};

  void stay(Context& context) {
    std::promise<void> stopped;
    auto future = stopped.get_future();
    const std::stop_callback callback(context.stop_token(), [&] { stopped.set_value(); });
    begun.set_value();
    EXPECT_TRUE(base::eventually(
        [&] { return leave || future.wait_for(0s) == std::future_status::ready; }));
    reason.set_value(context.stop_reason());
  }
  Handler handler(Nothing result = std::nullopt) {
    return [this, result](Context& context) -> Nothing {
      stay(context);
      return result;
    };
  }
};

class RuntimeTest : public testing::Test {
 protected:
  void open(WorkerOptions options = {}) {
    options.name = "w";
    runtime_ = std::make_shared<Runtime>(source_, std::move(options), clock_, 1);
  }
  void open(Handler handler, WorkerOptions options = {}) {
    open(std::move(options));
    runtime_->add("t", std::move(handler));
    runtime_->start().value();
  }
  // Hands out the job for which the worker has asked.
  void give(const Claimed& claimed = claimed_job("e")) { source_.next_claim().answer({claimed}); }
  // The same, and waits until the handler has begun: one that has not is never run in vain.
  void begin(Stay& stay, const Claimed& claimed = claimed_job("e")) {
    give(claimed);
    stay.begun.get_future().get();
  }
  void advance(Duration by) {
    clock_.advance(by);
    runtime_->wake();
  }
  // Ends a worker that has nothing to do but to wait for work.
  void drain() {
    auto claim = source_.next_claim();
    std::thread draining([this] { runtime_->drain(); });
    EXPECT_TRUE(base::eventually([&] { return claim.exchange.claim->stop.stop_requested(); }));
    claim.answer();
    draining.join();
  }

  base::ManualClock clock_{Time{1'700'000'000'000}};
  HandSource source_;
  std::shared_ptr<Runtime> runtime_;
};

Handler nothing() {
  return [](Context&) { return std::nullopt; };
}

// ---- Starting ---------------------------------------------------------------------------------

TEST_F(RuntimeTest, StartsOnlyWithSettingsThatMakeSense) {
  struct Row {
    std::string field;
    WorkerOptions options;
  };
  const std::vector<Row> rows = {
      {"queues", {.queues = {}}},
      {"concurrency", {.concurrency = 0}},
      {"concurrency", {.concurrency = 1001}},
      {"wait", {.wait = 0ms}},
      {"wait", {.wait = 60'001ms}},
      {"patience", {.patience = {.first = 0ms}}},
      {"patience", {.patience = {.first = 2s, .most = 1s}}},
  };
  for (const Row& row : rows) {
    open(row.options);
    runtime_->add("t", nothing());
    const Status refused = runtime_->start();
    ASSERT_FALSE(refused.ok()) << row.field;
    EXPECT_EQ(refused.error().code, Code::kBadRequest);
    EXPECT_EQ(refused.error().field, row.field);
  }
}

TEST_F(RuntimeTest, NeedsAHandler) {
  open();
  EXPECT_EQ(runtime_->start().error().field, "handlers");
  runtime_->drain();
  EXPECT_TRUE(runtime_->stop(0s));
}

TEST_F(RuntimeTest, StartsOnce) {
  open(nothing(), {.wait = 60s, .patience = {.first = 1ms, .most = 1ms}});
  EXPECT_EQ(runtime_->start().error().code, Code::kConflict);
  drain();
  EXPECT_EQ(runtime_->start().error().code, Code::kConflict);
}

TEST_F(RuntimeTest, AsksForTheTypesItHasHandlersFor) {
  open({.queues = {"a", "b"}, .concurrency = 3, .lease = 7s, .wait = 11s});
  runtime_->add("x", nothing());
  runtime_->add("y", nothing());
  runtime_->start().value();
  auto claim = source_.next_claim();
  EXPECT_EQ(claim.exchange.claim->queues, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(claim.exchange.claim->types, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(claim.exchange.claim->max, 3);
  EXPECT_EQ(claim.exchange.claim->worker, "w");
  EXPECT_EQ(claim.exchange.claim->lease, 7s);
  EXPECT_FALSE(claim.exchange.claim->max_lease.has_value());
  EXPECT_EQ(claim.exchange.claim->wait, 11s);
  claim.answer();
  drain();
}

TEST_F(RuntimeTest, ShortensLongLeasesUnlessItHasALeaseOfItsOwn) {
  open(nothing());
  auto claim = source_.next_claim();
  EXPECT_FALSE(claim.exchange.claim->lease.has_value());
  EXPECT_EQ(claim.exchange.claim->max_lease, 30s);
  claim.answer();
  drain();
}

// ---- Running ----------------------------------------------------------------------------------

TEST_F(RuntimeTest, RunsTheHandlerAndReportsItsResult) {
  open([](Context& context) -> Nothing {
    EXPECT_EQ(context.job().id, job_named("e"));
    EXPECT_EQ(context.payload(), "in");
    EXPECT_EQ(context.execution_id(), execution_named("e"));
    EXPECT_EQ(context.attempt(), 1);
    EXPECT_FALSE(context.cancelled());
    EXPECT_EQ(context.time_left(), 30min);
    context.throw_if_cancelled();
    context.spawn({.type = "child"});
    return Outcome{.bytes = "out"};
  });
  give(claimed_job("e", {}, {.type = "t", .payload = "in"}));
  auto report = source_.next_calls();
  EXPECT_EQ(report.call().kind(), CallKind::kAck);
  EXPECT_EQ(std::get<AckCall>(report.call().call).result->bytes, "out");
  ASSERT_EQ(std::get<AckCall>(report.call().call).spawn.size(), 1U);
  EXPECT_EQ(*std::get<AckCall>(report.call().call).spawn.front(), Submission{.type = "child"});
  EXPECT_EQ(report.exchange.claim->max, 1);
  report.answer();
  drain();
  const WorkerStats stats = runtime_->stats();
  EXPECT_EQ(stats.claimed, 1);
  EXPECT_EQ(stats.completed, 1);
  EXPECT_EQ(stats.running, 0);
}

TEST_F(RuntimeTest, RunsTheHandlerOfTheJobsType) {
  open();
  runtime_->add("t", nothing());
  runtime_->add("u", [](Context&) -> Nothing { throw PermanentError("no", "never"); });
  runtime_->start().value();
  give(claimed_job("e", {}, {.type = "u"}));
  auto report = source_.next_calls();
  EXPECT_EQ(std::get<NackCall>(report.call().call).failure.code, "never");
  report.answer({claimed_job("f")});
  source_.next_calls().answer();
  drain();
}

TEST_F(RuntimeTest, AJobWithoutAHandlerIsGivenBack) {
  open(nothing());
  give(claimed_job("e", {}, {.type = "unknown"}));
  auto report = source_.next_calls();
  EXPECT_EQ(report.call().kind(), CallKind::kNack);
  EXPECT_EQ(std::get<NackCall>(report.call().call).failure.category, FailureCategory::kTemporary);
  report.answer();
  drain();
}

TEST_F(RuntimeTest, RunsAsManyHandlersAtOnceAsItMay) {
  std::atomic<int> inside{0};
  open(
      [&](Context&) -> Nothing {
        ++inside;
        EXPECT_TRUE(base::eventually([&] { return inside == 3; }));
        return std::nullopt;
      },
      {.concurrency = 3});
  source_.next_claim().answer({claimed_job("a"), claimed_job("b"), claimed_job("c")});
  int reports = 0;
  while (reports < 3) {
    auto asked = source_.next_calls();
    reports += static_cast<int>(asked.exchange.calls.size());
    asked.answer();
  }
  drain();
  EXPECT_EQ(runtime_->stats().completed, 3);
}

TEST_F(RuntimeTest, HeartbeatsWhileAHandlerRuns) {
  Stay stay;
  open(stay.handler());
  begin(stay);
  for (int beat = 0; beat < 4; ++beat) {
    advance(10s);
    auto asked = source_.next_calls();
    EXPECT_EQ(asked.call().kind(), CallKind::kHeartbeat);
    asked.answer();
  }
  EXPECT_EQ(runtime_->stats().running, 1);
  stay.leave = true;
  EXPECT_EQ(stay.reason.get_future().get(), StopReason::kNone);
  source_.next_calls().answer();
  drain();
}

TEST_F(RuntimeTest, ACancelRequestReachesTheHandler) {
  Stay stay;
  open([&](Context& context) -> Nothing {
    stay.stay(context);
    context.throw_if_cancelled();
    return std::nullopt;
  });
  begin(stay);
  advance(10s);
  source_.next_calls().answer({}, {.cancel_requested = true});
  EXPECT_EQ(stay.reason.get_future().get(), StopReason::kCancelRequested);
  auto report = source_.next_calls();
  EXPECT_EQ(report.call().kind(), CallKind::kCancelled);
  report.answer();
  drain();
  EXPECT_EQ(runtime_->stats().cancelled, 1);
}

TEST_F(RuntimeTest, ALostLeaseReachesTheHandlerAndItsResultIsNeverReported) {
  Stay stay;
  open(stay.handler(Outcome{.bytes = "late"}));
  begin(stay);
  advance(10s);
  source_.next_calls().refuse_calls(Code::kStaleLease);
  EXPECT_EQ(stay.reason.get_future().get(), StopReason::kLeaseLost);
  drain();  // answers claims only: a report would keep it from ending
  EXPECT_EQ(runtime_->stats().dropped, 1);
  EXPECT_EQ(runtime_->stats().completed, 0);
}

TEST_F(RuntimeTest, ALeaseThatRunsOutReachesTheHandlerWithoutAnyAnswer) {
  Stay stay;
  open(stay.handler(Outcome{.bytes = "late"}));
  begin(stay);
  advance(10s);
  auto unanswered = source_.next_calls();
  advance(20s);
  EXPECT_EQ(stay.reason.get_future().get(), StopReason::kLeaseLost);
  unanswered.answer();
  drain();
  EXPECT_EQ(runtime_->stats().dropped, 1);
}

TEST_F(RuntimeTest, TheDeadlineReachesTheHandler) {
  Stay stay;
  open([&](Context& context) -> Nothing {
    EXPECT_EQ(context.time_left(), 5s);
    stay.stay(context);
    EXPECT_EQ(context.time_left(), 0s);
    context.throw_if_cancelled();
    return std::nullopt;
  });
  begin(stay, claimed_job("e", {.execution = 5s}));
  advance(6s);
  EXPECT_EQ(stay.reason.get_future().get(), StopReason::kDeadline);
  auto report = source_.next_calls();
  EXPECT_EQ(std::get<NackCall>(report.call().call).failure.category, FailureCategory::kTimeout);
  report.answer();
  drain();
}

TEST_F(RuntimeTest, AHandlerThatHasNotBegunIsNotRunInVain) {
  std::atomic<int> runs{0};
  Stay stay;
  open([&](Context& context) -> Nothing {
    if (++runs == 1) stay.stay(context);
    return std::nullopt;
  });
  // A source that gives more than it was asked for: the second job waits for the only hand.
  source_.next_claim().answer({claimed_job("a"), claimed_job("b")});
  stay.begun.get_future().get();
  advance(10s);
  auto beats = source_.next_calls();
  EXPECT_EQ(beats.exchange.calls.size(), 2U);
  beats.done(ExchangeAnswer{
      .results = {WorkAnswer{}, Error{.code = Code::kStaleLease, .message = "gone"}}});
  stay.leave = true;
  source_.next_calls().answer();
  drain();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(runtime_->stats().completed, 1);
  EXPECT_EQ(runtime_->stats().dropped, 1);
}

// ---- Progress and checkpoints -----------------------------------------------------------------

TEST_F(RuntimeTest, ProgressIsSentWithoutWaiting) {
  Stay stay;
  open([&](Context& context) -> Nothing {
    context.progress(150, "nearly");
    stay.stay(context);
    return std::nullopt;
  });
  give();
  auto news = source_.next_calls();
  EXPECT_EQ(news.call().kind(), CallKind::kHeartbeat);
  EXPECT_EQ(std::get<HeartbeatCall>(news.call().call).progress, 100);
  EXPECT_EQ(std::get<HeartbeatCall>(news.call().call).message, "nearly");
  stay.begun.get_future().get();  // the handler went on before the answer
  news.answer();
  stay.leave = true;
  source_.next_calls().answer();
  drain();
}

TEST_F(RuntimeTest, ProgressWithoutAMessageLeavesTheMessageAsItIs) {
  open([](Context& context) -> Nothing {
    context.progress(-5);
    context.save_checkpoint("").value();
    return std::nullopt;
  });
  give();
  auto news = source_.next_calls();
  EXPECT_EQ(std::get<HeartbeatCall>(news.call().call).progress, 0);
  EXPECT_EQ(std::get<HeartbeatCall>(news.call().call).message, std::nullopt);
  if (!std::get<HeartbeatCall>(news.call().call)
           .checkpoint) {  // the two may travel together or not
    news.answer();
    news = source_.next_calls();
  }
  EXPECT_EQ(std::get<HeartbeatCall>(news.call().call).checkpoint, "");
  news.answer();
  source_.next_calls().answer();
  drain();
}

TEST_F(RuntimeTest, ACheckpointIsKeptBeforeTheHandlerGoesOn) {
  std::atomic<bool> went_on{false};
  open([&](Context& context) -> Nothing {
    EXPECT_EQ(context.checkpoint(), "page 3");
    EXPECT_TRUE(context.save_checkpoint("page 4").ok());
    went_on = true;
    EXPECT_EQ(context.checkpoint(), "page 4");
    return std::nullopt;
  });
  Claimed claimed = claimed_job("e");
  claimed.job.checkpoint = "page 3";
  give(claimed);
  auto news = source_.next_calls();
  EXPECT_EQ(std::get<HeartbeatCall>(news.call().call).checkpoint, "page 4");
  EXPECT_FALSE(went_on);
  news.answer();
  source_.next_calls().answer();
  EXPECT_TRUE(went_on);
  drain();
}

TEST_F(RuntimeTest, ACheckpointIsRefusedWhenTheLeaseIsLost) {
  std::promise<Status> saved;
  open([&](Context& context) -> Nothing {
    saved.set_value(context.save_checkpoint("page 4"));
    EXPECT_EQ(context.checkpoint(), "");
    return std::nullopt;
  });
  give();
  source_.next_calls().refuse_calls(Code::kStaleLease);
  EXPECT_EQ(saved.get_future().get().error().code, Code::kStaleLease);
  drain();
  EXPECT_EQ(runtime_->stats().dropped, 1);
}

TEST_F(RuntimeTest, ACheckpointIsRefusedAsTheStoreRefusesIt) {
  std::promise<Status> saved;
  open([&](Context& context) -> Nothing {
    saved.set_value(context.save_checkpoint("page 4"));
    return std::nullopt;
  });
  give();
  source_.next_calls().refuse_calls(Code::kPayloadTooLarge);
  EXPECT_EQ(saved.get_future().get().error().code, Code::kPayloadTooLarge);
  source_.next_calls().answer();
  drain();
}

// ---- A store that is away ---------------------------------------------------------------------

TEST_F(RuntimeTest, AsksAgainWhenTheStoreWasAwayAndTellsOfIt) {
  std::promise<Error> told;
  open(nothing(), {.on_error = [&](const Error& error) { told.set_value(error); }});
  source_.next_claim().done(Error{.code = Code::kStoreUnavailable, .message = "away"});
  EXPECT_EQ(told.get_future().get().code, Code::kStoreUnavailable);
  advance(100ms);
  give();
  source_.next_calls().answer();
  drain();
}

// ---- Ending -----------------------------------------------------------------------------------

TEST_F(RuntimeTest, DrainsByFinishingWhatRuns) {
  Stay stay;
  open(stay.handler(), {.concurrency = 2});
  begin(stay);
  auto claim = source_.next_claim();
  auto drained = std::async(std::launch::async, [this] { runtime_->drain(); });
  EXPECT_TRUE(base::eventually([&] { return claim.exchange.claim->stop.stop_requested(); }));
  claim.answer();
  advance(10s);
  source_.next_calls().answer();
  EXPECT_EQ(drained.wait_for(0s), std::future_status::timeout);
  stay.leave = true;
  auto report = source_.next_calls();
  EXPECT_EQ(report.call().kind(), CallKind::kAck);
  EXPECT_FALSE(report.exchange.claim);
  EXPECT_EQ(drained.wait_for(0s), std::future_status::timeout);
  report.answer();
  drained.get();
  EXPECT_EQ(stay.reason.get_future().get(), StopReason::kNone);
}

TEST_F(RuntimeTest, StopsCleanlyWhenHandlersReturnInTime) {
  Stay stay;
  open(stay.handler(), {.concurrency = 2});
  begin(stay);
  auto claim = source_.next_claim();
  auto stopped = std::async(std::launch::async, [this] { return runtime_->stop(1min); });
  EXPECT_TRUE(base::eventually([&] { return claim.exchange.claim->stop.stop_requested(); }));
  claim.answer();
  stay.leave = true;
  source_.next_calls().answer();
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(stay.reason.get_future().get(), StopReason::kNone);
}

TEST_F(RuntimeTest, StopsHandlersWhenTheGraceIsOver) {
  Stay stay;
  open([&](Context& context) -> Nothing {
    stay.stay(context);
    EXPECT_TRUE(context.save_checkpoint("so far").ok());
    throw Cancelled();
  });
  // The clock may run far before stop() is called: no lease and no deadline ends meanwhile.
  begin(stay, claimed_job("e", {.lease = base::days(30), .execution = base::days(30)}));
  auto stopped = std::async(std::launch::async, [this] { return runtime_->stop(5s); });
  auto reason = stay.reason.get_future();
  // Whenever stop() has taken note of the time, five seconds later its grace is over.
  ASSERT_TRUE(base::eventually([&] {
    advance(1s);
    return reason.wait_for(0s) == std::future_status::ready;
  }));
  EXPECT_EQ(reason.get(), StopReason::kWorkerStops);
  auto asked = source_.next_calls();
  while (!std::get<HeartbeatCall>(asked.call().call)
              .checkpoint) {  // heartbeats may have become due on the way
    asked.answer();
    asked = source_.next_calls();
  }
  EXPECT_EQ(std::get<HeartbeatCall>(asked.call().call).checkpoint, "so far");
  asked.answer();
  auto report = source_.next_calls();
  EXPECT_EQ(std::get<ReleaseCall>(report.call().call).reason, "the worker was stopped");
  report.answer();
  EXPECT_FALSE(stopped.get());
}

TEST_F(RuntimeTest, StopsThoughTheStoreIsAway) {
  open(nothing());
  give();
  source_.next_calls().done(Error{.code = Code::kStoreUnavailable});
  auto stopped = std::async(std::launch::async, [this] { return runtime_->stop(0s); });
  source_.next_calls().done(Error{.code = Code::kStoreUnavailable});
  EXPECT_FALSE(stopped.get());
  EXPECT_EQ(runtime_->stats().dropped, 1);
}

}  // namespace
}  // namespace baton::worker
