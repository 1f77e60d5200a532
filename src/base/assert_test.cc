#include "base/assert.h"

#include <gtest/gtest.h>

namespace baton::base {
namespace {

TEST(AssertDeathTest, NamesTheConditionAndThePlace) {
  EXPECT_DEATH(assertion_failed("water is wet", "sea.cc", 42),
               "baton: bug: assertion failed: water is wet \\(sea.cc:42\\)");
}

TEST(AssertDeathTest, StopsTheProcessInEveryBuild) {
  const int one = 1;
  EXPECT_DEATH(BATON_ASSERT(one == 2), "assertion failed: one == 2 \\(.*assert_test.cc:[0-9]+\\)");
}

TEST(Assert, LetsATrueConditionPassAndReadsItOnce) {
  int reads = 0;
  BATON_ASSERT(++reads == 1);
  EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace baton::base
