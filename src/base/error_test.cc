#include "base/error.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace baton::base {
namespace {

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
  ASSERT_EQ(rows().size(), 25U);
  EXPECT_EQ(kCodeCount, 25);
  for (const Row& row : rows())
    EXPECT_EQ(code_name(row.code), row.name);
}

TEST(ErrorDeathTest, ACodeThatDoesNotExistIsABug) {
  EXPECT_DEATH(static_cast<void>(code_name(static_cast<Code>(kCodeCount))), "assertion failed");
}

TEST(Error, StartsWithoutMessageFieldOrWait) {
  const Error error;
  EXPECT_EQ(error.code, Code::kBadRequest);
  EXPECT_EQ(error.message, "");
  EXPECT_EQ(error.field, "");
  EXPECT_EQ(error.retry_after.ms, 0);
}

TEST(Error, EqualityLooksAtEveryPart) {
  const Error error{Code::kConflict, "m", "f", {5}};
  EXPECT_EQ(error, (Error{Code::kConflict, "m", "f", {5}}));
  EXPECT_NE(error, (Error{Code::kForbidden, "m", "f", {5}}));
  EXPECT_NE(error, (Error{Code::kConflict, "n", "f", {5}}));
  EXPECT_NE(error, (Error{Code::kConflict, "m", "g", {5}}));
  EXPECT_NE(error, (Error{Code::kConflict, "m", "f", {6}}));
}

}  // namespace
}  // namespace baton::base
