// The worker's side of an engine: claims that wait, calls and claims in one exchange.
#include <gtest/gtest.h>

#include <future>
#include <stop_token>

#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

using Claims = Result<std::vector<Claimed>>;

ClaimRequest claim_of(Duration wait = 0s, std::stop_token stop = {}) {
  return {.queues = {"default"}, .worker = "w1", .wait = wait, .stop = std::move(stop)};
}

// An exchange under way.
class Exchanging {
 public:
  Exchanging(Engine& engine, Exchange exchange) {
    engine.exchange(std::move(exchange)).then([this](Result<ExchangeAnswer> answer) {
      promise_.set_value(std::move(answer));
    });
  }
  Result<ExchangeAnswer> get() { return future_.get(); }
  bool waits() const { return future_.wait_for(0s) == std::future_status::timeout; }

 private:
  std::promise<Result<ExchangeAnswer>> promise_;
  std::future<Result<ExchangeAnswer>> future_ = promise_.get_future();
};

TEST(EngineClaim, TakesNoMoreThanItAsksFor) {
  DrivenEngine engine;
  engine->submit_batch({.jobs = {{.type = "a"}, {.type = "b"}, {.type = "c"}}}).get().value();
  ClaimRequest request = claim_of();
  request.max = 2;
  EXPECT_EQ(engine->claim(request).get()->size(), 2U);
  request.types = {"a", "b"};
  EXPECT_TRUE(engine->claim(request).get()->empty());
  request.types = {"c"};
  request.lease = 2s;
  const auto claimed = engine->claim(request).get().value();
  EXPECT_EQ(claimed.at(0).job.spec->type, "c");
  EXPECT_EQ(claimed.at(0).lease_expires_at, kStart + 2s);
}

TEST(EngineClaim, WaitsAtMostAMinute) {
  DrivenEngine engine;
  EXPECT_EQ(code_of(engine->claim(claim_of(-1ms)).get()), "bad_request");
  EXPECT_EQ(code_of(engine->claim(claim_of(60'001ms)).get()), "bad_request");
  Exchanging waiting(*engine, {.claim = claim_of(60s)});
  engine.advance(60s);
  EXPECT_TRUE(waiting.get()->executions.empty());
}

TEST(EngineClaim, WaitsForAJobToFallDue) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t", .delay = 10s}).get()->id;
  Exchanging waiting(*engine, {.claim = claim_of(60s)});
  EXPECT_TRUE(waiting.waits());
  engine.advance(10s);
  EXPECT_EQ(waiting.get()->executions.at(0).job.id, id);
}

TEST(EngineClaim, StopsWaitingWhenItIsAskedTo) {
  DrivenEngine engine;
  std::stop_source stop;
  Exchanging waiting(*engine, {.claim = claim_of(60s, stop.get_token())});
  EXPECT_TRUE(waiting.waits());
  stop.request_stop();
  EXPECT_TRUE(waiting.get()->executions.empty());
  // Nothing is claimed for one who went away.
  const JobId id = engine->submit({.type = "t"}).get()->id;
  EXPECT_EQ(engine->get(id).get()->attempt, 0);
}

TEST(EngineClaim, IsRefusedWhenTheEngineCloses) {
  DrivenEngine engine;
  Exchanging waiting(*engine, {.claim = claim_of(60s)});
  engine.close();
  EXPECT_EQ(waiting.get()->claim_error->code, Code::kShuttingDown);
}

TEST(EngineExchange, TakesAThousandCallsAndNotOneMore) {
  DrivenEngine engine;
  engine->submit({.type = "t"}).get().value();
  const WorkCall beat = DrivenEngine::call_of(CallKind::kHeartbeat, engine.claim());
  EXPECT_EQ(engine->work(std::vector(1000, beat)).get()->size(), 1000U);
  const auto refused = engine->work(std::vector(1001, beat)).get();
  EXPECT_EQ(code_of(refused), "bad_request");
  EXPECT_EQ(refused.error().field, "calls");
}

TEST(EngineWork, AHeartbeatExtendsTheLease) {
  DrivenEngine engine;
  engine->submit({.type = "t", .timeouts = {.lease = 30s}}).get().value();
  const Claimed claimed = engine.claim();
  engine.advance(10s);
  const auto beat = engine.work(DrivenEngine::call_of(CallKind::kHeartbeat, claimed));
  EXPECT_EQ(beat->lease_expires_at, kStart + 40s);
  EXPECT_FALSE(beat->cancel_requested);
}

TEST(EngineWork, AStartMayShortenTheExecution) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"}).get()->id;
  WorkCall start = DrivenEngine::call_of(CallKind::kStart, engine.claim());
  std::get<StartCall>(start.call).execution_limit = 1min;
  engine.work(start).value();
  EXPECT_EQ(engine->executions(id).get()->at(0).deadline_at, kStart + 1min);
}

}  // namespace
}  // namespace baton::engine
