#include "server/descriptors.h"

#include <gtest/gtest.h>

namespace baton::server {
namespace {

TEST(Descriptors, SomeAreKeptForTheStore) {
  for (const std::size_t all : {200U, 256U, 1024U, 4096U, 20'000U, 1'000'000U}) {
    const ConnectionLimits limits = connections_for(all);
    EXPECT_LE(limits.served + limits.turned_away + 64 + all / 10, all) << all;
    EXPECT_LE(limits.served, 10'000U);
    EXPECT_LE(limits.turned_away, 64U);
    EXPECT_GE(limits.turned_away, 1U);
    EXPECT_GE(limits.served, 50U) << all;
  }
  EXPECT_EQ(connections_for(1'000'000).served, 10'000U);
  EXPECT_EQ(connections_for(1024).served, 1024U - 64 - 102 - 64);
}

TEST(Descriptors, AProcessThatHasHardlyAnyServesAFew) {
  EXPECT_GE(connections_for(0).served, 8U);
  EXPECT_GE(connections_for(70).served, 8U);
}

TEST(Descriptors, TheSoftLimitBecomesTheHardOne) {
  const std::size_t raised = raise_descriptor_limit();
  EXPECT_EQ(raised, descriptor_limit());
  EXPECT_GE(raised, 64U);
}

}  // namespace
}  // namespace baton::server
