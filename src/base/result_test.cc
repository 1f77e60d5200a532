#include "baton/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

TEST(Result, ReadingTheValueOfARefusalThrowsIt) {
  Result<std::string> refused = divide(0);
  const Result<std::string>& same = refused;
  EXPECT_THROW(static_cast<void>(refused.value()), Refused);
  EXPECT_THROW(static_cast<void>(same.value()), Refused);
  EXPECT_THROW(static_cast<void>(*same), Refused);
  EXPECT_THROW(static_cast<void>(same->size()), Refused);
  EXPECT_THROW(static_cast<void>(std::move(refused).value()), Refused);
  try {
    static_cast<void>(*same);
  } catch (const Refused& thrown) {
    EXPECT_EQ(thrown.error(), same.error());
    EXPECT_STREQ(thrown.what(), "invalid_job: not by zero");
  }
}

TEST(Result, ReadingTheErrorOfAValueThrows) {
  const Result<std::string> fine = divide(1);
  EXPECT_THROW(static_cast<void>(fine.error()), std::bad_variant_access);
}

struct Row {
  Code code;
  std::string_view name;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {Code::kBadRequest, "bad_request"},
      {Code::kUnauthenticated, "unauthenticated"},
      {Code::kInsufficientCredits, "insufficient_credits"},
      {Code::kForbidden, "forbidden"},
      {Code::kNotFound, "not_found"},
      {Code::kStaleLease, "stale_lease"},
      {Code::kAlreadyCommitted, "already_committed"},
      {Code::kInvalidTransition, "invalid_transition"},
      {Code::kNotInProfile, "not_in_profile"},
      {Code::kConflict, "conflict"},
      {Code::kPayloadTooLarge, "payload_too_large"},
      {Code::kUnsupportedMediaType, "unsupported_media_type"},
      {Code::kInvalidJob, "invalid_job"},
      {Code::kUnknownDependency, "unknown_dependency"},
      {Code::kDependencyCycle, "dependency_cycle"},
      {Code::kDependencyTooDeep, "dependency_too_deep"},
      {Code::kDependencyTooWide, "dependency_too_wide"},
      {Code::kGuardRejected, "guard_rejected"},
      {Code::kQuotaExceeded, "quota_exceeded"},
      {Code::kRateLimited, "rate_limited"},
      {Code::kQueueFull, "queue_full"},
      {Code::kStoreUnavailable, "store_unavailable"},
      {Code::kShuttingDown, "shutting_down"},
      {Code::kSubmissionTimeout, "submission_timeout"},
      {Code::kDamaged, "damaged"},
  };
  return all;
}

TEST(Error, EveryCodeHasItsStableName) {
  ASSERT_EQ(rows().size(), kNames<Code>.size());
  for (const Row& row : rows())
    EXPECT_EQ(name(row.code), row.name);
}

TEST(Error, ACodeThatDoesNotExistHasNoName) {
  EXPECT_THROW(static_cast<void>(name(static_cast<Code>(kNames<Code>.size()))), std::out_of_range);
}

TEST(Error, StartsWithoutMessageFieldOrWait) {
  const Error error;
  EXPECT_EQ(error.code, Code::kBadRequest);
  EXPECT_EQ(error.message, "");
  EXPECT_EQ(error.field, "");
  EXPECT_EQ(error.retry_after.ms, 0);
}

TEST(Error, EqualityLooksAtEveryPart) {
  const Error error{Code::kConflict, "m", "f", Duration{5}};
  EXPECT_EQ(error, (Error{Code::kConflict, "m", "f", Duration{5}}));
  EXPECT_NE(error, (Error{Code::kForbidden, "m", "f", Duration{5}}));
  EXPECT_NE(error, (Error{Code::kConflict, "n", "f", Duration{5}}));
  EXPECT_NE(error, (Error{Code::kConflict, "m", "g", Duration{5}}));
  EXPECT_NE(error, (Error{Code::kConflict, "m", "f", Duration{6}}));
}

}  // namespace
}  // namespace baton::base
