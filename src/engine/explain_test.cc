#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

Submission mail(int max_attempts = 3) {
  Submission job{.type = "mail", .queue = "letters", .payload = "{}"};
  job.retry.max_attempts = max_attempts;
  return job;
}

JobId submit(DrivenEngine& engine, Submission job = mail()) {
  return engine->submit(std::move(job)).get()->id;
}

TEST(Explain, SaysThatNoWorkerAsks) {
  DrivenEngine engine;
  const JobId id = submit(engine);
  engine.advance(40s);
  Explanation told = engine->explain(id).get().value();
  EXPECT_EQ(told.code, "no_worker");
  EXPECT_EQ(told.sentence,
            "It is ready, but no worker has asked for type mail in queue letters since the start, "
            "40 s ago.");
  EXPECT_EQ(told.worker, "");
  engine->claim({.queues = {"letters"}, .types = {"fax"}, .worker = "w"}).get().value();
  engine.advance(10min);
  told = engine->explain(id).get().value();
  EXPECT_EQ(told.code, "no_worker");
  EXPECT_EQ(told.sentence,
            "It is ready, but no worker has asked for type mail in queue letters for 10 min.");
}

TEST(Explain, AJobThatWorkersAskForWaitsForTheNext) {
  DrivenEngine engine;
  engine->claim({.queues = {"letters"}, .worker = "w"}).get().value();
  EXPECT_EQ(engine->explain(submit(engine)).get()->code, "waits_for_worker");
}

TEST(Explain, WhatHoldsAQueueBackComesFirst) {
  DrivenEngine engine;
  const JobId id = submit(engine);
  engine->set_queue({.name = "letters", .paused = true}).get().value();
  EXPECT_EQ(engine->explain(id).get()->code, "queue_paused");
  engine->set_queue({.name = "letters", .max_running = 0, .paused = false}).get().value();
  EXPECT_EQ(engine->explain(id).get()->code, "max_running_reached");
}

TEST(Explain, SaysWhoHasAJobAndWhatFollowsFromSilence) {
  DrivenEngine engine;
  const JobId id = submit(engine);
  engine.claim("letters");
  engine.advance(3s);
  const Explanation told = engine->explain(id).get().value();
  EXPECT_EQ(told.code, "runs");
  EXPECT_EQ(told.worker, "w1");
  EXPECT_EQ(told.worker_last_seen, kStart);
  EXPECT_EQ(told.sentence,
            "Worker w1 has it, last heard 3 s ago; if it stays silent until "
            "2023-11-14T22:18:20.000Z, the job runs again.");
}

TEST(Explain, FollowsHeartbeats) {
  DrivenEngine engine;
  const JobId id = submit(engine);
  const Claimed claimed = engine.claim("letters");
  engine.advance(200s);
  engine.work(DrivenEngine::call_of(CallKind::kHeartbeat, claimed)).value();
  engine.advance(150s);
  const Explanation told = engine->explain(id).get().value();
  EXPECT_EQ(told.worker_last_seen, kStart + 200s);
  EXPECT_EQ(told.sentence,
            "Worker w1 has it, last heard 2 min ago; if it stays silent until "
            "2023-11-14T22:21:40.000Z, the job runs again.");
}

TEST(Explain, SilenceEndsTheLastAttemptAndACancelledJob) {
  DrivenEngine engine;
  const JobId last = submit(engine, mail(1));
  engine.claim("letters");
  EXPECT_TRUE(
      engine->explain(last).get()->sentence.ends_with(", the job ends: this is its last attempt."));
  const JobId cancelled = submit(engine);
  engine.claim("letters");
  engine->cancel({.id = cancelled}).get().value();
  EXPECT_TRUE(engine->explain(cancelled).get()->sentence.ends_with(", the job is cancelled."));
}

TEST(Explain, AReleasedRunIsNoAttempt) {
  DrivenEngine engine;
  const JobId id = submit(engine, mail(2));
  engine.work(DrivenEngine::call_of(CallKind::kRelease, engine.claim("letters"))).value();
  engine.claim("letters");
  EXPECT_TRUE(engine->explain(id).get()->sentence.ends_with(", the job runs again."));
}

TEST(Explain, ACommittedJobNamesItsWorker) {
  DrivenEngine engine;
  const JobId id = submit(engine);
  const Claimed claimed = engine.claim("letters");
  engine.work(DrivenEngine::call_of(CallKind::kStart, claimed)).value();
  engine.work(DrivenEngine::call_of(CallKind::kCommit, claimed)).value();
  const Explanation told = engine->explain(id).get().value();
  EXPECT_EQ(told.code, "finalising");
  EXPECT_EQ(told.sentence, "Its execution has committed; it completes when the worker says done.");
  EXPECT_EQ(told.worker, "w1");
}

}  // namespace
}  // namespace baton::engine
