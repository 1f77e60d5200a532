#include "baton/engine.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/eventually.h"
#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

const JobId kNobody = parse_job_id("00000000-0000-4000-8000-000000000000").value();

// ---- Submitting -------------------------------------------------------------------------------

TEST(EngineSubmit, MakesAJobThatCanBeClaimed) {
  DrivenEngine engine;
  const Submitted made = engine->submit({.type = "mail", .payload = "{\"to\":1}"}).value();
  EXPECT_EQ(made.canonical_state, JobState::kScheduled);
  EXPECT_FALSE(made.duplicate);
  const Claimed claimed = engine.claim();
  EXPECT_EQ(claimed.job.id, made.id);
  EXPECT_EQ(claimed.job.spec->payload, "{\"to\":1}");
}

TEST(EngineSubmit, FindsTheJobOfAnEarlierKey) {
  DrivenEngine engine;
  const Submission job{.type = "t", .idempotency_key = "k"};
  const JobId id = engine->submit(job)->id;
  const Submitted again = engine->submit(job).value();
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.id, id);
}

TEST(EngineSubmit, RefusesWithTheFieldOfTheJob) {
  DrivenEngine engine;
  const auto refused = engine->submit({.type = ""});
  EXPECT_EQ(code_of(refused), "invalid_job");
  EXPECT_EQ(refused.error().field, "type");
}

TEST(EngineSubmit, RefusesAnAtomicBatchWithTheIndexOfTheFirstBadJob) {
  DrivenEngine engine;
  const auto refused = engine->submit_batch({.jobs = {{.type = "a"}, {.type = ""}, {.type = ""}}});
  EXPECT_EQ(code_of(refused), "invalid_job");
  EXPECT_EQ(refused.error().field, "jobs[1].type");
  EXPECT_TRUE(engine->list()->jobs.empty());
}

TEST(EngineSubmit, MakesWhatItCanOfABatchThatIsNotAtomic) {
  DrivenEngine engine;
  const auto made =
      engine->submit_batch({.jobs = {{.type = ""}, {.type = "b"}}, .atomic = false}).value();
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(code_of(made[0]), "invalid_job");
  EXPECT_EQ(made[0].error().field, "type");
  EXPECT_EQ(engine->list()->jobs.at(0).id, made[1]->id);
}

TEST(EngineSubmit, RefusesAnEmptyBatch) {
  DrivenEngine engine;
  EXPECT_EQ(code_of(engine->submit_batch({})), "bad_request");
}

TEST(EngineSubmit, MakesAChain) {
  DrivenEngine engine;
  const auto made = engine->submit_batch({.jobs = {{.type = "a"}, {.type = "b"}}, .chain = true});
  EXPECT_EQ(made->at(1)->canonical_state, JobState::kPending);
  engine.complete();
  EXPECT_EQ(engine->get(made->at(1)->id)->canonical_state, JobState::kScheduled);
}

// ---- Reading ----------------------------------------------------------------------------------

TEST(EngineReads, RefuseAnIdThatNamesNothing) {
  DrivenEngine engine;
  for (const JobId& id : {kNobody, JobId{}}) {
    EXPECT_EQ(code_of(engine->get(id)), "not_found");
    EXPECT_EQ(code_of(engine->wait(id, 1s)), "not_found");
    EXPECT_EQ(code_of(engine->history(id)), "not_found");
    EXPECT_EQ(code_of(engine->executions(id)), "not_found");
    EXPECT_EQ(code_of(engine->explain(id)), "not_found");
    EXPECT_EQ(code_of(engine->cancel({.id = id})), "not_found");
    EXPECT_EQ(code_of(engine->reject({.id = id})), "not_found");
    EXPECT_EQ(code_of(engine->submit_draft(id)), "not_found");
    EXPECT_EQ(code_of(engine->patch({.id = id})), "not_found");
    EXPECT_EQ(code_of(engine->redrive(id)), "not_found");
    EXPECT_EQ(code_of(engine->remove(id)), "not_found");
  }
}

TEST(EngineReads, ListPagesNewestFirst) {
  DrivenEngine engine;
  std::vector<JobId> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(engine->submit({.type = "t"})->id);
  JobFilter filter{.limit = 2};
  std::vector<JobId> listed;
  for (int pages = 0; pages < 3; ++pages) {
    const JobPage page = engine->list(filter).value();
    for (const Job& job : page.jobs)
      listed.push_back(job.id);
    filter.cursor = page.next_cursor;
  }
  EXPECT_EQ(filter.cursor, "");
  std::reverse(ids.begin(), ids.end());
  EXPECT_EQ(listed, ids);
}

TEST(EngineReads, ListRefusesACursorThatNoListGave) {
  DrivenEngine engine;
  for (const std::string cursor : {"x", "0", "-1", "1x", " 1", "99999999999999999999"}) {
    const auto refused = engine->list({.cursor = cursor});
    EXPECT_EQ(code_of(refused), "bad_request") << cursor;
    EXPECT_EQ(refused.error().field, "cursor");
  }
  EXPECT_EQ(code_of(engine->list({.limit = 0})), "bad_request");
}

TEST(EngineReads, ListLeavesPayloadsAndCheckpointsOut) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t", .payload = "[1]"})->id;
  WorkCall beat = DrivenEngine::call_of(CallKind::kHeartbeat, engine.claim());
  beat.checkpoint = "page 4";
  engine.work(beat).value();
  const Job listed = engine->list()->jobs.at(0);
  EXPECT_EQ(listed.id, id);
  EXPECT_EQ(listed.spec->type, "t");
  EXPECT_EQ(listed.spec->payload, "");
  EXPECT_EQ(listed.checkpoint, "");
  EXPECT_EQ(engine->get(id)->spec->payload, "[1]");
}

TEST(EngineReads, ListFilters) {
  DrivenEngine engine;
  engine->set_queue({.name = "leases", .profile = "lease"}).value();
  const JobId early = engine->submit({.type = "early"})->id;
  engine.advance(1s);
  const JobId tagged = engine
                           ->submit({.type = "tagged",
                                     .queue = "leases",
                                     .tags = {{"k", "v"}},
                                     .correlation_id = "c",
                                     .account = "a"})
                           ->id;
  engine.advance(1s);
  const JobId late = engine->submit({.type = "late", .delay = 1h})->id;
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
    const JobPage page = engine->list(filter).value();
    ASSERT_EQ(page.jobs.size(), 1U);
    EXPECT_EQ(page.jobs[0].id, expected);
  }
}

TEST(EngineReads, ExplainSaysWhatAJobWaitsFor) {
  DrivenEngine engine;
  const JobId first = engine->submit({.type = "t", .delay = 1h})->id;
  const JobId second =
      engine->submit({.type = "t", .depends_on = {{.jobs = {to_string(first)}}}})->id;
  const Explanation waits = engine->explain(second).value();
  EXPECT_EQ(waits.id, second);
  EXPECT_EQ(waits.state, "PENDING");
  EXPECT_EQ(waits.canonical_state, JobState::kPending);
  EXPECT_EQ(waits.code, "waits_for_dependencies");
  EXPECT_FALSE(waits.sentence.empty());
  EXPECT_FALSE(waits.until.is_set());
  EXPECT_EQ(waits.waits_for, std::vector<JobId>{first});
  EXPECT_EQ(engine->explain(first)->until, kStart + 1h);
}

TEST(EngineReads, StatsCountJobsByQueueAndState) {
  DrivenEngine engine;
  engine->submit({.type = "t", .queue = "b"}).value();
  engine->submit({.type = "t", .queue = "a", .delay = 1h}).value();
  const Stats stats = engine->stats().value();
  EXPECT_EQ(stats.live_jobs, 2);
  ASSERT_EQ(stats.queues.size(), 2U);
  EXPECT_EQ(stats.queues[0].name, "a");
  EXPECT_EQ(stats.queues[0].count(JobState::kDelayed), 1);
  EXPECT_EQ(stats.queues[1].count(JobState::kScheduled), 1);
  EXPECT_EQ(engine->get_queue("b")->count(JobState::kScheduled), 1);
  EXPECT_EQ(code_of(engine->get_queue("c")), "not_found");
}

// ---- Operating --------------------------------------------------------------------------------

TEST(EngineOperates, CancelEndsAWaitingJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  const Job job = engine->cancel({.id = id, .reason = "not needed"}).value();
  EXPECT_EQ(job.id, id);
  EXPECT_EQ(job.canonical_state, JobState::kCancelled);
  EXPECT_EQ(job.last_error->message, "not needed");
}

TEST(EngineOperates, CancelOfARunningJobWaitsForTheWorkerUnlessForced) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  const Claimed claimed = engine.claim();
  EXPECT_TRUE(engine->cancel({.id = id})->cancel_requested);
  const auto beat = engine.work(DrivenEngine::call_of(CallKind::kHeartbeat, claimed));
  EXPECT_TRUE(beat->cancel_requested);
  EXPECT_EQ(beat->canonical_state, JobState::kRunning);
  EXPECT_EQ(engine->cancel({.id = id, .force = true})->canonical_state, JobState::kCancelled);
}

TEST(EngineOperates, RejectEndsAJobOfAProfileThatModerates) {
  DrivenEngine engine;
  engine->set_queue({.name = "g", .profile = "generation"}).value();
  const JobId id = engine->submit({.type = "t", .queue = "g", .account = "a"})->id;
  const Job job = engine->reject({.id = id, .reason = "unsafe"}).value();
  EXPECT_EQ(job.state, "rejected");
  EXPECT_EQ(job.last_error->message, "unsafe");
}

TEST(EngineOperates, ADraftWaitsUntilItIsSubmitted) {
  DrivenEngine engine;
  engine->set_queue({.name = "d", .profile = "document"}).value();
  const Submitted made = engine->submit({.type = "t", .queue = "d", .draft = true}).value();
  EXPECT_EQ(made.canonical_state, JobState::kCreated);
  EXPECT_TRUE(engine->get(made.id)->spec->draft);
  EXPECT_EQ(engine->submit_draft(made.id)->state, "QUEUED");
  EXPECT_EQ(code_of(engine->submit_draft(made.id)), "invalid_transition");
}

TEST(EngineOperates, PatchChangesOnlyWhatItNames) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t", .tags = {{"a", "1"}}, .correlation_id = "c"})->id;
  const Job first = engine->patch({.id = id, .priority = Priority::kBulk}).value();
  EXPECT_EQ(first.priority, Priority::kBulk);
  EXPECT_EQ(first.tags, (Tags{{"a", "1"}}));
  const Job second = engine
                         ->patch({.id = id,
                                  .tags = Tags{{"b", "2"}},
                                  .correlation_id = "d",
                                  .callback_url = "https://example.org",
                                  .version = first.version})
                         .value();
  EXPECT_EQ(second.priority, Priority::kBulk);
  EXPECT_EQ(second.tags, (Tags{{"b", "2"}}));
  EXPECT_EQ(second.correlation_id, "d");
  EXPECT_EQ(second.callback_url, "https://example.org");
  EXPECT_EQ(code_of(engine->patch({.id = id, .version = first.version})), "conflict");
}

TEST(EngineOperates, RedriveAnswersWithTheNewJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t", .payload = "p"})->id;
  EXPECT_EQ(code_of(engine->redrive(id)), "invalid_transition");
  engine->cancel({.id = id}).value();
  const Job copy = engine->redrive(id).value();
  EXPECT_NE(copy.id, id);
  EXPECT_EQ(copy.redriven_from, id);
  EXPECT_EQ(copy.spec->payload, "p");
}

TEST(EngineOperates, RemoveDeletesAnEndedJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  EXPECT_EQ(code_of(engine->remove(id)), "invalid_transition");
  engine->cancel({.id = id}).value();
  EXPECT_EQ(code_of(engine->remove(id)), "ok");
  EXPECT_EQ(code_of(engine->get(id)), "not_found");
}

TEST(EngineRetention, DeletesWhatWasKeptLongEnough) {
  DrivenEngine engine;
  engine->set_queue({.name = "default", .idempotency_window = 1s, .keep_completed = 1h}).value();
  const JobId id = engine->submit({.type = "t"})->id;
  engine.complete();
  engine.advance(1h - 1ms);
  EXPECT_EQ(code_of(engine->get(id)), "ok");
  EXPECT_TRUE(base::eventually([&] {
    engine.advance(1min);
    return code_of(engine->get(id)) == "not_found";
  }));
}

TEST(EngineAccounts, KeepALedger) {
  DrivenEngine engine;
  engine->set_queue({.name = "default", .profile = "generation"}).value();
  const GrantCredits grant{
      .account = "a", .amount = 10, .tier = Tier::kPro, .idempotency_key = "k"};
  engine->grant(grant).value();
  engine->grant(grant).value();
  const JobId id = engine->submit({.type = "t", .account = "a", .cost = 3})->id;
  const Account account = engine->get_account("a").value();
  EXPECT_EQ(account.id, "a");
  EXPECT_EQ(account.tier, Tier::kPro);
  EXPECT_EQ(account.balance,
            (Balance{.granted = 10, .available = 7, .reserved = 3, .captured = 0}));
  EXPECT_EQ(account.active_jobs, 1);
  engine.complete();
  EXPECT_EQ(engine->get_account("a")->balance.captured, 3);
  const auto entries = engine->entries("a").value();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].seq, 1);
  EXPECT_EQ(entries[0].kind, PostingKind::kGrant);
  EXPECT_EQ(entries[0].amount, 10);
  EXPECT_TRUE(entries[0].job.is_nil());
  EXPECT_EQ(entries[1].kind, PostingKind::kReserve);
  EXPECT_EQ(entries[1].job, id);
  EXPECT_EQ(entries[1].at, kStart);
  EXPECT_EQ(entries[1].after, account.balance);
  EXPECT_EQ(entries[2].kind, PostingKind::kCapture);
  EXPECT_EQ(engine->get_account("nobody")->tier, Tier::kGuest);
}

// ---- Waiting ----------------------------------------------------------------------------------

TEST(EngineWait, AnswersAtOnceForAnEndedJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  engine.complete("[1]");
  const Job job = engine->wait(id, 1h).value();
  EXPECT_EQ(job.canonical_state, JobState::kCompleted);
  EXPECT_EQ(job.result->bytes, "[1]");
}

TEST(EngineWait, AnswersWhenAWorkerEndsTheJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  std::promise<Result<Job>> answer;
  engine->wait_async(id, 1h, [&](Result<Job> job) { answer.set_value(std::move(job)); });
  engine.complete();
  EXPECT_EQ(answer.get_future().get()->canonical_state, JobState::kCompleted);
}

TEST(EngineWait, AnswersWhenATimerEndsTheJob) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t", .timeouts = {.lifetime = 1min}})->id;
  std::promise<Result<Job>> answer;
  engine->wait_async(id, 1h, [&](Result<Job> job) { answer.set_value(std::move(job)); });
  engine.advance(1min);
  EXPECT_EQ(answer.get_future().get()->canonical_state, JobState::kDeadLetter);
}

TEST(EngineWait, AnswersWithTheJobAsItIsWhenTheTimeIsOver) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  EXPECT_EQ(engine->wait(id, 0s)->canonical_state, JobState::kScheduled);
  std::promise<Result<Job>> answer;
  auto future = answer.get_future();
  engine->wait_async(id, 1min, [&](Result<Job> job) { answer.set_value(std::move(job)); });
  engine.advance(1min - 1ms);
  EXPECT_EQ(engine->get(id)->canonical_state, JobState::kScheduled);
  EXPECT_EQ(future.wait_for(0s), std::future_status::timeout);
  engine.advance(1ms);
  EXPECT_EQ(future.get()->canonical_state, JobState::kScheduled);
}

TEST(EngineWait, IsRefusedWhenTheEngineCloses) {
  DrivenEngine engine;
  const JobId id = engine->submit({.type = "t"})->id;
  std::promise<Result<Job>> answer;
  engine->wait_async(id, 1h, [&](Result<Job> job) { answer.set_value(std::move(job)); });
  engine.close();
  EXPECT_EQ(code_of(answer.get_future().get()), "shutting_down");
}

// ---- Completions ------------------------------------------------------------------------------

TEST(EngineCompletions, MayMakeFurtherCallsThatDoNotBlock) {
  DrivenEngine engine;
  std::promise<Result<Job>> answer;
  engine->submit_async({.type = "t"}, [&](Result<Submitted> made) {
    engine->get_async(made->id, [&](Result<Job> job) { answer.set_value(std::move(job)); });
  });
  EXPECT_EQ(answer.get_future().get()->spec->type, "t");
}

TEST(EngineCompletionsDeathTest, MustNotBlock) {
  EXPECT_DEATH(
      {
        DrivenEngine engine;
        const JobId id = engine->submit({.type = "t"})->id;
        engine->get_async(id, [&](const Result<Job>&) { static_cast<void>(engine->stats()); });
      },
      "a blocking call was made inside a completion");
}

TEST(EngineThreads, MaySubmitTogether) {
  DrivenEngine engine;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        engine->submit({.type = "t"}).value();
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(engine->stats()->live_jobs, 200);
}

}  // namespace
}  // namespace baton::engine
