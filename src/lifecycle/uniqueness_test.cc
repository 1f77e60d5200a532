#include "lifecycle/uniqueness.h"

#include <gtest/gtest.h>

namespace baton::lifecycle {
namespace {

JobFacts job(JobState state, int attempt) {
  JobFacts facts;
  facts.state = state;
  facts.attempt = attempt;
  return facts;
}

TEST(Uniqueness, AnActiveJobHoldsItsKeyUntilItEnds) {
  for (const JobState state : {JobState::kCreated, JobState::kPending, JobState::kDelayed,
                               JobState::kScheduled, JobState::kRunning, JobState::kRetrying}) {
    EXPECT_TRUE(holds_unique(UniqueWhile::kActive, job(state, 1)));
  }
  for (const JobState state : {JobState::kCompleted, JobState::kFailed, JobState::kDeadLetter,
                               JobState::kCancelled, JobState::kRejected}) {
    EXPECT_FALSE(holds_unique(UniqueWhile::kActive, job(state, 1)));
    EXPECT_FALSE(holds_unique(UniqueWhile::kWaiting, job(state, 0)));
  }
}

TEST(Uniqueness, AWaitingJobHoldsItsKeyUntilItsFirstClaim) {
  for (const JobState state :
       {JobState::kCreated, JobState::kPending, JobState::kDelayed, JobState::kScheduled}) {
    EXPECT_TRUE(holds_unique(UniqueWhile::kWaiting, job(state, 0)));
  }
  EXPECT_FALSE(holds_unique(UniqueWhile::kWaiting, job(JobState::kRunning, 1)));
  // A retry does not take it back.
  EXPECT_FALSE(holds_unique(UniqueWhile::kWaiting, job(JobState::kRetrying, 1)));
  EXPECT_FALSE(holds_unique(UniqueWhile::kWaiting, job(JobState::kScheduled, 1)));
}

TEST(Uniqueness, OnlyARunningHolderKeepsItsKeyFromAnother) {
  EXPECT_FALSE(can_be_replaced(JobState::kRunning));
  for (const JobState state : {JobState::kCreated, JobState::kPending, JobState::kDelayed,
                               JobState::kScheduled, JobState::kRetrying}) {
    EXPECT_TRUE(can_be_replaced(state));
  }
}

}  // namespace
}  // namespace baton::lifecycle
