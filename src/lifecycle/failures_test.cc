#include "lifecycle/failures.h"

#include <gtest/gtest.h>

namespace baton::lifecycle {
namespace {

Terms terms(FailureIs timeout_is, FailureIs system_is) {
  Terms made;
  made.timeout_is = timeout_is;
  made.system_is = system_is;
  return made;
}

struct Row {
  FailureCategory category;
  std::string_view code;
  FailureIs timeout_is;
  FailureIs system_is;
  bool retryable;
};

constexpr auto kTemp = FailureIs::kTemporary;
constexpr auto kTerm = FailureIs::kTerminal;

// Every category under every pair of settings, with and without the codes that are always retried.
const Row kRows[] = {
    {FailureCategory::kTemporary, "", kTemp, kTemp, true},
    {FailureCategory::kTemporary, "", kTemp, kTerm, true},
    {FailureCategory::kTemporary, "", kTerm, kTemp, true},
    {FailureCategory::kTemporary, "", kTerm, kTerm, true},
    {FailureCategory::kTemporary, "lease_lost", kTerm, kTerm, true},
    {FailureCategory::kPermanent, "", kTemp, kTemp, false},
    {FailureCategory::kPermanent, "", kTemp, kTerm, false},
    {FailureCategory::kPermanent, "", kTerm, kTemp, false},
    {FailureCategory::kPermanent, "", kTerm, kTerm, false},
    {FailureCategory::kPermanent, "lease_lost", kTemp, kTemp, false},
    {FailureCategory::kTimeout, "", kTemp, kTemp, true},
    {FailureCategory::kTimeout, "", kTemp, kTerm, true},
    {FailureCategory::kTimeout, "", kTerm, kTemp, false},
    {FailureCategory::kTimeout, "", kTerm, kTerm, false},
    {FailureCategory::kTimeout, "lease_lost", kTerm, kTemp, false},
    {FailureCategory::kCancelled, "", kTemp, kTemp, false},
    {FailureCategory::kCancelled, "", kTemp, kTerm, false},
    {FailureCategory::kCancelled, "", kTerm, kTemp, false},
    {FailureCategory::kCancelled, "", kTerm, kTerm, false},
    {FailureCategory::kCancelled, "lease_lost", kTemp, kTemp, false},
    {FailureCategory::kSystem, "", kTemp, kTemp, true},
    {FailureCategory::kSystem, "", kTemp, kTerm, false},
    {FailureCategory::kSystem, "", kTerm, kTemp, true},
    {FailureCategory::kSystem, "", kTerm, kTerm, false},
    {FailureCategory::kSystem, "lease_lost", kTemp, kTemp, true},
    {FailureCategory::kSystem, "lease_lost", kTemp, kTerm, true},
    {FailureCategory::kSystem, "lease_lost", kTerm, kTemp, true},
    {FailureCategory::kSystem, "lease_lost", kTerm, kTerm, true},
    {FailureCategory::kSystem, "lease_los", kTemp, kTerm, false},
    {FailureCategory::kTemporary, "damaged", kTerm, kTerm, true},
    {FailureCategory::kPermanent, "damaged", kTemp, kTemp, false},
    {FailureCategory::kTimeout, "damaged", kTerm, kTemp, false},
    {FailureCategory::kCancelled, "damaged", kTemp, kTemp, false},
    {FailureCategory::kSystem, "damaged", kTemp, kTemp, true},
    {FailureCategory::kSystem, "damaged", kTemp, kTerm, true},
    {FailureCategory::kSystem, "damaged", kTerm, kTerm, true},
};

TEST(Failures, WhatIsWorthAnotherAttempt) {
  for (const Row& row : kRows) {
    EXPECT_EQ(is_retryable(terms(row.timeout_is, row.system_is), row.category, row.code),
              row.retryable)
        << name(row.category) << " " << row.code << ", timeout is " << name(row.timeout_is)
        << ", system is " << name(row.system_is);
  }
}

TEST(Failures, ACategoryFromTheFutureIsNotRetried) {
  EXPECT_FALSE(is_retryable(terms(kTemp, kTemp), static_cast<FailureCategory>(99), "lease_lost"));
}

TEST(Failures, ALostLease) {
  EXPECT_EQ(lease_lost_failure(), (FailureView{FailureCategory::kSystem, "lease_lost",
                                               "the lease ended without a heartbeat", ""}));
}

TEST(Failures, AJobThatCannotBeRead) {
  EXPECT_EQ(damaged_failure(), (FailureView{FailureCategory::kSystem, "damaged",
                                            "what is stored of the job cannot be read", ""}));
}

TEST(Failures, ATimeout) {
  EXPECT_EQ(timeout_failure(), (FailureView{FailureCategory::kTimeout, "execution_timeout",
                                            "the execution passed its deadline", ""}));
}

TEST(Failures, ALifetimeThatIsOver) {
  EXPECT_EQ(lifetime_failure(), (FailureView{FailureCategory::kTimeout, "lifetime_exceeded",
                                             "the job's total lifetime is over", ""}));
}

TEST(Failures, ADependencyThatDidNotComplete) {
  EXPECT_EQ(dependency_failure(""), (FailureView{FailureCategory::kPermanent, "dependency_failed",
                                                 "a dependency did not complete", ""}));
}

TEST(Failures, ACancelKeepsItsReason) {
  EXPECT_EQ(cancelled_failure("not needed"),
            (FailureView{FailureCategory::kCancelled, "cancelled", "not needed", ""}));
  EXPECT_EQ(cancelled_failure(""),
            (FailureView{FailureCategory::kCancelled, "cancelled", "the job was cancelled", ""}));
}

TEST(Failures, ARejectionKeepsItsReason) {
  EXPECT_EQ(rejected_failure("nsfw"),
            (FailureView{FailureCategory::kPermanent, "rejected", "nsfw", ""}));
  EXPECT_EQ(rejected_failure(""), (FailureView{FailureCategory::kPermanent, "rejected",
                                               "the job was rejected by moderation", ""}));
}

}  // namespace
}  // namespace baton::lifecycle
