// Waits in a test for what another thread is about to do. A condition that never becomes true fails
// the test after a minute instead of hanging it. For tests only; any thread.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

namespace baton::base {

// Asks until the condition is true: EXPECT_TRUE(eventually([&] { return line.waiting() == 2; })).
[[nodiscard]] inline testing::AssertionResult eventually(const std::function<bool()>& condition) {
  constexpr std::chrono::seconds kLimit(60);
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end)
      return testing::AssertionFailure() << "still not so after " << kLimit.count() << " seconds";
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return testing::AssertionSuccess();
}

}  // namespace baton::base
