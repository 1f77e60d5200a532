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
    engine.exchange(std::move(exchange), [this](Result<ExchangeAnswer> answer) {
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
  engine->submit_batch({.jobs = {{.type = "a"}, {.type = "b"}, {.type = "c"}}}).value();
  ClaimRequest request = claim_of();
  request.max = 2;
  EXPECT_EQ(engine->claim(request)->size(), 2U);
  request.types = {"a", "b"};
  EXPECT_TRUE(engine->claim(request)->empty());
  request.types = {"c"};
  request.lease = 2s;
  const auto claimed = engine->claim(request).value();
  EXPECT_EQ(claimed.at(0).job.spec->type, "c");
  EXPECT_EQ(claimed.at(0).lease_expires_at, kStart + 2s);
}

TEST(EngineClaim, IsRefusedAsTheStoreRefusesIt) {
  DrivenEngine engine;
  EXPECT_EQ(code_of(engine->claim({.worker = "w"})), "bad_request");
  EXPECT_EQ(code_of(engine->claim({.queues = {"q"}})), "bad_request");
  EXPECT_EQ(code_of(engine->claim({.queues = {"q"}, .worker = "w", .lease = 1ms})), "invalid_job");
}

TEST(EngineClaim, WaitsAtMostAMinute) {
  DrivenEngine engine;
  EXPECT_EQ(code_of(engine->claim(claim_of(-1ms))), "bad_request");
  EXPECT_EQ(code_of(engine->claim(claim_of(60'001ms))), "bad_request");
  Exchanging waiting(*engine, {.claim = claim_of(60s)});
  engine.advance(60s);
  EXPECT_TRUE(waiting.get()->executions.empty());
}

TEST(EngineClaim, WaitsForAJobToCome) {
  DrivenEngine engine;
  Exchanging waiting(*engine, {.claim = claim_of(60s)});
  const JobId id = engine->submit({.type = "t"})->id;
  EXPECT_EQ(waiting.get()->executions.at(0).job.id, id);
}

TEST(EngineClaim, WaitsForAJobToFallDue) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t", .delay = 10s})->id;
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
  const JobId id = engine->submit({.type = "t"})->id;
  EXPECT_EQ(engine->get(id)->attempt, 0);
}

TEST(EngineClaim, IsRefusedWhenTheEngineCloses) {
  DrivenEngine engine;
  Exchanging waiting(*engine, {.claim = claim_of(60s)});
  engine.close();
  EXPECT_EQ(waiting.get()->claim_error->code, Code::kShuttingDown);
}

TEST(EngineExchange, FinishesOneJobAndFetchesTheNext) {
  DrivenEngine engine;
  const auto made = engine->submit_batch({.jobs = {{.type = "a"}, {.type = "b"}}, .chain = true});
  const Claimed first = engine.claim();
  Exchanging exchange(
      *engine, {.calls = {DrivenEngine::call_of(CallKind::kAck, first)}, .claim = claim_of()});
  const ExchangeAnswer answer = exchange.get().value();
  EXPECT_EQ(answer.results.at(0)->canonical_state, JobState::kCompleted);
  EXPECT_EQ(answer.results.at(0)->state, "COMPLETED");
  EXPECT_EQ(answer.results.at(0)->job, first.job.id);
  EXPECT_EQ(answer.executions.at(0).job.id, made->at(1)->id);
}

TEST(EngineExchange, KeepsTheAnswersOfCallsWhenTheClaimIsRefused) {
  DrivenEngine engine;
  engine->submit({.type = "t"}).value();
  Exchanging exchange(*engine, {.calls = {DrivenEngine::call_of(CallKind::kAck, engine.claim())},
                                .claim = ClaimRequest{.worker = "w"}});
  const ExchangeAnswer answer = exchange.get().value();
  EXPECT_EQ(code_of(answer.results.at(0)), "ok");
  EXPECT_EQ(answer.claim_error->code, Code::kBadRequest);
}

TEST(EngineExchange, OfNothingGivesNothing) {
  DrivenEngine engine;
  const ExchangeAnswer answer = Exchanging(*engine, {}).get().value();
  EXPECT_TRUE(answer.results.empty());
  EXPECT_TRUE(answer.executions.empty());
}

TEST(EngineExchange, TakesAThousandCallsAndNotOneMore) {
  DrivenEngine engine;
  engine->submit({.type = "t"}).value();
  const WorkCall beat = DrivenEngine::call_of(CallKind::kHeartbeat, engine.claim());
  EXPECT_EQ(engine->work(std::vector(1000, beat))->size(), 1000U);
  const auto refused = engine->work(std::vector(1001, beat));
  EXPECT_EQ(code_of(refused), "bad_request");
  EXPECT_EQ(refused.error().field, "calls");
}

TEST(EngineWork, AnswersEachCallInItsPlace) {
  DrivenEngine engine;
  engine->submit({.type = "t"}).value();
  const Claimed claimed = engine.claim();
  WorkCall no_execution = DrivenEngine::call_of(CallKind::kAck, claimed);
  no_execution.execution = execution_id(JobId{}, 1);
  WorkCall no_token = DrivenEngine::call_of(CallKind::kAck, claimed);
  no_token.token = {};
  WorkCall wrong_token = DrivenEngine::call_of(CallKind::kAck, claimed);
  wrong_token.token.bytes[3] ^= 1;
  const auto results =
      engine
          ->work({no_execution, DrivenEngine::call_of(CallKind::kStart, claimed), no_token,
                  wrong_token, DrivenEngine::call_of(CallKind::kAck, claimed),
                  DrivenEngine::call_of(CallKind::kAck, claimed)})
          .value();
  ASSERT_EQ(results.size(), 6U);
  EXPECT_EQ(code_of(results[0]), "not_found");
  EXPECT_EQ(results[1]->status, ExecutionStatus::kInProgress);
  EXPECT_EQ(code_of(results[2]), "stale_lease");
  EXPECT_EQ(code_of(results[3]), "stale_lease");
  EXPECT_EQ(results[4]->status, ExecutionStatus::kDone);
  EXPECT_FALSE(results[4]->repeated);
  EXPECT_TRUE(results[5]->repeated);
}

TEST(EngineWork, AHeartbeatExtendsTheLease) {
  DrivenEngine engine;
  engine->submit({.type = "t", .timeouts = {.lease = 30s}}).value();
  const Claimed claimed = engine.claim();
  engine.advance(10s);
  const auto beat = engine.work(DrivenEngine::call_of(CallKind::kHeartbeat, claimed));
  EXPECT_EQ(beat->lease_expires_at, kStart + 40s);
  EXPECT_FALSE(beat->cancel_requested);
}

TEST(EngineWork, AStartMayShortenTheExecution) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  WorkCall start = DrivenEngine::call_of(CallKind::kStart, engine.claim());
  start.execution_limit = 1min;
  engine.work(start).value();
  EXPECT_EQ(engine->executions(id)->at(0).deadline_at, kStart + 1min);
}

TEST(EngineWork, SpawnedJobsAreMadeAtTheCommit) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "parent"})->id;
  const Claimed claimed = engine.claim();
  WorkCall spawn = DrivenEngine::call_of(CallKind::kSpawn, claimed);
  spawn.spawn = {std::make_shared<const Submission>(Submission{.type = "staged"})};
  EXPECT_EQ(engine.work(spawn)->staged, 1U);
  EXPECT_EQ(engine->list()->jobs.size(), 1U);
  WorkCall ack = DrivenEngine::call_of(CallKind::kAck, claimed);
  ack.spawn = {std::make_shared<const Submission>(Submission{.type = "brought"})};
  engine.work(ack).value();
  const auto children = engine->get(id)->children;
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(engine->get(children[0])->spec->type, "staged");
  EXPECT_EQ(engine->get(children[1])->parent, id);
}

TEST(EngineWork, AWorkerMayRejectAndConfirmACancel) {
  DrivenEngine engine;
  engine->set_queue({.name = "g", .profile = "generation"}).value();
  const JobId bad = engine->submit({.type = "t", .queue = "g", .account = "a"})->id;
  WorkCall reject = DrivenEngine::call_of(CallKind::kReject, engine.claim("g"));
  reject.failure.message = "unsafe";
  EXPECT_EQ(engine.work(reject)->state, "rejected");
  EXPECT_EQ(engine->get(bad)->last_error->message, "unsafe");

  const JobId id = engine->submit({.type = "t"})->id;
  const Claimed claimed = engine.claim();
  engine->cancel({.id = id}).value();
  EXPECT_EQ(engine.work(DrivenEngine::call_of(CallKind::kCancelled, claimed))->canonical_state,
            JobState::kCancelled);
}

}  // namespace
}  // namespace baton::engine
