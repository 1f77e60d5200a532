// A disk that fails while the process lives: the log refuses everything from then on, and opening
// it again shows what was acknowledged.
#include <gtest/gtest.h>

#include "store/local/log/testing.h"

namespace baton::store::local {
namespace {

using Fault = base::SimulatedDisk::Fault;
using testbed::kSmall;
using testbed::payload;
using testbed::Subject;

// Goes on until something fails. False when nothing did.
bool work_until_failure(Subject& log) {
  for (int i = 0; i < 8; ++i) {
    if (!log.append(i == 5 ? 30'000 : 3'000, i % 3 != 0) || !log.release(1)) return true;
  }
  return false;
}

void expect_refusals(Subject& log) {
  const std::uint64_t turn = log.log().last_turn() + 1;
  const std::uint64_t operations = log.disk.operations();
  const auto refused = log.log().append(turn, payload(1, 10), true);
  ASSERT_FALSE(refused.ok());
  ASSERT_EQ(refused.error().code, Code::kStoreUnavailable);
  ASSERT_EQ(refused.error().message.find("the log has failed and must be opened again: cannot"),
            0U);
  ASSERT_FALSE(log.log().append(turn, payload(1, 10), false).ok());
  ASSERT_FALSE(log.log().flush().ok());
  ASSERT_FALSE(log.log().release(0).ok());
  ASSERT_EQ(log.disk.operations(), operations) << "nothing is tried again";
}

class LogFailure : public ::testing::TestWithParam<Fault> {};

// The nth write or sync fails, for every n.
TEST_P(LogFailure, IsFinalUntilTheLogIsOpenedAgain) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (std::uint64_t after = 0;; ++after) {
      Subject log(seed);
      log.expects_failures = true;
      ASSERT_TRUE(log.open());
      log.disk.fail(GetParam(), after);
      if (!work_until_failure(log)) break;
      ASSERT_NO_FATAL_FAILURE(expect_refusals(log));
      // The same process opens it again, and the power goes later.
      if (seed % 2 == 0) {
        log.close();
        ASSERT_TRUE(log.open()) << log.fault;
        ASSERT_TRUE(log.append(10, true));
      }
      log.crash();
      ASSERT_TRUE(log.open());
      ASSERT_EQ(log.fault, "") << "seed " << seed << ", after " << after;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, LogFailure, ::testing::Values(Fault::kWrite, Fault::kSync),
                         [](const auto& at) {
                           return at.param == Fault::kWrite ? "Write" : "Sync";
                         });

TEST(LogFailure, OfAReadKeepsTheLogFromOpening) {
  base::SimulatedDisk disk(1);
  {
    const auto log = Log::open(disk, kSmall, 0).value();
    ASSERT_TRUE(log->append(1, payload(1, 10), true).ok());
  }
  // Once for the scan, and once to write the last record again.
  for (std::uint64_t after = 0; after < 2; ++after) {
    disk.fail(Fault::kRead, after);
    EXPECT_NE(testbed::refusal(disk).find("cannot read log-"), std::string::npos) << after;
  }
  EXPECT_EQ(testbed::refusal(disk), "");
}

TEST(LogFailure, OfAReadIsTheErrorOfReplay) {
  base::SimulatedDisk disk(1);
  {
    const auto log = Log::open(disk, kSmall, 0).value();
    ASSERT_TRUE(log->append(1, payload(1, 10), true).ok());
  }
  const auto log = Log::open(disk, kSmall, 0).value();
  disk.fail(Fault::kRead);
  const auto visit = [](std::uint64_t, std::span<const std::byte>) -> Status { return Ok{}; };
  EXPECT_FALSE(log->replay(visit).ok());
  EXPECT_TRUE(log->replay(visit).ok());
}

// For every amount of room: the full disk is named, nothing is lost, and with room it goes on.
TEST(LogFailure, OfAFullDiskIsNamedAndLosesNothing) {
  for (std::uint64_t room = 0; room <= 80'000; room += 4096) {
    Subject log(room + 1);
    log.expects_failures = true;
    ASSERT_TRUE(log.open());
    log.disk.set_free_bytes(room);
    std::string message;
    for (int i = 0; i < 40 && message.empty(); ++i) {
      if (!log.append(3'000, true)) message = log.log().flush().error().message;
    }
    ASSERT_NE(message.find("no space left on device"), std::string::npos) << message;
    log.kill();
    log.disk.set_free_bytes(1'000'000);
    ASSERT_TRUE(log.open()) << log.fault;
    ASSERT_TRUE(log.append(3'000, true));
    ASSERT_TRUE(log.release(1));
    log.crash();
    ASSERT_TRUE(log.open());
    ASSERT_EQ(log.fault, "");
  }
}

// What is not needed yet keeps nothing from working.
TEST(LogFailure, OfAFullDiskWhileMakingTheNextSegmentCountsWhenItIsNeeded) {
  Subject log(1);
  log.expects_failures = true;
  ASSERT_TRUE(log.open());
  ASSERT_TRUE(log.append(100, true));
  ASSERT_TRUE(log.release(1));
  log.disk.set_free_bytes(0);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(log.append(100, true)) << "the last goes into the segment that was ready";
  ASSERT_TRUE(log.log().release(0).ok());
  log.kill();
  log.disk.set_free_bytes(0);
  ASSERT_TRUE(log.open()) << log.fault;
  std::string message;
  for (int i = 0; i < 4 && message.empty(); ++i) {
    if (!log.append(3'000, true)) message = log.log().flush().error().message;
  }
  EXPECT_NE(message.find("no space left on device"), std::string::npos) << message;
  log.kill();
  log.disk.set_free_bytes(1'000'000);
  ASSERT_TRUE(log.open()) << "nothing is lost";
  EXPECT_EQ(log.fault, "");
}

}  // namespace
}  // namespace baton::store::local
