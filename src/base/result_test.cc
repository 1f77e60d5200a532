#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace baton::base {
namespace {

Result<std::string> divide(int by) {
  if (by == 0) return Error{Code::kInvalidJob, "not by zero", "by", {}};
  return std::string("whole");
}

TEST(Result, HoldsAValue) {
  Result<std::string> result = divide(1);
  EXPECT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), "whole");
  EXPECT_EQ(*result, "whole");
  EXPECT_EQ(result->size(), 5U);
}

TEST(Result, HoldsARefusal) {
  const Result<std::string> result = divide(0);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error(), (Error{Code::kInvalidJob, "not by zero", "by", {}}));
}

TEST(Result, TheValueCanBeChangedInPlace) {
  Result<std::string> result = divide(1);
  result.value() += "!";
  *result += "?";
  result->push_back('.');
  const Result<std::string>& same = result;
  EXPECT_EQ(same.value(), "whole!?.");
  EXPECT_EQ(*same, "whole!?.");
  EXPECT_EQ(same->back(), '.');
}

TEST(Result, GivesAwayAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, AnErrorCanBeTheValueOfNothing) {
  const Status fine = Ok{};
  EXPECT_TRUE(fine.ok());
  EXPECT_EQ(fine.value(), Ok{});
  const Status refused = Error{};
  EXPECT_FALSE(refused.ok());
}

TEST(ResultDeathTest, ReadingTheValueOfARefusalIsABug) {
  Result<std::string> refused = divide(0);
  const Result<std::string>& same = refused;
  EXPECT_DEATH(static_cast<void>(refused.value()), "assertion failed: ok\\(\\)");
  EXPECT_DEATH(static_cast<void>(same.value()), "assertion failed: ok\\(\\)");
  EXPECT_DEATH(static_cast<void>(std::move(refused).value()), "assertion failed: ok\\(\\)");
  EXPECT_DEATH(static_cast<void>(*same), "assertion failed");
  EXPECT_DEATH(static_cast<void>(same->size()), "assertion failed");
}

TEST(ResultDeathTest, ReadingTheErrorOfAValueIsABug) {
  const Result<std::string> fine = divide(1);
  EXPECT_DEATH(static_cast<void>(fine.error()), "assertion failed: !ok\\(\\)");
}

}  // namespace
}  // namespace baton::base
