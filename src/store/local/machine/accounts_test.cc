#include "store/local/machine/accounts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace baton::store::local {
namespace {

const Accounts::MayGo kAll = [](const std::string&) { return true; };

std::vector<std::string> ids_of(const Accounts& accounts) {
  std::vector<std::string> ids;
  accounts.for_each([&](std::uint32_t, const KnownAccount& account) { ids.push_back(account.id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST(Accounts, ThoseLeaveFirstThatWereNotNamedForLongest) {
  Accounts accounts;
  for (const char* id : {"a", "b", "c", "d", "e"})
    accounts.make(id);
  accounts.touch(accounts.find("a"));
  accounts.touch(accounts.find("c"));
  accounts.shrink(3, kAll);
  EXPECT_EQ(ids_of(accounts), (std::vector<std::string>{"a", "c", "e"}));
  EXPECT_EQ(accounts.find("b"), kNoName);
  accounts.shrink(1, kAll);
  EXPECT_EQ(ids_of(accounts), std::vector<std::string>{"c"});
  accounts.shrink(0, kAll);
  EXPECT_EQ(accounts.size(), 0u);
}

TEST(Accounts, OneThatASlotHoldsStaysAndKeepsItsIndex) {
  Accounts accounts;
  const std::uint32_t held = accounts.make("held");
  accounts.hold(held);
  accounts.hold(held);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i)
      accounts.make("other" + std::to_string(10 * round + i));
    accounts.shrink(0, kAll);
    EXPECT_EQ(ids_of(accounts), std::vector<std::string>{"held"});
    EXPECT_EQ(accounts.find("held"), held);
  }
  accounts.release(held);
  accounts.touch(held);
  accounts.shrink(0, kAll);
  EXPECT_EQ(accounts.find("held"), held) << "another slot has it";
  accounts.release(held);
  accounts.shrink(0, kAll);
  EXPECT_EQ(accounts.find("held"), kNoName);
}

TEST(Accounts, AnIndexThatIsGivenAgainBeginsWithNothing) {
  Accounts accounts;
  const std::uint32_t first =
      accounts.load({{"first", Tier::kPro, {5, 5, 0, 0}, 0}, {Time{1}, Time{2}}, 7});
  EXPECT_EQ(accounts[first].use.submissions.size(), 2u);
  accounts.shrink(0, kAll);
  const std::uint32_t second = accounts.make("second");
  EXPECT_EQ(second, first);
  EXPECT_EQ(record_of(accounts[second]), (Account{"second", {}, {}, 0}));
  EXPECT_TRUE(accounts[second].use.submissions.empty());
  EXPECT_EQ(accounts[second].entry_count, 0);
  EXPECT_EQ(accounts[second].holders, 0u);
  EXPECT_EQ(accounts.find("first"), kNoName);
  EXPECT_EQ(accounts.find("second"), second);
}

TEST(Accounts, ATurnLooksAtAsManyAsCameTwiceAndSomeMore) {
  Accounts accounts;
  for (int i = 0; i < 10'000; ++i)
    accounts.make(std::to_string(i));
  std::size_t looks = 0;
  const Accounts::MayGo counted = [&](const std::string&) {
    ++looks;
    return true;
  };
  accounts.shrink(10'000, counted);
  EXPECT_EQ(looks, 0u) << "there are no more than may stay";
  accounts.shrink(100, counted);
  EXPECT_EQ(looks, 64u);
  for (int i = 0; i < 500; ++i)
    accounts.make("new" + std::to_string(i));
  looks = 0;
  accounts.shrink(100, counted);
  EXPECT_EQ(looks, 1064u);
  looks = 0;
  const std::size_t before = accounts.size();
  accounts.shrink(100, [&](const std::string&) { return ++looks > 1; });
  EXPECT_EQ(looks, 1u) << "one that may not go yet is not passed over";
  EXPECT_EQ(accounts.size(), before);
}

}  // namespace
}  // namespace baton::store::local
