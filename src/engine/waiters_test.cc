#include "engine/waiters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace baton::engine {
namespace {

using namespace std::chrono_literals;

// Waits until a test opens it. The test sees how often it was looked at, and how it ended.
struct Gate {
  std::atomic<bool> open{false};
  std::atomic<int> looks{0};
  std::promise<std::string> ended;
  std::future<std::string> ending = ended.get_future();
};

class AtGate final : public Waiting {
 public:
  explicit AtGate(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}

  void look(std::function<void(bool)> finished) override {
    ++gate_->looks;
    const bool open = gate_->open;
    if (open) gate_->ended.set_value("open");
    finished(open);
  }
  void give_up(End end) override {
    gate_->ended.set_value(end == End::kTimeout   ? "timeout"
                           : end == End::kStopped ? "stopped"
                                                  : "closed");
  }

 private:
  std::shared_ptr<Gate> gate_;
};

class WaitersTest : public testing::Test {
 protected:
  std::shared_ptr<Gate> add(base::Duration timeout = base::hours(1), std::stop_token stop = {}) {
    auto gate = std::make_shared<Gate>();
    waiters_.add(std::make_unique<AtGate>(gate), waiters_.end_of(timeout), std::move(stop));
    return gate;
  }

  base::ManualClock clock_{{1'700'000'000'000}};
  Waiters waiters_{clock_};
};

TEST_F(WaitersTest, LookByThemselvesUntilItIsThere) {
  const auto gate = add();
  while (gate->looks < 3)
    std::this_thread::yield();
  gate->open = true;
  EXPECT_EQ(gate->ending.get(), "open");
}

TEST_F(WaitersTest, LookAgainWhenTheyArePoked) {
  const auto gate = add();
  for (int round = 1; round <= 20; ++round) {
    while (gate->looks < round)
      std::this_thread::yield();
    waiters_.poke();
  }
  gate->open = true;
  waiters_.poke();
  EXPECT_EQ(gate->ending.get(), "open");
}

TEST_F(WaitersTest, GiveUpAtTheVeryEndOfTheirTime) {
  const auto gate = add(base::seconds(10));
  clock_.advance({9'999});
  const int before = gate->looks;
  while (gate->looks < before + 2)
    std::this_thread::yield();
  EXPECT_EQ(gate->ending.wait_for(0s), std::future_status::timeout);
  clock_.advance({1});
  EXPECT_EQ(gate->ending.get(), "timeout");
}

TEST_F(WaitersTest, GiveUpWhenTheyAreStopped) {
  std::stop_source stop;
  const auto gate = add(base::hours(1), stop.get_token());
  const auto other = add();
  stop.request_stop();
  EXPECT_EQ(gate->ending.get(), "stopped");
  EXPECT_EQ(other->ending.wait_for(0s), std::future_status::timeout);
}

TEST_F(WaitersTest, GiveUpAtOnceWhenTheyWereStoppedBefore) {
  std::stop_source stop;
  stop.request_stop();
  const auto gate = add(base::hours(1), stop.get_token());
  EXPECT_EQ(gate->ending.get(), "stopped");
  EXPECT_EQ(gate->looks, 0);
}

TEST_F(WaitersTest, GiveUpWhenTheyAreClosedAndEverAfter) {
  const auto gate = add();
  waiters_.close();
  EXPECT_EQ(gate->ending.get(), "closed");
  const auto late = add();
  EXPECT_EQ(late->ending.get(), "closed");
  EXPECT_EQ(late->looks, 0);
}

TEST_F(WaitersTest, AreAnsweredEachByItself) {
  std::vector<std::shared_ptr<Gate>> gates;
  for (int i = 0; i < 10; ++i)
    gates.push_back(add());
  std::reverse(gates.begin(), gates.end());
  for (const auto& gate : gates) {
    gate->open = true;
    EXPECT_EQ(gate->ending.get(), "open");
  }
}

}  // namespace
}  // namespace baton::engine
