// Every word of the model, and its number: both are stored and sent, so both are fixed here.
#include "lifecycle/states.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lifecycle/calls.h"
#include "lifecycle/profile.h"

namespace baton::lifecycle {
namespace {

// The names in the order of the numbers, and each way between a value and its name.
template <class Enum>
void expect_names(const std::vector<std::string_view>& expected) {
  const auto all = kNames<Enum>;
  ASSERT_EQ(std::vector<std::string_view>(all.begin(), all.end()), expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(name(value), expected[i]);
    if (expected[i].empty()) continue;
    EXPECT_EQ(parse<Enum>(expected[i]), value);
    EXPECT_EQ(parse<Enum>(std::string(expected[i]) + "X"), std::nullopt);
    EXPECT_EQ(parse<Enum>(expected[i].substr(0, expected[i].size() - 1)), std::nullopt);
  }
  EXPECT_EQ(parse<Enum>(""), std::nullopt);
  EXPECT_EQ(parse<Enum>("nothing of the kind"), std::nullopt);
}

TEST(Names, OfJobStates) {
  expect_names<JobState>({"", "CREATED", "PENDING", "DELAYED", "SCHEDULED", "RUNNING", "RETRYING",
                          "COMPLETED", "FAILED", "DEAD_LETTER", "CANCELLED", "REJECTED"});
}

TEST(Names, OfExecutionStatuses) {
  expect_names<ExecutionStatus>({"LEASED", "IN_PROGRESS", "COMMITTED", "DONE", "ABORTED"});
}

TEST(Names, OfFailureCategories) {
  expect_names<FailureCategory>({"TEMPORARY", "PERMANENT", "TIMEOUT", "CANCELLED", "SYSTEM"});
}

TEST(Names, OfErrorTypes) { expect_names<ErrorType>({"RETRYABLE", "TERMINAL"}); }

TEST(Names, OfFailureTreatments) { expect_names<FailureIs>({"temporary", "terminal"}); }

TEST(Names, OfPriorities) { expect_names<Priority>({"CRITICAL", "HIGH", "NORMAL", "LOW", "BULK"}); }

TEST(Names, OfActors) { expect_names<Actor>({"client", "worker", "system"}); }

TEST(Names, OfTriggers) {
  expect_names<Trigger>({"create", "submit", "ready", "delay", "due", "claim", "done", "failure",
                         "timeout", "lease_lost", "permanent", "exhausted", "backoff", "reject",
                         "cancel", "lifetime", "dependency", "release"});
}

TEST(Names, OfKeyDefaults) { expect_names<KeyDefault>({"none", "auto"}); }

TEST(Names, OfCalls) {
  expect_names<CallKind>({"start", "heartbeat", "commit", "done", "ack", "nack", "reject",
                          "cancelled", "spawn", "asset", "release"});
}

// Whoever goes through all values by the count meets each name once.
TEST(Names, AreAsManyAsTheCountsSay) {
  EXPECT_EQ(kNames<JobState>.size(), kJobStateCount);
  EXPECT_EQ(kNames<ExecutionStatus>.size(), kExecutionStatusCount);
  EXPECT_EQ(kNames<Priority>.size(), kPriorityCount);
  EXPECT_EQ(kNames<Trigger>.size(), kTriggerCount);
  EXPECT_EQ(kNames<CallKind>.size(), kCallKindCount);
}

TEST(Names, OfCallOutcomes) {
  expect_names<CallOutcome>({"start", "extend", "commit", "finish", "abort", "stage", "repeat",
                             "already_committed", "stale_lease", "stale_or_committed",
                             "invalid_transition"});
}

// The numbers are on disk.
TEST(Numbers, OfJobStatesAreFixed) {
  const JobState in_order[] = {JobState::kNone,       JobState::kCreated,   JobState::kPending,
                               JobState::kDelayed,    JobState::kScheduled, JobState::kRunning,
                               JobState::kRetrying,   JobState::kCompleted, JobState::kFailed,
                               JobState::kDeadLetter, JobState::kCancelled, JobState::kRejected};
  for (std::size_t i = 0; i < kJobStateCount; ++i)
    EXPECT_EQ(static_cast<std::size_t>(in_order[i]), i);
}

TEST(Numbers, OfTheOtherWordsAreFixed) {
  EXPECT_EQ(static_cast<int>(ExecutionStatus::kLeased), 0);
  EXPECT_EQ(static_cast<int>(ExecutionStatus::kInProgress), 1);
  EXPECT_EQ(static_cast<int>(ExecutionStatus::kCommitted), 2);
  EXPECT_EQ(static_cast<int>(ExecutionStatus::kDone), 3);
  EXPECT_EQ(static_cast<int>(ExecutionStatus::kAborted), 4);
  EXPECT_EQ(static_cast<int>(FailureCategory::kTemporary), 0);
  EXPECT_EQ(static_cast<int>(FailureCategory::kPermanent), 1);
  EXPECT_EQ(static_cast<int>(FailureCategory::kTimeout), 2);
  EXPECT_EQ(static_cast<int>(FailureCategory::kCancelled), 3);
  EXPECT_EQ(static_cast<int>(FailureCategory::kSystem), 4);
  EXPECT_EQ(static_cast<int>(Priority::kCritical), 0);
  EXPECT_EQ(static_cast<int>(Priority::kHigh), 1);
  EXPECT_EQ(static_cast<int>(Priority::kNormal), 2);
  EXPECT_EQ(static_cast<int>(Priority::kLow), 3);
  EXPECT_EQ(static_cast<int>(Priority::kBulk), 4);
}

struct StateClass {
  JobState state;
  bool terminal;
  bool bad;
  bool waiting;
};

constexpr StateClass kClasses[] = {
    {JobState::kNone, false, false, false},     {JobState::kCreated, false, false, true},
    {JobState::kPending, false, false, true},   {JobState::kDelayed, false, false, true},
    {JobState::kScheduled, false, false, true}, {JobState::kRunning, false, false, false},
    {JobState::kRetrying, false, false, true},  {JobState::kCompleted, true, false, false},
    {JobState::kFailed, true, true, false},     {JobState::kDeadLetter, true, true, false},
    {JobState::kCancelled, true, true, false},  {JobState::kRejected, true, true, false},
};

TEST(States, AreTerminalBadOrWaiting) {
  ASSERT_EQ(std::size(kClasses), kJobStateCount);
  for (const StateClass& row : kClasses) {
    EXPECT_EQ(is_terminal(row.state), row.terminal) << name(row.state);
    EXPECT_EQ(is_bad_ending(row.state), row.bad) << name(row.state);
    EXPECT_EQ(is_waiting(row.state), row.waiting) << name(row.state);
    const bool early = row.state == JobState::kCreated || row.state == JobState::kPending;
    EXPECT_EQ(is_before_schedule(row.state), early) << name(row.state);
  }
}

}  // namespace
}  // namespace baton::lifecycle
