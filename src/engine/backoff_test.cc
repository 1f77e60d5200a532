#include <gtest/gtest.h>

#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

TEST(BackoffFunctions, NeedANameAndAFunction) {
  EXPECT_EQ(code_of(Engine::open("memory:", {.backoff_functions = {{"", squares}}})),
            "bad_request");
  EXPECT_EQ(code_of(Engine::open("memory:", {.backoff_functions = {{"none", nullptr}}})),
            "bad_request");
}

TEST(BackoffFunctions, DecideHowLongARetryWaits) {
  DrivenEngine engine;
  const Retry retry{.max_attempts = 5,
                    .strategy = Strategy::kFunction,
                    .initial = 1s,
                    .max = 1h,
                    .function = "squares"};
  const JobId id = engine->submit({.type = "t", .retry = retry}).get()->id;
  for (const Duration wait : {1s, 4s, 9s}) {
    const auto nack = DrivenEngine::call_of(CallKind::kNack, engine.claim());
    EXPECT_EQ(code_of(engine.work(nack)), "ok");
    EXPECT_EQ(engine->get(id).get()->run_at, engine.now() + wait);
    engine.advance(wait);
  }
}

TEST(BackoffFunctions, ThatNobodyRegisteredAreRefused) {
  DrivenEngine engine;
  const Retry retry{.strategy = Strategy::kFunction, .function = "cubes"};
  const auto answer = engine->submit({.type = "t", .retry = retry}).get();
  EXPECT_EQ(code_of(answer), "invalid_job");
  EXPECT_EQ(answer.error().field, "retry.strategy");
}

}  // namespace
}  // namespace baton::engine
