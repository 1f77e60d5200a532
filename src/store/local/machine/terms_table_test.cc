#include "store/local/machine/terms_table.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace baton::store::local {
namespace {

using lifecycle::Terms;
using lifecycle::TermsRef;

// A few values that nobody uses may stay: those that are spared, and the one that was asked for
// last.
constexpr std::size_t kMayStay = TermsTable::kSpared + 1;

Terms living(std::int64_t ms) {
  Terms terms;
  terms.profile = &lifecycle::default_profile();
  terms.lifetime = base::milliseconds(ms);
  return terms;
}

TEST(TermsTable, EqualTermsAreThereOnce) {
  TermsTable table;
  const TermsRef one = table.keep(living(1));
  const TermsRef two = table.keep(living(2));
  EXPECT_EQ(table.keep(living(1)), one);
  EXPECT_EQ(table.keep(living(2)), two);
  EXPECT_FALSE(one == two);
  EXPECT_EQ(table.size(), 2U);
}

TEST(TermsTable, AHundredThousandValuesThatCameAndWentLeaveNextToNothing) {
  TermsTable table;
  std::size_t most = 0;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    table.keep(living(i));
    most = std::max(most, table.size());
  }
  EXPECT_LE(most, kMayStay);
}

TEST(TermsTable, ValuesThatCameTogetherGoWithTheSweeps) {
  TermsTable table;
  std::vector<TermsRef> used;
  used.reserve(10'000);
  for (std::int64_t i = 0; i < 10'000; ++i)
    used.push_back(table.keep(living(i)));
  EXPECT_EQ(table.size(), 10'000U);
  used.clear();
  std::size_t sweeps = 0;
  for (; table.size() > kMayStay && sweeps <= 100; ++sweeps)
    table.sweep(100);
  EXPECT_LE(sweeps, 100U) << "each looks at as many as it may, and finds them all unused";
}

TEST(TermsTable, WhatIsUsedStaysWhereItIs) {
  TermsTable table;
  std::vector<TermsRef> used;
  used.reserve(1'000);
  for (std::int64_t i = 0; i < 1'000; ++i)
    used.push_back(table.keep(living(i)));
  for (std::int64_t i = 1'000; i < 20'000; ++i)
    table.keep(living(i));
  for (std::int64_t i = 0; i < 1'000; ++i) {
    const TermsRef& one = used[static_cast<std::size_t>(i)];
    EXPECT_EQ(one->lifetime.ms, i);
    EXPECT_EQ(table.keep(living(i)), one);
  }
  EXPECT_LE(table.size(), 1'000 + 1'000 / 3 + kMayStay);
}

TEST(TermsTable, AReferenceOutlivesTheTable) {
  std::optional<TermsTable> table(std::in_place);
  TermsRef kept = table->keep(living(7));
  const TermsRef copy = kept;
  table.reset();
  EXPECT_EQ(kept->lifetime.ms, 7);
  kept = {};
  EXPECT_EQ(copy->lifetime.ms, 7);
  EXPECT_TRUE(copy.is_only());
}

TEST(TermsTable, ThreadsMayTakeAndDropTheSameValues) {
  TermsTable table;
  const auto churn = [&table] {
    for (std::int64_t i = 0; i < 20'000; ++i) {
      const TermsRef one = table.keep(living(i % 300));
      const TermsRef copy = one;
      ASSERT_EQ(copy->lifetime.ms, i % 300);
    }
  };
  std::thread other(churn);
  churn();
  other.join();
  EXPECT_LE(table.size(), 300U);
}

}  // namespace
}  // namespace baton::store::local
