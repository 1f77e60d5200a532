#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>

namespace baton::base {
namespace {

constexpr std::uint64_t kAllOnes = std::numeric_limits<std::uint64_t>::max();

TEST(Random, TheSameSeedGivesTheSameNumbersOnEveryMachine) {
  Random one(1);
  EXPECT_EQ(one.next(), 0x910a2dec89025cc1ULL);
  EXPECT_EQ(one.next(), 0xbeeb8da1658eec67ULL);
  EXPECT_EQ(one.next(), 0xf893a2eefb32555eULL);
  EXPECT_EQ(one.next(), 0x71c18690ee42c90bULL);
  Random zero(0);
  EXPECT_EQ(zero.next(), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(zero.next(), 0x6e789e6aa1b965f4ULL);
}

TEST(Random, ScaleMapsTheWholeRangeOntoTheBound) {
  EXPECT_EQ(Random::scale(0, 10), 0U);
  EXPECT_EQ(Random::scale(kAllOnes, 10), 9U);
  EXPECT_EQ(Random::scale(1ULL << 63, 10), 5U);
  EXPECT_EQ(Random::scale((1ULL << 63) - 1, 10), 4U);
  EXPECT_EQ(Random::scale(kAllOnes, kAllOnes), kAllOnes - 1);
  EXPECT_EQ(Random::scale(kAllOnes, 1), 0U);
}

TEST(Random, BelowStaysBelowAndReachesEveryNumber) {
  Random random(1);
  EXPECT_EQ(random.below(10), 5U);
  EXPECT_EQ(random.below(10), 7U);
  EXPECT_EQ(random.below(10), 9U);
  EXPECT_EQ(random.below(10), 4U);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1'000; ++i)
    seen.insert(random.below(10));
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(*seen.rbegin(), 9U);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(random.below(1), 0U);
}

TEST(RandomDeathTest, NothingIsBelowZero) {
  Random random(1);
  EXPECT_DEATH(static_cast<void>(random.below(0)), "assertion failed: bound != 0");
}

TEST(Random, UnpredictableOnesDifferAndNeverRepeat) {
  Random one = Random::unpredictable();
  Random other = Random::unpredictable();
  std::set<std::uint64_t> seen;
  std::uint64_t ones = 0;
  std::uint64_t zeros = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t number = one.next();
    seen.insert(number);
    seen.insert(other.next());
    ones |= number;
    zeros |= ~number;
  }
  EXPECT_EQ(seen.size(), 2000U);
  EXPECT_EQ(ones, kAllOnes);
  EXPECT_EQ(zeros, kAllOnes);
}

TEST(SystemRandom, FillsExactlyTheBytesItIsGiven) {
  // Over a few calls every byte in the middle is hit, and the borders never are.
  std::array<std::uint8_t, 34> bytes{};
  std::array<bool, 34> touched{};
  for (int round = 0; round < 40; ++round) {
    system_random(bytes.data() + 1, 32);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      touched[i] = touched[i] || bytes[i] != 0;
  }
  EXPECT_FALSE(touched.front());
  EXPECT_FALSE(touched.back());
  for (std::size_t i = 1; i < 33; ++i)
    EXPECT_TRUE(touched[i]) << i;
}

TEST(SystemRandom, FillsMoreThanTheKernelGivesAtOnce) {
  std::array<std::uint8_t, 4'096> bytes{};
  system_random(bytes.data(), bytes.size());
  const std::set<std::uint8_t> tail(bytes.end() - 512, bytes.end());
  EXPECT_GT(tail.size(), 50U);
  system_random(bytes.data(), 0);
}

}  // namespace
}  // namespace baton::base
