// What goes in comes out again, member by member.
#include <gtest/gtest.h>

#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

Retry every_retry_setting() {
  return {.max_attempts = 7,
          .strategy = Strategy::kTable,
          .initial = 11ms,
          .multiplier = 1.5,
          .max = 12ms,
          .jitter = Jitter::kTenPercent,
          .table = {1ms, 2ms},
          .function = "squares"};
}

Timeouts every_timeout() { return {.execution = 5min, .lease = 30s, .lifetime = 2h}; }

Submission every_setting() {
  return {.type = "type",
          .queue = "q",
          .payload = std::string("\0{}", 3),
          .content_type = "text/plain",
          .priority = Priority::kHigh,
          .delay = 10s,
          .idempotency_key = "key",
          .idempotency = Idempotency::kByProfile,
          .retry = every_retry_setting(),
          .timeouts = every_timeout(),
          .timeout_is = FailureIs::kTerminal,
          .system_is = FailureIs::kTemporary,
          .tags = {{"a", "1"}, {"b", "2"}},
          .correlation_id = "correlation",
          .callback_url = "https://example.org/hook",
          .account = "acc",
          .cost = 3,
          .traceparent = "00-trace",
          .ref = "me"};
}

TEST(Shown, ASubmissionComesBackAsItWas) {
  DrivenEngine engine;
  engine->grant({.account = "acc", .amount = 10}).get().value();
  const JobId id = engine->submit(every_setting()).get()->id;
  Submission expected = every_setting();
  expected.ref.clear();  // it means something in its batch only
  EXPECT_EQ(*engine->get(id).get()->spec, expected);
}

TEST(Shown, ASubmissionForATimeComesBackAsItWas) {
  DrivenEngine engine;
  const Submission job{
      .type = "t", .queue = "q", .run_at = kStart + 1h, .idempotency = Idempotency::kNone};
  const JobId id = engine->submit(job).get()->id;
  EXPECT_EQ(*engine->get(id).get()->spec, job);
  EXPECT_EQ(engine->get(id).get()->run_at, kStart + 1h);
}

TEST(Shown, DependenciesComeBackResolved) {
  DrivenEngine engine;
  const JobId one = engine->submit({.type = "t"}).get()->id;
  const Batch batch{.jobs = {{.type = "a", .ref = "first"},
                             {.type = "b",
                              .depends_on = {{.jobs = {"#first", to_string(one)}},
                                             {.type = DependencyType::kFanIn,
                                              .jobs = {to_string(one)},
                                              .allow_failures = true}}}}};
  const auto made = engine->submit_batch(batch).get().value();
  const std::vector<Dependency> expected = {
      {.jobs = {to_string(made[0]->id), to_string(one)}},
      {.type = DependencyType::kFanIn, .jobs = {to_string(one)}, .allow_failures = true}};
  EXPECT_EQ(engine->get(made[1]->id).get()->spec->depends_on, expected);
}

TEST(Shown, AQueueComesBackAsItWasSet) {
  DrivenEngine engine;
  Retry retry = every_retry_setting();
  const auto set = engine
                       ->set_queue({.name = "q",
                                    .profile = "lease",
                                    .retry = retry,
                                    .timeouts = every_timeout(),
                                    .timeout_is = FailureIs::kTerminal,
                                    .system_is = FailureIs::kTerminal,
                                    .idempotency_window = 1h,
                                    .max_payload_bytes = 1000,
                                    .max_pending = 100,
                                    .max_running = 10,
                                    .rate = RateLimit{.per_second = 2.5, .burst = 4},
                                    .keep_completed = 24h,
                                    .keep_failed = 48h,
                                    .paused = true,
                                    .draining = true})
                       .get();
  ASSERT_EQ(code_of(set), "ok");
  const Queue queue = engine->get_queue("q").get().value();
  EXPECT_EQ(queue.name, "q");
  EXPECT_EQ(queue.settings.profile, "lease");
  EXPECT_EQ(queue.settings.retry, retry);
  EXPECT_EQ(queue.settings.timeouts, every_timeout());
  EXPECT_EQ(queue.settings.timeout_is, FailureIs::kTerminal);
  EXPECT_EQ(queue.settings.system_is, FailureIs::kTerminal);
  EXPECT_EQ(queue.settings.idempotency_window, 1h);
  EXPECT_EQ(queue.settings.max_payload_bytes, 1000U);
  EXPECT_EQ(queue.settings.max_pending, 100);
  EXPECT_EQ(queue.settings.max_running, 10);
  EXPECT_EQ(queue.settings.rate, (RateLimit{.per_second = 2.5, .burst = 4}));
  EXPECT_EQ(queue.settings.keep_completed, 24h);
  EXPECT_EQ(queue.settings.keep_failed, 48h);
  EXPECT_TRUE(queue.settings.paused);
  EXPECT_TRUE(queue.settings.draining);
}

TEST(Shown, AnUpdateChangesOnlyWhatItNames) {
  DrivenEngine engine;
  engine->set_queue({.name = "q", .max_running = 10, .paused = true}).get().value();
  const Queue queue = engine->set_queue({.name = "q", .paused = false}).get().value();
  EXPECT_FALSE(queue.settings.paused);
  EXPECT_EQ(queue.settings.max_running, 10);
  EXPECT_EQ(queue.settings.profile, "standard");
  EXPECT_EQ(engine->set_queue({.name = "q", .max_running = -1}).get()->settings.max_running,
            std::nullopt);
}

TEST(Shown, AnUnknownProfileIsRefusedByName) {
  DrivenEngine engine;
  const auto answer = engine->set_queue({.name = "q", .profile = "special"}).get();
  EXPECT_EQ(code_of(answer), "invalid_job");
  EXPECT_EQ(answer.error().field, "profile");
  EXPECT_EQ(answer.error().message, "there is no profile called special");
}

TEST(Shown, AJobThatRunsShowsItsTimesAndAttempts) {
  DrivenEngine engine;
  const JobId id =
      engine->submit({.type = "t", .retry = {.max_attempts = 4}, .timeouts = {.lease = 30s}})
          .get()
          ->id;
  engine.advance(1s);
  const Claimed claimed = engine.claim();
  const Job job = engine->get(id).get().value();
  EXPECT_EQ(job.id, id);
  EXPECT_EQ(job.profile, "standard");
  EXPECT_EQ(job.state, "RUNNING");
  EXPECT_EQ(job.canonical_state, JobState::kRunning);
  EXPECT_FALSE(job.ended());
  EXPECT_EQ(job.attempt, 1);
  EXPECT_EQ(job.max_attempts, 4);
  EXPECT_EQ(job.max_retries, 3);
  EXPECT_EQ(job.retry_count, 0);
  EXPECT_EQ(job.created_at, kStart);
  EXPECT_EQ(job.updated_at, kStart + 1s);
  EXPECT_EQ(job.scheduled_at, kStart);
  EXPECT_EQ(job.started_at, kStart + 1s);
  EXPECT_FALSE(job.run_at.is_set());
  EXPECT_FALSE(job.completed_at.is_set());
  EXPECT_EQ(job.progress, std::nullopt);
  EXPECT_EQ(job.result, nullptr);
  EXPECT_EQ(job.error_type, std::nullopt);
  EXPECT_TRUE(job.previous_execution.is_nil());
  EXPECT_TRUE(job.parent.is_nil());
  EXPECT_TRUE(job.redriven_from.is_nil());
  EXPECT_GT(job.version, 0);
  EXPECT_EQ(claimed.job.started_at, kStart + 1s);
  EXPECT_EQ(claimed.lease_expires_at, kStart + 31s);
  EXPECT_EQ(claimed.deadline_at, kStart + 1s + 30min);
  EXPECT_NE(claimed.token, LeaseToken{});
}

TEST(Shown, AHeartbeatShowsInTheJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"}).get()->id;
  WorkCall beat = DrivenEngine::call_of(CallKind::kHeartbeat, engine.claim());
  std::get<HeartbeatCall>(beat.call).progress = 40;
  std::get<HeartbeatCall>(beat.call).message = "reading";
  std::get<HeartbeatCall>(beat.call).checkpoint = "page 4";
  EXPECT_EQ(code_of(engine.work(beat)), "ok");
  const Job job = engine->get(id).get().value();
  EXPECT_EQ(job.progress, 40);
  EXPECT_EQ(job.progress_message, "reading");
  EXPECT_EQ(job.checkpoint, "page 4");
}

TEST(Shown, AFailureShowsInTheJobAndInItsExecution) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"}).get()->id;
  const Claimed claimed = engine.claim();
  WorkCall nack = DrivenEngine::call_of(CallKind::kNack, claimed);
  std::get<NackCall>(nack.call).failure = {.category = FailureCategory::kSystem,
                                           .code = "disk",
                                           .message = "disk full",
                                           .cause = "ENOSPC"};
  std::get<NackCall>(nack.call).retry_after = 1min;
  EXPECT_EQ(code_of(engine.work(nack)), "ok");
  const Job job = engine->get(id).get().value();
  EXPECT_EQ(job.last_error, std::get<NackCall>(nack.call).failure);
  EXPECT_EQ(job.error_type, ErrorType::kRetryable);
  EXPECT_EQ(job.retry_count, 1);
  EXPECT_EQ(job.run_at, kStart + 1min);
  engine.advance(1min);
  EXPECT_EQ(engine.claim().job.previous_execution, claimed.execution);

  const auto executions = engine->executions(id).get().value();
  ASSERT_EQ(executions.size(), 2U);
  EXPECT_EQ(executions[0].id, claimed.execution);
  EXPECT_EQ(executions[0].id.job(), id);
  EXPECT_EQ(executions[0].attempt, 1);
  EXPECT_EQ(executions[0].worker, "w1");
  EXPECT_EQ(executions[0].status, ExecutionStatus::kAborted);
  EXPECT_EQ(executions[0].failure, std::get<NackCall>(nack.call).failure);
  EXPECT_TRUE(executions[0].previous_execution.is_nil());
  EXPECT_EQ(executions[0].claimed_at, kStart);
  EXPECT_EQ(executions[0].finished_at, kStart);
  EXPECT_FALSE(executions[0].started_at.is_set());
  EXPECT_EQ(executions[1].previous_execution, claimed.execution);
  EXPECT_EQ(executions[1].status, ExecutionStatus::kLeased);
  EXPECT_EQ(executions[1].claimed_at, kStart + 1min);
  EXPECT_EQ(executions[1].lease_expires_at, kStart + 6min);
  EXPECT_EQ(executions[1].deadline_at, kStart + 31min);
  EXPECT_FALSE(executions[1].finished_at.is_set());
}

TEST(Shown, AResultShowsInTheJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"}).get()->id;
  const Claimed claimed = engine.claim();
  EXPECT_EQ(code_of(engine.work(DrivenEngine::call_of(CallKind::kStart, claimed))), "ok");
  engine.advance(1s);
  WorkCall commit = DrivenEngine::call_of(CallKind::kCommit, claimed);
  std::get<CommitCall>(commit.call).result =
      Outcome{.bytes = std::string("\0\1", 2), .content_type = "image/png"};
  EXPECT_EQ(engine.work(commit)->status, ExecutionStatus::kCommitted);
  EXPECT_EQ(*engine->get(id).get()->result, std::get<CommitCall>(commit.call).result);
  engine.advance(1s);
  EXPECT_EQ(engine.work(DrivenEngine::call_of(CallKind::kDone, claimed))->canonical_state,
            JobState::kCompleted);
  EXPECT_EQ(engine->get(id).get()->completed_at, kStart + 2s);
  EXPECT_TRUE(engine->get(id).get()->ended());
  const auto executions = engine->executions(id).get().value();
  EXPECT_EQ(executions.at(0).started_at, kStart);
  EXPECT_EQ(executions.at(0).committed_at, kStart + 1s);
  EXPECT_EQ(executions.at(0).finished_at, kStart + 2s);
}

TEST(Shown, HistoryIsToldInCanonicalWords) {
  DrivenEngine engine;
  engine->set_queue({.name = "default", .profile = "lease"}).get().value();
  const JobId id = engine->submit({.type = "t"}).get()->id;
  engine.advance(1s);
  const Claimed claimed = engine.claim();
  EXPECT_EQ(claimed.job.state, "InFlight");
  const auto history = engine->history(id).get().value();
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].seq, 1);
  EXPECT_EQ(history[0].from, JobState::kNone);
  EXPECT_EQ(history[0].to, JobState::kPending);
  EXPECT_EQ(history[0].trigger, Trigger::kCreate);
  EXPECT_EQ(history[0].at, kStart);
  EXPECT_EQ(history[0].attempt, 0);
  EXPECT_EQ(history[0].actor, Actor::kClient);
  EXPECT_EQ(history[2].seq, 3);
  EXPECT_EQ(history[2].from, JobState::kScheduled);
  EXPECT_EQ(history[2].to, JobState::kRunning);
  EXPECT_EQ(history[2].trigger, Trigger::kClaim);
  EXPECT_EQ(history[2].at, kStart + 1s);
  EXPECT_EQ(history[2].attempt, 1);
  EXPECT_EQ(history[2].actor, Actor::kWorker);
}

}  // namespace
}  // namespace baton::engine
