#include "engine/worker_registry.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/claim_line.h"
#include "engine/watched_store.h"
#include "store/work_call.h"

namespace baton::engine {
namespace {

using base::minutes;
using base::seconds;
using Names = std::vector<std::string>;
using Executions = std::vector<store::ClaimedJob>;

class WorkerRegistryTest : public testing::Test {
 protected:
  void SetUp() override { world_.watch(workers_); }
  void TearDown() override { world_.part_from(line_); }

  Executions claim(const std::string& worker, Names queues = {"default"}, Names types = {},
                   int max = 1000) {
    return world_
        .ask<store::ClaimAnswer>([&](auto done) {
          line_.claim(
              {{.queues = queues, .types = types, .max = max, .worker = worker}, std::move(done)});
        })
        .executions;
  }

  // Makes the calls, and tells the registry as a server does.
  void call(CallKind kind, const Executions& executions, WorkerRegistry& workers) {
    std::vector<WorkCall> calls;
    for (const store::ClaimedJob& one : executions) {
      calls.push_back({.execution = one.execution,
                       .token = one.facts.execution.token,
                       .call = store::blank_call(kind)});
    }
    using Answers = std::vector<Result<store::CallAnswer>>;
    world_.ask<Answers>([&](auto done) {
      world_.store().work(calls, [&workers, done](Result<Answers> answers) {
        workers.called(*answers);
        done(std::move(answers));
      });
    });
  }
  void call(CallKind kind, const Executions& executions) { call(kind, executions, workers_); }

  void submit_many(int count) {
    for (int i = 0; i < count; ++i)
      world_.submit();
  }

  Names names(std::string_view after = "", std::size_t limit = 1000) {
    Names found;
    for (const SeenWorker& worker : workers_.list(after, limit).workers)
      found.push_back(worker.name);
    return found;
  }
  SeenWorker only() {
    const auto page = workers_.list("", 1000);
    EXPECT_EQ(page.workers.size(), 1U);
    EXPECT_FALSE(page.more);
    return page.workers.at(0);
  }

  WatchedStore world_;
  WorkerRegistry workers_{world_.store(), world_.clock()};
  ClaimLine line_{world_.store(), world_.alarm(), workers_, world_.clock()};
};

TEST_F(WorkerRegistryTest, KnowsWhoAskedForWhatAlsoWithoutGettingIt) {
  const Time start = world_.clock().wall();
  claim("w", {"a", "b"}, {"mail"});
  world_.advance(seconds(5));
  claim("w", {"c"});
  const SeenWorker seen = only();
  EXPECT_EQ(seen.name, "w");
  EXPECT_EQ(seen.queues, Names{"c"});
  EXPECT_EQ(seen.types, Names{});
  EXPECT_EQ(seen.first_seen, start);
  EXPECT_EQ(seen.last_seen, start + seconds(5));
  EXPECT_EQ(seen.execution_count, 0);
  EXPECT_TRUE(seen.executions.empty());
}

TEST_F(WorkerRegistryTest, SeesAClaimThatWaits) {
  std::promise<void> over;
  line_.claim({{.queues = {"default"}, .worker = "w", .wait = seconds(60)},
               [&](const auto&) { over.set_value(); }});
  EXPECT_EQ(only().queues, Names{"default"});
  line_.close();
  over.get_future().wait();
}

TEST_F(WorkerRegistryTest, DoesNotSeeARefusedClaim) {
  std::promise<void> refused;
  line_.claim({{.queues = {}, .worker = "w"}, [&](const auto&) { refused.set_value(); }});
  refused.get_future().wait();
  EXPECT_EQ(names(), Names{});
}

TEST_F(WorkerRegistryTest, ShowsWhatAWorkerHoldsUntilItEnds) {
  submit_many(3);
  const Executions got = claim("w");
  ASSERT_EQ(got.size(), 3U);
  SeenWorker seen = only();
  EXPECT_EQ(seen.execution_count, 3);
  ASSERT_EQ(seen.executions.size(), 3U);
  EXPECT_EQ(seen.executions[1].id, got[1].execution);
  EXPECT_EQ(seen.executions[1].lease_expires_at, got[1].facts.execution.lease_expires_at);
  call(CallKind::kAck, {got[0]});
  seen = only();
  EXPECT_EQ(seen.execution_count, 2);
  EXPECT_EQ(seen.executions[0].id, got[2].execution);
  EXPECT_EQ(seen.executions[1].id, got[1].execution);
  call(CallKind::kAck, {got[2], got[1]});
  EXPECT_EQ(only().execution_count, 0);
  EXPECT_EQ(workers_.sizes().executions, 0U);
}

TEST_F(WorkerRegistryTest, HearsHeartbeats) {
  world_.submit();
  const Executions got = claim("w");
  world_.advance(seconds(60));
  call(CallKind::kHeartbeat, got);
  const SeenWorker seen = only();
  EXPECT_EQ(seen.last_seen, world_.clock().wall());
  EXPECT_EQ(seen.executions.at(0).lease_expires_at, world_.clock().wall() + minutes(5));
}

TEST_F(WorkerRegistryTest, HearsTheCallThatEndsAnExecution) {
  world_.submit();
  const Executions got = claim("w");
  world_.advance(seconds(60));
  call(CallKind::kAck, got);
  EXPECT_EQ(only().last_seen, world_.clock().wall());
}

TEST_F(WorkerRegistryTest, DoesNotHearALostLeaseOrARefusedCall) {
  world_.submit();
  const Time start = world_.clock().wall();
  const Executions got = claim("w");
  world_.advance(minutes(6));
  call(CallKind::kHeartbeat, got);
  const SeenWorker seen = only();
  EXPECT_EQ(seen.last_seen, start);
  EXPECT_EQ(seen.execution_count, 0);
  EXPECT_EQ(workers_.sizes().executions, 0U);
}

TEST_F(WorkerRegistryTest, ShowsWhomItSawInTheLastTenMinutes) {
  claim("w");
  world_.advance(minutes(10));
  EXPECT_EQ(names(), Names{"w"});
  world_.advance(base::milliseconds(1));
  EXPECT_EQ(names(), Names{});
  claim("w");
  EXPECT_EQ(names(), Names{"w"});
}

TEST_F(WorkerRegistryTest, ShowsAtMostAHundredExecutions) {
  submit_many(101);
  claim("w");
  const SeenWorker seen = only();
  EXPECT_EQ(seen.execution_count, 101);
  EXPECT_EQ(seen.executions.size(), 100U);
}

TEST_F(WorkerRegistryTest, GivesPagesByName) {
  for (const char* name : {"c", "a", "d", "b"})
    claim(name);
  EXPECT_EQ(names("", 2), (Names{"a", "b"}));
  EXPECT_TRUE(workers_.list("", 2).more);
  EXPECT_EQ(names("b", 2), (Names{"c", "d"}));
  EXPECT_FALSE(workers_.list("b", 2).more);
  EXPECT_EQ(names("d", 2), Names{});
}

TEST_F(WorkerRegistryTest, EndsAPageThatGrowsLong) {
  const std::string long_name(1'000'000, 'q');
  for (int i = 0; i < 8; ++i)
    claim("w" + std::to_string(i), {long_name});
  const auto page = workers_.list("", 1000);
  EXPECT_EQ(page.workers.size(), 5U);
  EXPECT_TRUE(page.more);
  EXPECT_EQ(workers_.list("w4", 1000).workers.size(), 3U);
}

TEST_F(WorkerRegistryTest, KeepsTenThousandNamesAndForgetsTheLongestUnseen) {
  submit_many(2);
  const Executions first = claim("first", {"default"}, {}, 1);
  const Executions second = claim("second", {"default"}, {}, 1);
  for (int i = 0; i < 9'998; ++i)
    claim("w" + std::to_string(i), {"q" + std::to_string(i)});
  call(CallKind::kHeartbeat, first);
  claim("one more");
  EXPECT_EQ(workers_.sizes().names, 10'000U);
  EXPECT_LE(workers_.sizes().asks, 10'000U);
  EXPECT_TRUE(workers_.last_heard("first"));
  EXPECT_FALSE(workers_.last_heard("second"));
  // A forgotten worker that is heard again has its name and its execution.
  call(CallKind::kHeartbeat, second);
  EXPECT_EQ(workers_.sizes().names, 10'000U);
  EXPECT_FALSE(workers_.last_heard("w0"));
  const auto page = workers_.list("secon", 1);
  EXPECT_EQ(page.workers.at(0).name, "second");
  EXPECT_EQ(page.workers.at(0).execution_count, 1);
  call(CallKind::kAck, first);
  call(CallKind::kAck, second);
  EXPECT_EQ(workers_.sizes().executions, 0U);
}

TEST_F(WorkerRegistryTest, AForgottenNameThatClaimsAgainKeepsItsOldExecution) {
  submit_many(2);
  const Executions old = claim("back", {"default"}, {}, 1);
  for (int i = 0; i < 10'000; ++i)
    claim("w" + std::to_string(i), {"elsewhere"});
  claim("back", {"default"}, {}, 1);
  call(CallKind::kHeartbeat, old);
  EXPECT_EQ(workers_.list("a", 1).workers.at(0).execution_count, 2);
}

// As when a claim, and what ends its execution, are applied in one turn.
TEST_F(WorkerRegistryTest, HoldsNothingThatEndedBeforeTheClaimWasAnswered) {
  world_.submit();
  const Executions got = claim("w");
  call(CallKind::kAck, got);
  workers_.claimed("w", got);
  EXPECT_EQ(only().execution_count, 0);
  EXPECT_EQ(workers_.sizes().executions, 0U);
}

TEST_F(WorkerRegistryTest, TakesCallsOfManyThreads) {
  submit_many(200);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      const std::string name = "w" + std::to_string(thread);
      for (int round = 0; round < 25; ++round) {
        const Executions got = claim(name, {"default"}, {}, 2);
        call(CallKind::kHeartbeat, got);
        names();
        workers_.unasked("default", "mail");
        call(CallKind::kAck, got);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(names(), (Names{"w0", "w1", "w2", "w3"}));
  EXPECT_EQ(workers_.sizes().executions, 0U);
}

// ---- After a start

TEST_F(WorkerRegistryTest, LooksUpWhoCallsWithATokenFromBefore) {
  submit_many(100);
  const Executions got = claim("w");
  WorkerRegistry later(world_.store(), world_.clock());
  EXPECT_TRUE(later.list("", 1).workers.empty());
  call(CallKind::kHeartbeat, got, later);
  world_.run_timers();  // comes after the answers to what was looked up
  SeenWorker seen = later.list("", 1).workers.at(0);
  EXPECT_EQ(seen.name, "w");
  EXPECT_EQ(seen.queues, Names{});
  EXPECT_EQ(seen.last_seen, world_.clock().wall());
  EXPECT_EQ(seen.execution_count, 64);
  call(CallKind::kHeartbeat, got, later);
  world_.run_timers();
  seen = later.list("", 1).workers.at(0);
  EXPECT_EQ(seen.execution_count, 100);
  EXPECT_EQ(seen.executions.at(0).lease_expires_at, world_.clock().wall() + minutes(5));
}

TEST_F(WorkerRegistryTest, LooksUpNothingForAnExecutionThatIsOver) {
  world_.submit();
  const Executions got = claim("w");
  WorkerRegistry later(world_.store(), world_.clock());
  call(CallKind::kAck, got, later);
  call(CallKind::kAck, got, later);
  EXPECT_EQ(later.sizes().executions, 0U);
  EXPECT_EQ(later.sizes().names, 0U);
}

// ---- What nobody asks for

TEST_F(WorkerRegistryTest, KnowsWhatNobodyHasAskedFor) {
  EXPECT_EQ(workers_.unasked("q", "mail"), Duration(0));
  world_.advance(seconds(40));
  EXPECT_EQ(workers_.unasked("q", "mail"), seconds(40));
  claim("w", {"q"}, {"mail"});
  EXPECT_FALSE(workers_.unasked("q", "mail"));
  EXPECT_EQ(workers_.unasked("q", "fax"), seconds(40));
  EXPECT_EQ(workers_.unasked("r", "mail"), seconds(40));
  // Another claim of the same worker does not undo it.
  claim("w", {"r"});
  EXPECT_FALSE(workers_.unasked("q", "mail"));
  world_.advance(minutes(10));
  EXPECT_FALSE(workers_.unasked("q", "mail"));
  world_.advance(base::milliseconds(1));
  EXPECT_EQ(workers_.unasked("q", "mail"), minutes(10));
}

}  // namespace
}  // namespace baton::engine
