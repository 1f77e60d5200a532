#include "client/call_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <vector>

#include "base/eventually.h"

namespace baton::client {
namespace {

constexpr std::size_t kMany = 300;

// Calls that stay until they are let go, or the pool closes.
class Waits {
 public:
  auto call() {
    return [this](const std::stop_token& closing) -> Result<int> {
      const std::stop_callback closed(closing, [this] { let_go(); });
      {
        const std::lock_guard lock(mutex_);
        threads_.insert(std::this_thread::get_id());
      }
      gone_.wait();
      return 1;
    };
  }
  void let_go() {
    if (!done_.exchange(true)) go_.set_value();
  }
  std::size_t threads() {
    const std::lock_guard lock(mutex_);
    return threads_.size();
  }

 private:
  std::promise<void> go_;
  std::shared_future<void> gone_ = go_.get_future().share();
  std::atomic<bool> done_ = false;
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

// A worker's heartbeats are among those that do not wait.
TEST(CallPool, CallsDoNotStandBehindThoseThatWait) {
  Waits waits;
  CallPool pool;
  std::vector<Pending<int>> waiting;
  for (std::size_t i = 0; i < kMany; ++i)
    waiting.push_back(pool.begin<int>(Takes::kLong, waits.call()));
  std::atomic<bool> answered = false;
  pool.begin<int>(Takes::kShort, [](const auto&) { return Result<int>(2); })
      .then([&answered](const Result<int>& answer) { answered = *answer == 2; });
  EXPECT_TRUE(base::eventually([&] { return answered.load(); }));
  waits.let_go();
  for (auto& one : waiting)
    EXPECT_EQ(one.get().value(), 1);
  EXPECT_LE(waits.threads(), CallPool::kMostThreads);
}

TEST(CallPool, RefusesWhatHasNotBegunWhenItCloses) {
  Waits waits;
  std::vector<Pending<int>> waiting;
  {
    CallPool pool;
    for (std::size_t i = 0; i < kMany; ++i)
      waiting.push_back(pool.begin<int>(Takes::kLong, waits.call()));
  }
  std::size_t refused = 0;
  for (auto& one : waiting)
    refused += one.get().ok() ? 0 : 1;
  EXPECT_GE(refused, kMany - CallPool::kMostLong);
}

}  // namespace
}  // namespace baton::client
