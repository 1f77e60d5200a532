#include "engine/claim_line.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/eventually.h"
#include "engine/counted_store.h"
#include "engine/watched_store.h"

namespace baton::engine {
namespace {

using base::eventually;
using base::milliseconds;
using base::seconds;

// A claim under way.
class Claiming {
 public:
  Claiming(ClaimLine& line, ClaimRequest request, Duration wait) {
    if (request.queues.empty()) request.queues = {"default"};
    request.worker = "w";
    request.wait = wait;
    request.stop = stop_.get_token();
    line.claim({.request = std::move(request), .done = [this](Result<store::ClaimAnswer> answer) {
                  promise_.set_value(std::move(answer));
                }});
  }
  void stop() { stop_.request_stop(); }
  bool waits() const {
    return future_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  }
  std::size_t count() { return future_.get().value().executions.size(); }
  JobId job() { return future_.get().value().executions.at(0).job; }
  store::ClaimedJob execution() { return future_.get().value().executions.at(0); }
  std::string code() {
    const auto answer = future_.get();
    return answer ? "ok" : std::string(name(answer.error().code));
  }

 private:
  std::stop_source stop_;
  std::promise<Result<store::ClaimAnswer>> promise_;
  std::future<Result<store::ClaimAnswer>> future_ = promise_.get_future();
};

class ClaimLineTest : public testing::Test {
 protected:
  void SetUp() override { world_.watch(line_, &store::Watchers::made); }
  void TearDown() override { world_.part_from(line_); }

  void expect_in_line(std::size_t count) {
    ASSERT_TRUE(eventually([&] { return line_.waiting() == count; })) << line_.waiting();
  }

  WatchedStore world_;
  WorkerRegistry workers_{world_.store(), world_.clock()};
  ClaimLine line_{world_.store(), world_.alarm(), workers_, world_.clock()};
};

TEST_F(ClaimLineTest, TakesWhatIsThereAtOnce) {
  const JobId id = world_.submit();
  Claiming claim(line_, {}, seconds(60));
  EXPECT_EQ(claim.job(), id);
}

TEST_F(ClaimLineTest, WithoutAWaitComesBackEmpty) {
  Claiming claim(line_, {}, {});
  EXPECT_EQ(claim.count(), 0U);
}

TEST_F(ClaimLineTest, GetsAJobThatComesLater) {
  Claiming claim(line_, {}, seconds(60));
  expect_in_line(1);
  const JobId id = world_.submit();
  EXPECT_EQ(claim.job(), id);
}

TEST_F(ClaimLineTest, GetsAJobWhoseDelayEnds) {
  Claiming claim(line_, {}, seconds(60));
  const JobId id = world_.submit("mail", "default", seconds(5));
  expect_in_line(1);
  world_.advance(seconds(5));
  EXPECT_EQ(claim.job(), id);
}

TEST_F(ClaimLineTest, WhoWaitedLongestIsFirst) {
  Claiming first(line_, {}, seconds(60));
  expect_in_line(1);
  Claiming second(line_, {}, seconds(60));
  expect_in_line(2);
  const JobId one = world_.submit();
  EXPECT_EQ(first.job(), one);
  EXPECT_TRUE(second.waits());
  const JobId two = world_.submit();
  EXPECT_EQ(second.job(), two);
}

TEST_F(ClaimLineTest, OnlyWhoTakesTheTypeIsWoken) {
  ClaimRequest images;
  images.types = {"image"};
  Claiming other(line_, images, seconds(60));
  expect_in_line(1);
  Claiming any(line_, {}, seconds(60));
  expect_in_line(2);
  const JobId id = world_.submit("mail");
  EXPECT_EQ(any.job(), id);
  expect_in_line(1);
  EXPECT_TRUE(other.waits());
  const JobId image = world_.submit("image");
  EXPECT_EQ(other.job(), image);
}

TEST_F(ClaimLineTest, WaitsOnSeveralQueues) {
  ClaimRequest both;
  both.queues = {"a", "b"};
  Claiming claim(line_, both, seconds(60));
  expect_in_line(1);
  world_.submit("mail", "c");
  EXPECT_TRUE(claim.waits());
  const JobId id = world_.submit("mail", "b");
  EXPECT_EQ(claim.job(), id);
}

TEST_F(ClaimLineTest, EndsEmptyWhenItsTimeIsOver) {
  Claiming claim(line_, {}, milliseconds(500));
  expect_in_line(1);
  world_.advance(milliseconds(500));
  EXPECT_EQ(claim.count(), 0U);
  EXPECT_EQ(line_.waiting(), 0U);
}

// The store does not tell of a queue that goes on.
TEST_F(ClaimLineTest, FindsWhatTheStoreDoesNotTell) {
  world_.set_paused("default", true);
  const JobId id = world_.submit();
  Claiming claim(line_, {}, seconds(60));
  expect_in_line(1);
  world_.set_paused("default", false);
  EXPECT_TRUE(claim.waits());
  world_.advance(milliseconds(100));
  EXPECT_EQ(claim.job(), id);
}

TEST_F(ClaimLineTest, LeavesTheJobToOthersWhenItIsStopped) {
  Claiming stopped(line_, {}, seconds(60));
  expect_in_line(1);
  Claiming waiting(line_, {}, seconds(60));
  expect_in_line(2);
  stopped.stop();
  EXPECT_EQ(stopped.count(), 0U);
  EXPECT_EQ(line_.waiting(), 1U);
  const JobId id = world_.submit();
  EXPECT_EQ(waiting.job(), id);
}

// Stopped at any moment: while it asks, while it waits, while it is given something. A job that it
// did not get is there for the next one.
TEST_F(ClaimLineTest, AStopAtAnyMomentLosesNothing) {
  for (int i = 0; i < 200; ++i) {
    Claiming claim(line_, {}, seconds(60));
    if (i % 3 == 0) expect_in_line(1);
    std::thread stopping([&] { claim.stop(); });
    world_.submit();
    stopping.join();
    const std::size_t given = claim.count();
    Claiming next(line_, {}, {});
    ASSERT_EQ(given + next.count(), 1U);
  }
}

TEST_F(ClaimLineTest, ARefusalComesAtOnce) {
  ClaimRequest request;
  request.max = 0;
  Claiming claim(line_, request, seconds(60));
  EXPECT_EQ(claim.code(), "bad_request");
}

TEST_F(ClaimLineTest, ClosingAnswersAllAndGivesNothingMore) {
  Claiming first(line_, {}, seconds(60));
  Claiming second(line_, {}, seconds(60));
  expect_in_line(2);
  line_.close();
  EXPECT_EQ(first.count(), 0U);
  EXPECT_EQ(second.count(), 0U);
  world_.submit();
  Claiming late(line_, {}, seconds(60));
  EXPECT_EQ(late.count(), 0U);
}

// No wake-up is lost, whatever comes between the question and the wait.
TEST_F(ClaimLineTest, EveryJobFindsAWaitingClaim) {
  constexpr int kClaims = 300;
  std::vector<std::unique_ptr<Claiming>> claims;
  std::thread submitting([&] {
    for (int i = 0; i < kClaims; ++i)
      world_.submit();
  });
  claims.reserve(kClaims);
  for (int i = 0; i < kClaims; ++i)
    claims.push_back(std::make_unique<Claiming>(line_, ClaimRequest{}, seconds(60)));
  submitting.join();
  for (const auto& claim : claims)
    EXPECT_EQ(claim->count(), 1U);
}

// ---- What waiting costs -------------------------------------------------------------------------

// A line on a store that counts how often it is asked for jobs.
class BusyLineTest : public testing::Test {
 protected:
  void SetUp() override { world_.watch(line_, &store::Watchers::made); }
  void TearDown() override { world_.part_from(line_); }

  void expect_in_line(std::size_t count) {
    ASSERT_TRUE(eventually([&] { return line_.waiting() == count; })) << line_.waiting();
  }
  static ClaimRequest of_types(std::vector<std::string> types) {
    ClaimRequest request;
    request.types = std::move(types);
    return request;
  }
  void set_max_running(std::int64_t most) {
    QueueUpdate update;
    update.name = "default";
    update.max_running = most;
    world_.ask<Queue>([&](auto done) { world_.store().set_queue(update, std::move(done)); });
  }
  void finish(const store::ClaimedJob& claimed) {
    WorkCall call;
    call.call = AckCall{};
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    world_.ask<std::vector<Result<store::CallAnswer>>>(
        [&](auto done) { world_.store().work({call}, std::move(done)); });
  }

  WatchedStore world_;
  CountedStore store_{world_.store()};
  WorkerRegistry workers_{store_, world_.clock()};
  ClaimLine line_{store_, world_.alarm(), workers_, world_.clock()};
};

using Claims = std::vector<std::unique_ptr<Claiming>>;

// Each of them asked again in every turn in which anything happened in the queue.
TEST_F(BusyLineTest, JobsOfAnotherTypeCostThoseThatWaitNothing) {
  constexpr int kWaiting = 50;
  constexpr int kJobs = 200;
  Claims claims;
  for (int i = 0; i < kWaiting; ++i)
    claims.push_back(std::make_unique<Claiming>(line_, of_types({"image"}), seconds(60)));
  expect_in_line(kWaiting);
  const int before = store_.claims();
  for (int i = 0; i < kJobs; ++i) {
    world_.submit("mail");
    Claiming worker(line_, of_types({"mail"}), {});
    ASSERT_EQ(worker.count(), 1U);
  }
  EXPECT_EQ(store_.claims() - before, kJobs) << "only the workers that take them asked";
  expect_in_line(kWaiting);
  for (int i = 0; i < 20; ++i)
    world_.advance(milliseconds(100));
  EXPECT_EQ(store_.claims() - before, kJobs) << "nothing is held back: no look is needed";
  line_.close();
}

TEST_F(BusyLineTest, AJobCostsOneClaim) {
  constexpr int kWaiting = 50;
  Claims claims;
  for (int i = 0; i < kWaiting; ++i)
    claims.push_back(std::make_unique<Claiming>(line_, ClaimRequest{}, seconds(60)));
  expect_in_line(kWaiting);
  const int before = store_.claims();
  for (int i = 0; i < kWaiting; ++i) {
    const JobId id = world_.submit();
    EXPECT_EQ(claims[static_cast<std::size_t>(i)]->job(), id) << "first come, first served";
  }
  EXPECT_EQ(store_.claims() - before, kWaiting);
}

TEST_F(BusyLineTest, WhoWaitsForTheSameDoesNotAsk) {
  Claiming first(line_, {}, seconds(60));
  expect_in_line(1);
  const int before = store_.claims();
  Claiming second(line_, {}, seconds(60));
  Claiming third(line_, {}, seconds(60));
  EXPECT_EQ(line_.waiting(), 3U);
  EXPECT_EQ(store_.claims(), before);
  line_.close();
}

// The first in line was woken whatever its types, and the one who could go on was not.
TEST_F(BusyLineTest, RoomGoesToTheFirstForWhomAJobIsReady) {
  set_max_running(1);
  world_.submit("mail");
  Claiming running(line_, of_types({"mail"}), {});
  const store::ClaimedJob claimed = running.execution();
  Claiming image(line_, of_types({"image"}), seconds(60));
  expect_in_line(1);
  Claiming mail(line_, of_types({"mail"}), seconds(60));
  expect_in_line(2);
  const JobId id = world_.submit("mail");
  EXPECT_TRUE(mail.waits());
  finish(claimed);
  EXPECT_EQ(mail.job(), id);
  EXPECT_TRUE(image.waits());
  line_.close();
}

// One after the other ends, and each end lets the next one in.
TEST_F(BusyLineTest, EveryEndLetsTheNextOneIn) {
  set_max_running(1);
  constexpr std::size_t kJobs = 10;
  Claims claims;
  for (std::size_t i = 0; i < kJobs; ++i) {
    const auto types = i % 2 == 0 ? std::vector<std::string>{} : std::vector<std::string>{"mail"};
    claims.push_back(std::make_unique<Claiming>(line_, of_types(types), seconds(60)));
    expect_in_line(i + 1);
  }
  const int before = store_.claims();
  for (std::size_t i = 0; i < kJobs; ++i)
    world_.submit("mail");
  for (std::size_t i = 0; i < kJobs; ++i)
    finish(claims[i]->execution());
  EXPECT_LE(store_.claims() - before, static_cast<int>(4 * kJobs));
}

// It took a job that somebody else had been told of, and left its own.
TEST_F(BusyLineTest, WhoTakesAnotherJobHandsItsChanceOn) {
  for (int i = 0; i < 50; ++i) {
    ClaimRequest both;
    both.queues = {"a", "b"};
    Claiming first(line_, both, seconds(60));
    expect_in_line(1);
    Claims others;
    for (const char* queue : {"a", "b"}) {
      ClaimRequest one;
      one.queues = {queue};
      others.push_back(std::make_unique<Claiming>(line_, one, seconds(60)));
    }
    expect_in_line(3);
    world_.submit_all({{"mail", "b"}, {"mail", "a"}});
    EXPECT_EQ(first.count(), 1U);
    ASSERT_TRUE(eventually([&] { return !others[0]->waits() || !others[1]->waits(); }));
    world_.submit("mail", others[0]->waits() ? "a" : "b");
    for (const auto& other : others)
      EXPECT_EQ(other->count(), 1U);
  }
}

// A client that had gone was still leased a job.
TEST_F(BusyLineTest, AClaimWhoseCallerHasGoneBeforeItAppliesGetsNothing) {
  const JobId id = world_.submit();
  std::stop_source gone;
  gone.request_stop();
  ClaimRequest request;
  request.queues = {"default"};
  request.worker = "w";
  request.stop = gone.get_token();
  const auto answer = world_.ask<store::ClaimAnswer>(
      [&](auto done) { world_.store().claim(request, std::move(done)); });
  EXPECT_TRUE(answer.executions.empty());
  Claiming next(line_, {}, {});
  EXPECT_EQ(next.job(), id);
}

TEST_F(BusyLineTest, ALookAsksForAFewAtATime) {
  constexpr std::size_t kShapes = 100;
  world_.set_paused("default", true);
  Claims claims;
  for (std::size_t i = 0; i < kShapes; ++i) {
    const std::string type = "t" + std::to_string(i);
    world_.submit(type);
    claims.push_back(std::make_unique<Claiming>(line_, of_types({type}), seconds(60)));
    expect_in_line(i + 1);
  }
  const int before = store_.claims();
  world_.advance(milliseconds(100));
  expect_in_line(kShapes);
  EXPECT_LE(store_.claims() - before, 32);
  world_.set_paused("default", false);
  while (line_.waiting() > 0)
    world_.advance(milliseconds(100));
  for (const auto& claim : claims)
    EXPECT_EQ(claim->count(), 1U);
}

}  // namespace
}  // namespace baton::engine
