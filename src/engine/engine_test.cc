#include "baton/engine.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/eventually.h"
#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

// ---- Reading ----------------------------------------------------------------------------------

TEST(EngineReads, ListRefusesACursorThatNoListGave) {
  DrivenEngine engine;
  for (const std::string cursor : {"x", "0", "-1", "1x", " 1", "99999999999999999999"}) {
    const auto refused = engine->list({.cursor = cursor}).get();
    EXPECT_EQ(code_of(refused), "bad_request") << cursor;
    EXPECT_EQ(refused.error().field, "cursor");
  }
  EXPECT_EQ(code_of(engine->list({.limit = 0}).get()), "bad_request");
}

TEST(EngineReads, ListFilters) {
  DrivenEngine engine;
  engine->set_queue({.name = "leases", .profile = "lease"}).get().value();
  const JobId early = engine->submit({.type = "early"}).get()->id;
  engine.advance(1s);
  const JobId tagged = engine
                           ->submit({.type = "tagged",
                                     .queue = "leases",
                                     .tags = {{"k", "v"}},
                                     .correlation_id = "c",
                                     .account = "a"})
                           .get()
                           ->id;
  engine.advance(1s);
  const JobId late = engine->submit({.type = "late", .delay = 1h}).get()->id;
  const std::vector<std::pair<JobId, JobFilter>> cases = {
      {tagged, {.queue = "leases"}},
      {tagged, {.state = "Ready"}},
      {late, {.canonical_state = JobState::kDelayed}},
      {early, {.type = "early"}},
      {tagged, {.tag = std::pair("k", "v")}},
      {tagged, {.correlation_id = "c"}},
      {tagged, {.account = "a"}},
      {late, {.created_after = kStart + 1s}},
      {early, {.created_before = kStart + 1s}},
  };
  for (const auto& [expected, filter] : cases) {
    const JobPage page = engine->list(filter).get().value();
    ASSERT_EQ(page.jobs.size(), 1U);
    EXPECT_EQ(page.jobs[0].id, expected);
  }
}

TEST(EngineRetention, DeletesWhatWasKeptLongEnough) {
  DrivenEngine engine;
  engine->set_queue({.name = "default", .idempotency_window = 1s, .keep_completed = 1h})
      .get()
      .value();
  const JobId id = engine->submit({.type = "t"}).get()->id;
  engine.complete();
  engine.advance(1h - 1ms);
  EXPECT_EQ(code_of(engine->get(id).get()), "ok");
  EXPECT_TRUE(base::eventually([&] {
    engine.advance(1min);
    return code_of(engine->get(id).get()) == "not_found";
  }));
}

// ---- Waiting ----------------------------------------------------------------------------------

TEST(EngineWait, AnswersWhenATimerEndsTheJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t", .timeouts = {.lifetime = 1min}}).get()->id;
  auto waiting = engine->wait(id, 1h);
  engine.advance(1min);
  EXPECT_EQ(waiting.get()->job.canonical_state, JobState::kDeadLetter);
}

TEST(EngineWait, AnswersWithTheJobAsItIsWhenTheTimeIsOver) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"}).get()->id;
  EXPECT_EQ(engine->wait(id, 0s).get()->job.canonical_state, JobState::kScheduled);
  auto waiting = engine->wait(id, 1min);
  engine.advance(1min - 1ms);
  EXPECT_EQ(engine->get(id).get()->canonical_state, JobState::kScheduled);
  std::promise<Result<Waited>> answer;
  auto future = answer.get_future();
  waiting.then([&](Result<Waited> waited) { answer.set_value(std::move(waited)); });
  EXPECT_EQ(future.wait_for(0s), std::future_status::timeout);
  engine.advance(1ms);
  const Waited waited = future.get().value();
  EXPECT_TRUE(waited.timed_out);
  EXPECT_EQ(waited.job.canonical_state, JobState::kScheduled);
}

TEST(EngineWait, IsRefusedWhenTheEngineCloses) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"}).get()->id;
  auto waiting = engine->wait(id, 1h);
  engine.close();
  EXPECT_EQ(code_of(waiting.get()), "shutting_down");
}

// ---- Completions ------------------------------------------------------------------------------

TEST(EngineCompletions, MayMakeFurtherCallsThatDoNotBlock) {
  DrivenEngine engine;
  std::promise<Result<Job>> answer;
  engine->submit({.type = "t"}).then([&](Result<Submitted> made) {
    engine->get(made->id).then([&](Result<Job> job) { answer.set_value(std::move(job)); });
  });
  EXPECT_EQ(answer.get_future().get()->spec->type, "t");
}

TEST(EngineCompletionsDeathTest, MustNotBlock) {
  EXPECT_DEATH(
      {
        DrivenEngine engine;
        const JobId id = engine->submit({.type = "t"}).get()->id;
        engine->get(id).then([&](const Result<Job>&) { static_cast<void>(engine->stats().get()); });
      },
      "a blocking call was made inside a completion");
}

TEST(EngineThreads, MaySubmitTogether) {
  DrivenEngine engine;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        engine->submit({.type = "t"}).get().value();
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(engine->stats().get()->live_jobs, 200);
}

}  // namespace
}  // namespace baton::engine
