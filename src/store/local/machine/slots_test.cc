#include "store/local/machine/slots.h"

#include <gtest/gtest.h>

#include "lifecycle/profile.h"

namespace baton::store::local {
namespace {

class SlotsTest : public testing::Test {
 protected:
  lifecycle::JobFacts full_job(JobState state) {
    lifecycle::JobFacts job;
    job.terms = &terms_;
    job.state = state;
    job.priority = Priority::kHigh;
    job.cancel_requested = true;
    job.has_callback = true;
    job.payload_class = 10;
    job.has_account = true;
    job.has_staged = true;
    job.attempt = 7;
    job.retry_count = 6;
    job.progress = 55;
    job.version = 21;
    job.history_count = 19;
    job.held = 12;
    job.delay = base::seconds(5);
    job.created_at = Time{100};
    job.updated_at = Time{200};
    job.scheduled_at = Time{300};
    job.failure_category = FailureCategory::kSystem;
    job.error_type = ErrorType::kTerminal;
    job.execution.attempt = 7;
    job.execution.status = ExecutionStatus::kAborted;
    return job;
  }

  void put(SlotIndex index, const lifecycle::JobFacts& job) {
    slots_.extras(index).execution = job.execution;
    slots_.store(index, job);
  }

  lifecycle::Terms terms_{&lifecycle::default_profile(), {}, {}, {}, {}, {}, {}};
  base::Random random_{5};
  Slots slots_;
};

TEST_F(SlotsTest, KeepsEveryFactOfARetryingJob) {
  const SlotIndex index = slots_.add(make_job_id(random_));
  lifecycle::JobFacts job = full_job(JobState::kRetrying);
  job.run_at = Time{400};
  put(index, job);
  EXPECT_EQ(slots_.load(index), job);
}

TEST_F(SlotsTest, KeepsNotBeforeOfAJobThatWasNeverScheduled) {
  for (const JobState state : {JobState::kCreated, JobState::kPending}) {
    const SlotIndex index = slots_.add(make_job_id(random_));
    lifecycle::JobFacts job = full_job(state);
    job.not_before = Time{500};
    put(index, job);
    EXPECT_EQ(slots_.load(index), job);
  }
}

TEST_F(SlotsTest, AReadyJobKeepsItsPlaceInsteadOfATime) {
  const SlotIndex index = slots_.add(make_job_id(random_));
  slots_[index].ready_or_time = 77;
  const lifecycle::JobFacts job = full_job(JobState::kScheduled);
  put(index, job);
  EXPECT_EQ(slots_[index].ready_or_time, 77);
  EXPECT_EQ(slots_.load(index), job);
}

// Regression: started_at was forgotten while a job waited for its next attempt.
TEST_F(SlotsTest, AClaimedJobKeepsItsLatestExecution) {
  const SlotIndex index = slots_.add(make_job_id(random_));
  lifecycle::JobFacts job = full_job(JobState::kRunning);
  job.execution.status = ExecutionStatus::kInProgress;
  job.execution.claimed_at = Time{350};
  job.execution.token.bytes[0] = 9;
  job.started_at = Time{350};
  put(index, job);
  EXPECT_EQ(slots_.load(index), job);
}

// Regression: a job that ended earlier in the same turn had lost the time of its end.
TEST_F(SlotsTest, AnEndedJobKeepsItsEnd) {
  const SlotIndex index = slots_.add(make_job_id(random_));
  lifecycle::JobFacts job = full_job(JobState::kCancelled);
  job.completed_at = job.updated_at;
  put(index, job);
  EXPECT_EQ(slots_.load(index), job);
}

TEST_F(SlotsTest, AFreshJobNeedsNoSideTable) {
  const SlotIndex index = slots_.add(make_job_id(random_));
  lifecycle::JobFacts job;
  job.terms = &terms_;
  job.state = JobState::kScheduled;
  slots_.store(index, job);
  EXPECT_EQ(slots_[index].extras, nullptr);
  EXPECT_FALSE(slots_.load(index).failure_category);
  EXPECT_FALSE(slots_.load(index).error_type);
  EXPECT_EQ(slots_.load(index).progress, lifecycle::kNoProgress);
}

TEST_F(SlotsTest, FindsJobsByIdUntilTheyAreRemoved) {
  const JobId first = make_job_id(random_);
  const JobId second = make_job_id(random_);
  const SlotIndex index = slots_.add(first);
  slots_.add(second);
  EXPECT_EQ(slots_.find(first), index);
  EXPECT_EQ(slots_.size(), 2);
  slots_.remove(index);
  EXPECT_EQ(slots_.find(first), kNoSlot);
  EXPECT_NE(slots_.find(second), kNoSlot);
  EXPECT_EQ(slots_.size(), 1);
}

TEST_F(SlotsTest, AFreedSlotIsUsedAgainAndHoldsNothingOld) {
  const SlotIndex index = slots_.add(make_job_id(random_));
  slots_.store(index, full_job(JobState::kRetrying));
  slots_.remove(index);
  int visited = 0;
  slots_.for_each([&](SlotIndex, const Slot&) { ++visited; });
  EXPECT_EQ(visited, 0);
  const JobId next = make_job_id(random_);
  EXPECT_EQ(slots_.add(next), index);
  EXPECT_EQ(slots_[index].extras, nullptr);
  EXPECT_EQ(slots_[index].state, JobState::kNone);
  EXPECT_EQ(slots_[index].id, next);
}

TEST_F(SlotsTest, AWaitingJobFitsIntoItsBudget) {
  // Two timers of sixteen bytes each and the id index come on top: 150 bytes in all.
  EXPECT_LE(sizeof(Slot), 112U);
}

}  // namespace
}  // namespace baton::store::local
