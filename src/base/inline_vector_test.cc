#include "base/inline_vector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::base {
namespace {

TEST(InlineVector, StartsEmpty) {
  const InlineVector<int, 3> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.begin(), none.end());
}

TEST(InlineVector, KeepsTheOrder) {
  InlineVector<std::string, 3> words;
  words.push_back("a");
  EXPECT_FALSE(words.empty());
  EXPECT_EQ(words.back(), "a");
  words.push_back("b");
  words.push_back("c");
  EXPECT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0], "a");
  EXPECT_EQ(words[1], "b");
  EXPECT_EQ(words[2], "c");
  EXPECT_EQ(words.back(), "c");
  EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()),
            (std::vector<std::string>{"a", "b", "c"}));
}

TEST(InlineVectorDeathTest, PushingPastTheEndIsABug) {
  InlineVector<int, 2> full;
  full.push_back(1);
  full.push_back(2);
  EXPECT_DEATH(full.push_back(3), "assertion failed: size_ < N");
}

TEST(InlineVectorDeathTest, ReadingPastTheEndIsABug) {
  InlineVector<int, 2> one;
  EXPECT_DEATH(static_cast<void>(one.back()), "assertion failed: index < size_");
  one.push_back(1);
  EXPECT_DEATH(static_cast<void>(one[1]), "assertion failed: index < size_");
}

}  // namespace
}  // namespace baton::base
