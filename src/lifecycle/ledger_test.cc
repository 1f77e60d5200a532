#include "lifecycle/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace baton::lifecycle {
namespace {

constexpr Amount kMost = 1'000'000'000'000'000;

TEST(Ledger, PostingsHaveNames) {
  const auto all = kNames<PostingKind>;
  EXPECT_EQ(std::vector<std::string_view>(all.begin(), all.end()),
            (std::vector<std::string_view>{"grant", "reserve", "capture", "release"}));
}

TEST(Ledger, AGrantBecomesAvailable) {
  const Balance before{10, 4, 3, 3};
  EXPECT_EQ(post(before, PostingKind::kGrant, 5).value(), (Balance{15, 9, 3, 3}));
}

TEST(Ledger, AReservationTakesFromWhatIsAvailable) {
  const Balance before{10, 4, 3, 3};
  EXPECT_EQ(post(before, PostingKind::kReserve, 1).value(), (Balance{10, 3, 4, 3}));
  EXPECT_EQ(post(before, PostingKind::kReserve, 4).value(), (Balance{10, 0, 7, 3}));
}

TEST(Ledger, AReservationBeyondWhatIsAvailableIsRefused) {
  const auto result = post({10, 4, 3, 3}, PostingKind::kReserve, 5);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(
      result.error(),
      (Error{
          Code::kInsufficientCredits, "the account has 4 credits and 5 are needed", "cost", {}}));
}

TEST(Ledger, AnAccountNobodyMadeHasNothing) {
  const auto result = post({}, PostingKind::kReserve, 1);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::kInsufficientCredits);
}

TEST(Ledger, ACaptureSpendsWhatWasReserved) {
  const Balance before{10, 4, 3, 3};
  EXPECT_EQ(post(before, PostingKind::kCapture, 2).value(), (Balance{10, 4, 1, 5}));
  EXPECT_EQ(post(before, PostingKind::kCapture, 3).value(), (Balance{10, 4, 0, 6}));
}

TEST(Ledger, AReleaseGivesBackWhatWasReserved) {
  const Balance before{10, 4, 3, 3};
  EXPECT_EQ(post(before, PostingKind::kRelease, 2).value(), (Balance{10, 6, 1, 3}));
  EXPECT_EQ(post(before, PostingKind::kRelease, 3).value(), (Balance{10, 7, 0, 3}));
}

TEST(LedgerDeathTest, MovingMoreThanIsReservedIsABug) {
  const Balance before{10, 4, 3, 3};
  EXPECT_DEATH(static_cast<void>(post(before, PostingKind::kCapture, 4)), "assertion failed");
  EXPECT_DEATH(static_cast<void>(post(before, PostingKind::kRelease, 4)), "assertion failed");
}

TEST(Ledger, AnAmountIsFromOneToTheMost) {
  for (const auto kind :
       {PostingKind::kGrant, PostingKind::kReserve, PostingKind::kCapture, PostingKind::kRelease}) {
    for (const Amount amount : {Amount{0}, Amount{-1}, kMost + 1, base::kMaxMs}) {
      const auto result = post({10, 4, 3, 3}, kind, amount);
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(
          result.error(),
          (Error{Code::kInvalidJob, "amount must be from 1 to 1000000000000000", "amount", {}}));
    }
  }
  EXPECT_EQ(post({}, PostingKind::kGrant, 1).value(), (Balance{1, 1, 0, 0}));
  EXPECT_EQ(post({}, PostingKind::kGrant, kMost).value(), (Balance{kMost, kMost, 0, 0}));
}

TEST(Ledger, GrantsTogetherHaveALimitToo) {
  const Balance before{kMost - 5, kMost - 5, 0, 0};
  EXPECT_EQ(post(before, PostingKind::kGrant, 5).value().granted, kMost);
  const auto result = post(before, PostingKind::kGrant, 6);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(
      result.error(),
      (Error{
          Code::kInvalidJob, "an account may be granted at most 1000000000000000", "amount", {}}));
}

TEST(Ledger, SaysWhetherABalanceBalances) {
  EXPECT_TRUE(balances({}));
  EXPECT_TRUE(balances({10, 4, 3, 3}));
  EXPECT_TRUE(balances({3, 0, 0, 3}));
  EXPECT_FALSE(balances({11, 4, 3, 3}));
  EXPECT_FALSE(balances({9, 4, 3, 3}));
  EXPECT_FALSE(balances({5, -1, 3, 3}));
  EXPECT_FALSE(balances({6, 4, -1, 3}));
  EXPECT_FALSE(balances({6, 4, 3, -1}));
}

// One account and the jobs that hold its credits.
RC_GTEST_PROP(LedgerProperty, BalancesAfterEveryStepAndNeverGoesNegative,
              (const std::vector<std::uint16_t>& steps)) {
  Balance balance;
  std::vector<Amount> held;
  for (const std::uint16_t step : steps) {
    const Amount amount = step % 50;
    const Balance before = balance;
    const auto kind = static_cast<PostingKind>((step / 64) % 4);
    const bool closes = kind == PostingKind::kCapture || kind == PostingKind::kRelease;
    if (closes && held.empty()) continue;
    const auto result = post(balance, kind, closes ? held.back() : amount);
    if (result.ok()) {
      balance = *result;
      if (kind == PostingKind::kReserve) held.push_back(amount);
      if (closes) held.pop_back();
      RC_ASSERT(balance != before);
    } else {
      const bool nothing = amount == 0;
      RC_ASSERT(nothing || (kind == PostingKind::kReserve && amount > before.available));
    }
    Amount all = 0;
    for (const Amount one : held)
      all += one;
    RC_ASSERT(balances(balance));
    RC_ASSERT(balance.reserved == all);
    RC_ASSERT(balance.captured >= before.captured);
    RC_ASSERT(balance.granted >= before.granted);
  }
}

}  // namespace
}  // namespace baton::lifecycle
