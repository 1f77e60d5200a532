#include "store/local/machine/counted_names.h"

#include <gtest/gtest.h>

namespace baton::store::local {
namespace {

TEST(CountedNames, ATextHasOneNumberWhileItIsUsed) {
  CountedNames names;
  const std::uint32_t one = names.use("one");
  const std::uint32_t two = names.use("two");
  EXPECT_NE(one, two);
  EXPECT_EQ(names.use("one"), one);
  names.drop(one);
  names.free_unused();
  EXPECT_EQ(names.find("one"), one) << "it was used twice";
  EXPECT_EQ(names.text(one), "one");
  EXPECT_EQ(names.find("three"), CountedNames::kNone);
}

TEST(CountedNames, ATextThatIsNotUsedCanBeReadUntilItIsFreed) {
  CountedNames names;
  const std::uint32_t one = names.use("one");
  names.drop(one);
  EXPECT_EQ(names.text(one), "one");
  EXPECT_NE(names.use("two"), one) << "not freed yet";
  names.free_unused();
  EXPECT_EQ(names.find("one"), CountedNames::kNone);
  EXPECT_EQ(names.use("three"), one);
  EXPECT_EQ(names.text(one), "three");
}

TEST(CountedNames, ATextThatIsUsedAgainStays) {
  CountedNames names;
  const std::uint32_t one = names.use("one");
  names.drop(one);
  EXPECT_EQ(names.use("one"), one);
  names.free_unused();
  EXPECT_EQ(names.find("one"), one);
  names.drop(one);
  names.free_unused();
  EXPECT_EQ(names.size(), 0U);
}

TEST(CountedNames, NumbersAreUsedAgain) {
  CountedNames names;
  std::uint32_t highest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t number = names.use("a type with a long name " + std::to_string(i));
    highest = std::max(highest, number);
    names.drop(number);
    if (i % 10 == 0) names.free_unused();
  }
  EXPECT_LE(highest, 10U);
  EXPECT_LE(names.size(), 10U);
}

}  // namespace
}  // namespace baton::store::local
