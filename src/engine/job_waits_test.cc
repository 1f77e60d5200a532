#include "engine/job_waits.h"

#include <gtest/gtest.h>

#include "engine/watched_store.h"

namespace baton::engine {
namespace {

using base::milliseconds;
using base::seconds;

class Waiting {
 public:
  Waiting(JobWaits& waits, const JobId& id, Duration timeout) {
    waits.wait(
        id, timeout,
        [this](Result<std::shared_ptr<const store::JobRecord>> record) {
          promise_.set_value(std::move(record));
        },
        stop_.get_token());
  }
  void stop() { stop_.request_stop(); }
  bool waits() const {
    return future_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  }
  std::string state() {
    const auto record = future_.get();
    if (!record) return std::string(name(record.error().code));
    return std::string(name((*record)->facts.state));
  }

 private:
  std::stop_source stop_;
  std::promise<Result<std::shared_ptr<const store::JobRecord>>> promise_;
  std::future<Result<std::shared_ptr<const store::JobRecord>>> future_ = promise_.get_future();
};

class JobWaitsTest : public testing::Test {
 protected:
  void SetUp() override { world_.watch(waits_); }
  void TearDown() override { world_.part_from(waits_); }

  WatchedStore world_;
  JobWaits waits_{world_.store(), world_.alarm()};
};

TEST_F(JobWaitsTest, AnswersWhenTheJobHasEnded) {
  const JobId id = world_.submit();
  const JobId other = world_.submit();
  Waiting first(waits_, id, seconds(30));
  Waiting second(waits_, id, seconds(30));
  world_.cancel(other);
  EXPECT_TRUE(first.waits());
  world_.cancel(id);
  EXPECT_EQ(first.state(), "CANCELLED");
  EXPECT_EQ(second.state(), "CANCELLED");
}

TEST_F(JobWaitsTest, AnswersAtOnceForAJobThatHasEnded) {
  const JobId id = world_.submit();
  world_.cancel(id);
  Waiting waiting(waits_, id, seconds(30));
  EXPECT_EQ(waiting.state(), "CANCELLED");
}

TEST_F(JobWaitsTest, AnswersWithTheJobAsItIsWhenTheTimeIsOver) {
  const JobId id = world_.submit();
  Waiting waiting(waits_, id, milliseconds(200));
  world_.advance(milliseconds(199));
  EXPECT_TRUE(waiting.waits());
  world_.advance(milliseconds(1));
  EXPECT_EQ(waiting.state(), "SCHEDULED");
}

TEST_F(JobWaitsTest, NobodyWaitsForAJobThatIsNotThere) {
  JobId id = world_.submit();
  id.uuid.bytes[0] ^= 1;
  Waiting waiting(waits_, id, seconds(30));
  EXPECT_EQ(waiting.state(), "not_found");
}

TEST_F(JobWaitsTest, ClosingAnswersAll) {
  const JobId id = world_.submit();
  Waiting waiting(waits_, id, seconds(30));
  waits_.close();
  EXPECT_EQ(waiting.state(), "SCHEDULED");
  Waiting late(waits_, id, seconds(30));
  EXPECT_EQ(late.state(), "SCHEDULED");
}

// It stayed until its timeout.
TEST_F(JobWaitsTest, AWaitOfACallerThatHasGoneLeaves) {
  const JobId id = world_.submit();
  Waiting gone(waits_, id, seconds(30));
  Waiting other(waits_, id, seconds(30));
  EXPECT_EQ(waits_.waiting(), 2U);
  gone.stop();
  EXPECT_EQ(gone.state(), "shutting_down");
  EXPECT_EQ(waits_.waiting(), 1U);
  world_.cancel(id);
  EXPECT_EQ(other.state(), "CANCELLED");
}

}  // namespace
}  // namespace baton::engine
