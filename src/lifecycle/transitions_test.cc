// The transition table written a second time, by hand.
#include "lifecycle/transitions.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace baton::lifecycle {
namespace {

using enum JobState;
using enum Trigger;
using Row = std::tuple<JobState, JobState, Trigger>;

// "Any non-terminal" is spelled out. CREATED is met only where the exhausted state is FAILED.
const std::set<Row> kExpected = {
    {kNone, kCreated, kCreate},           {kNone, kPending, kCreate},
    {kCreated, kPending, kSubmit},        {kPending, kScheduled, kReady},
    {kPending, kDelayed, kDelay},         {kDelayed, kScheduled, kDue},
    {kScheduled, kRunning, kClaim},       {kRunning, kCompleted, kDone},
    {kRunning, kRetrying, kFailure},      {kRunning, kRetrying, kTimeout},
    {kRunning, kRetrying, kLeaseLost},    {kRunning, kFailed, kPermanent},
    {kRunning, kFailed, kExhausted},      {kRunning, kDeadLetter, kExhausted},
    {kRetrying, kScheduled, kBackoff},    {kRetrying, kDeadLetter, kExhausted},
    {kRetrying, kDeadLetter, kPermanent}, {kRunning, kRejected, kReject},
    {kPending, kRejected, kReject},       {kDelayed, kRejected, kReject},
    {kScheduled, kRejected, kReject},     {kCreated, kCancelled, kCancel},
    {kPending, kCancelled, kCancel},      {kDelayed, kCancelled, kCancel},
    {kScheduled, kCancelled, kCancel},    {kRunning, kCancelled, kCancel},
    {kRetrying, kCancelled, kCancel},     {kCreated, kFailed, kLifetime},
    {kPending, kFailed, kLifetime},       {kDelayed, kFailed, kLifetime},
    {kScheduled, kFailed, kLifetime},     {kRunning, kFailed, kLifetime},
    {kRetrying, kFailed, kLifetime},      {kPending, kDeadLetter, kLifetime},
    {kDelayed, kDeadLetter, kLifetime},   {kScheduled, kDeadLetter, kLifetime},
    {kRunning, kDeadLetter, kLifetime},   {kRetrying, kDeadLetter, kLifetime},
    {kPending, kFailed, kDependency},     {kPending, kDeadLetter, kDependency},
    {kPending, kCancelled, kDependency},  {kRunning, kRetrying, kRelease},
};

std::string describe(const Row& row) {
  return std::string(name(std::get<0>(row))) + " to " + std::string(name(std::get<1>(row))) +
         " by " + std::string(name(std::get<2>(row)));
}

TEST(Transitions, AreTheExpectedOnesAndEachIsThereOnce) {
  std::map<Row, int> found;
  for (const Transition& row : transitions())
    ++found[{row.from, row.to, row.trigger}];
  for (const auto& [row, count] : found) {
    EXPECT_EQ(count, 1) << describe(row);
    EXPECT_TRUE(kExpected.contains(row)) << describe(row);
  }
  for (const Row& row : kExpected)
    EXPECT_TRUE(found.contains(row)) << describe(row);
}

TEST(Transitions, AreFoundExactlyWhereTheTableHasThem) {
  for (std::size_t from = 0; from < kJobStateCount; ++from) {
    for (std::size_t to = 0; to < kJobStateCount; ++to) {
      for (std::size_t by = 0; by < kTriggerCount; ++by) {
        const Row row{static_cast<JobState>(from), static_cast<JobState>(to),
                      static_cast<Trigger>(by)};
        const Transition* found =
            find_transition(std::get<0>(row), std::get<1>(row), std::get<2>(row));
        ASSERT_EQ(found != nullptr, kExpected.contains(row)) << describe(row);
        if (found == nullptr) continue;
        EXPECT_EQ((Row{found->from, found->to, found->trigger}), row) << describe(row);
      }
    }
  }
}

TEST(Transitions, LeaveNoTerminalState) {
  for (const Transition& row : transitions())
    EXPECT_FALSE(is_terminal(row.from)) << row.label;
}

TEST(Transitions, NeverLeadBackToTheBeginning) {
  for (const Transition& row : transitions())
    EXPECT_NE(row.to, kNone) << row.label;
}

TEST(Transitions, DoNotLeadFromRunningToScheduled) {
  for (const Transition& row : transitions())
    EXPECT_FALSE(row.from == kRunning && row.to == kScheduled) << row.label;
}

// Rows that share their labels are the same thing happening in different states.
TEST(Transitions, WithOneLabelHaveOneTrigger) {
  std::map<std::string_view, Trigger> triggers;
  for (const Transition& row : transitions()) {
    const auto [known, fresh] = triggers.insert({row.label, row.trigger});
    EXPECT_EQ(known->second, row.trigger) << row.label;
  }
}

}  // namespace
}  // namespace baton::lifecycle
