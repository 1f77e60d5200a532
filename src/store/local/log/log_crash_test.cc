// A process that dies, and power that goes, at every single operation on the disk: what was
// acknowledged is there afterwards, byte for byte, without a gap, and the log goes on.
#include <gtest/gtest.h>

#include <vector>

#include "store/local/log/testing.h"

namespace baton::store::local {
namespace {

using testbed::kBlock;
using testbed::Subject;

// Turns of all sizes, durable and not; segments that are filled, released and used again; a large
// turn; a second open. Ends at the first operation that fails.
bool scenario(Subject& log) {
  if (!log.open()) return false;
  for (const std::size_t size : {10U, 5000U, 100U, 9000U}) {
    if (!log.append(size, true)) return false;
  }
  if (!log.append(50, false) || !log.append(60, false) || !log.append(70, true)) return false;
  if (!log.release(1)) return false;
  for (int i = 0; i < 6; ++i) {
    if (!log.append(3000, i % 2 == 0)) return false;
  }
  if (!log.flush() || !log.release(2) || !log.append(30'000, true)) return false;
  if (!log.append(10, true) || !log.release(0) || !log.append(12'000, true)) return false;
  log.kill();
  if (!log.open() || !log.append(20, true) || !log.release(0)) return false;
  for (int i = 0; i < 5; ++i) {
    if (!log.append(4000, true) || !log.release(1)) return false;
  }
  return log.append(7, false);
}

// What is done after every recovery, to see that the log can be used.
bool a_bit_more(Subject& log) {
  for (const std::size_t size : {10U, 8000U, 20U, 5000U}) {
    if (!log.append(size, true)) return false;
  }
  return log.release(2) && log.append(100, true);
}

std::uint64_t operations_of_scenario() {
  Subject log(0);
  EXPECT_TRUE(scenario(log));
  EXPECT_EQ(log.fault, "");
  return log.disk.operations();
}

enum class End { kPowerLoss, kDeath, kDeathThenPowerLoss };

// The process has stopped; opens the log again.
bool recover(Subject& log, End end) {
  if (end != End::kPowerLoss) {
    log.kill();
    if (end == End::kDeath) return log.open();
    // It comes back and goes on for a while before the power goes.
    if (!log.open() || !log.append(15, true)) return false;
  }
  log.crash();
  return log.open();
}

class LogCrash : public ::testing::TestWithParam<End> {};

TEST_P(LogCrash, AtAnyOperationLosesNothingThatWasAcknowledged) {
  const std::uint64_t operations = operations_of_scenario();
  ASSERT_GT(operations, 60U);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (std::uint64_t stop = 1; stop <= operations; ++stop) {
      Subject log(seed);
      log.disk.stop_at(stop);
      ASSERT_FALSE(scenario(log) && log.disk.stopped());
      ASSERT_TRUE(recover(log, GetParam())) << "seed " << seed << ", stop " << stop << log.fault;
      ASSERT_TRUE(a_bit_more(log)) << "seed " << seed << ", stop " << stop << log.fault;
      log.crash();
      ASSERT_TRUE(log.open()) << "seed " << seed << ", stop " << stop << log.fault;
      ASSERT_EQ(log.fault, "") << "seed " << seed << ", stop " << stop;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ends, LogCrash,
                         ::testing::Values(End::kPowerLoss, End::kDeath, End::kDeathThenPowerLoss),
                         [](const auto& at) {
                           switch (at.param) {
                             case End::kPowerLoss:
                               return "PowerLoss";
                             case End::kDeath:
                               return "Death";
                             case End::kDeathThenPowerLoss:
                               return "DeathThenPowerLoss";
                           }
                           return "";
                         });

// The second crash comes at every operation of the recovery from a first one.
TEST(LogCrashTwice, DuringRecoveryLosesNothingEither) {
  const std::uint64_t operations = operations_of_scenario();
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (std::uint64_t stop = seed % 7 + 1; stop <= operations; stop += 7) {
      for (std::uint64_t second = 1;; ++second) {
        Subject log(seed * 1000 + second);
        log.disk.stop_at(stop);
        scenario(log);
        seed % 2 == 0 ? log.crash() : log.kill();
        log.disk.stop_at(log.disk.operations() + second);
        const bool recovered = log.open() && log.append(25, true);
        seed % 4 < 3 ? log.crash() : log.kill();
        ASSERT_TRUE(log.open()) << "seed " << seed << ", stops " << stop << " and " << second
                                << ": " << log.fault;
        ASSERT_TRUE(a_bit_more(log)) << log.fault;
        log.crash();
        ASSERT_TRUE(log.open()) << log.fault;
        ASSERT_EQ(log.fault, "") << "seed " << seed << ", stops " << stop << " and " << second;
        if (recovered) break;
      }
    }
  }
}

}  // namespace
}  // namespace baton::store::local
