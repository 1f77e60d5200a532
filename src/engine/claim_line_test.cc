#include "engine/claim_line.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/watched_store.h"

namespace baton::engine {
namespace {

using base::milliseconds;
using base::seconds;

// A claim under way.
class Claiming {
 public:
  Claiming(ClaimLine& line, store::ClaimRequest request, base::Duration wait) {
    if (request.queues.empty()) request.queues = {"default"};
    request.worker = "w";
    line.claim({.request = std::move(request),
                .wait = wait,
                .stop = stop_.get_token(),
                .done = [this](base::Result<store::ClaimAnswer> answer) {
                  promise_.set_value(std::move(answer));
                }});
  }
  void stop() { stop_.request_stop(); }
  bool waits() const {
    return future_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  }
  std::size_t count() { return future_.get().value().executions.size(); }
  store::JobId job() { return future_.get().value().executions.at(0).job; }
  std::string code() {
    const auto answer = future_.get();
    return answer ? "ok" : std::string(base::code_name(answer.error().code));
  }

 private:
  std::stop_source stop_;
  std::promise<base::Result<store::ClaimAnswer>> promise_;
  std::future<base::Result<store::ClaimAnswer>> future_ = promise_.get_future();
};

class ClaimLineTest : public testing::Test {
 protected:
  void SetUp() override { world_.watch(line_, &store::Watchers::made); }
  void TearDown() override { world_.part_from(line_); }

  void expect_in_line(std::size_t count) {
    while (line_.waiting() != count)
      std::this_thread::yield();
  }

  WatchedStore world_;
  ClaimLine line_{world_.store(), world_.alarm(), world_.clock()};
};

TEST_F(ClaimLineTest, TakesWhatIsThereAtOnce) {
  const store::JobId id = world_.submit();
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
  const store::JobId id = world_.submit();
  EXPECT_EQ(claim.job(), id);
}

TEST_F(ClaimLineTest, GetsAJobWhoseDelayEnds) {
  Claiming claim(line_, {}, seconds(60));
  const store::JobId id = world_.submit("mail", "default", seconds(5));
  expect_in_line(1);
  world_.advance(seconds(5));
  EXPECT_EQ(claim.job(), id);
}

TEST_F(ClaimLineTest, WhoWaitedLongestIsFirst) {
  Claiming first(line_, {}, seconds(60));
  expect_in_line(1);
  Claiming second(line_, {}, seconds(60));
  expect_in_line(2);
  const store::JobId one = world_.submit();
  EXPECT_EQ(first.job(), one);
  EXPECT_TRUE(second.waits());
  const store::JobId two = world_.submit();
  EXPECT_EQ(second.job(), two);
}

TEST_F(ClaimLineTest, OnlyWhoTakesTheTypeIsWoken) {
  store::ClaimRequest images;
  images.types = {"image"};
  Claiming other(line_, images, seconds(60));
  expect_in_line(1);
  Claiming any(line_, {}, seconds(60));
  expect_in_line(2);
  const store::JobId id = world_.submit("mail");
  EXPECT_EQ(any.job(), id);
  expect_in_line(1);
  EXPECT_TRUE(other.waits());
  const store::JobId image = world_.submit("image");
  EXPECT_EQ(other.job(), image);
}

TEST_F(ClaimLineTest, WaitsOnSeveralQueues) {
  store::ClaimRequest both;
  both.queues = {"a", "b"};
  Claiming claim(line_, both, seconds(60));
  expect_in_line(1);
  world_.submit("mail", "c");
  EXPECT_TRUE(claim.waits());
  const store::JobId id = world_.submit("mail", "b");
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
  const store::JobId id = world_.submit();
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
  const store::JobId id = world_.submit();
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
  store::ClaimRequest request;
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
  for (int i = 0; i < kClaims; ++i)
    claims.push_back(std::make_unique<Claiming>(line_, store::ClaimRequest{}, seconds(60)));
  submitting.join();
  for (const auto& claim : claims)
    EXPECT_EQ(claim->count(), 1U);
}

}  // namespace
}  // namespace baton::engine
