#include "store/local/catalog/number_merge.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

namespace baton::store::local {
namespace {

// A source of fixed numbers, which counts how many it gave.
NumberMerge::Source source_of(std::set<std::int64_t> numbers,
                              const std::shared_ptr<std::size_t>& given) {
  return [numbers = std::move(numbers), given](std::int64_t below, std::size_t limit,
                                               std::vector<std::int64_t>& into) {
    auto at = numbers.lower_bound(below);
    for (; limit > 0 && at != numbers.begin(); --limit) {
      into.push_back(*--at);
      ++*given;
    }
  };
}

RC_GTEST_PROP(NumberMerge, GivesEveryNumberBelowOnceAndFalling, ()) {
  const auto owners = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4));
  const std::int64_t below = *rc::gen::inRange<std::int64_t>(0, 150);
  std::vector<std::set<std::int64_t>> groups(4);
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    groups[static_cast<std::size_t>(owners[i])].insert(number);
    if (number < below) expected.insert(expected.begin(), number);
  }
  const auto given = std::make_shared<std::size_t>(0);
  std::vector<NumberMerge::Source> sources;
  for (const auto& group : groups)
    sources.push_back(source_of(group, given));
  NumberMerge merge(std::move(sources), below, *rc::gen::inRange<std::size_t>(1, 30));
  std::vector<std::int64_t> merged;
  while (const auto number = merge.next())
    merged.push_back(*number);
  RC_ASSERT(merged == expected);
}

TEST(NumberMerge, AsksForHardlyMoreThanIsWanted) {
  const auto given = std::make_shared<std::size_t>(0);
  std::vector<NumberMerge::Source> sources;
  for (std::int64_t first = 1; first <= 50; ++first) {
    std::set<std::int64_t> numbers;
    for (std::int64_t number = first; number < 100'000; number += 50)
      numbers.insert(number);
    sources.push_back(source_of(std::move(numbers), given));
  }
  NumberMerge merge(std::move(sources), 100'000, 101);
  for (std::int64_t expected = 99'999; expected > 99'899; --expected)
    EXPECT_EQ(merge.next(), expected);
  EXPECT_LE(*given, 50U * 12);
}

TEST(NumberMerge, IsEmptyWithoutSources) {
  EXPECT_EQ(NumberMerge({}, 100, 10).next(), std::nullopt);
}

}  // namespace
}  // namespace baton::store::local
