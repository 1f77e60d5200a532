// A worker acknowledges a job that has been given to another one in the meantime.
// Guard off: sim.finds_fencing, where an execution's id is enough.
#include "driven_store.h"

namespace baton::failure_modes {
namespace {

struct Story {
  Story() {
    Submission submission = job_of();
    submission.timeouts.lease = base::seconds(5);
    job = store.submit(submission)->id;
    a = store.claim();
    store.wait(base::seconds(5));
    b = store.claim();
  }

  // The call is refused with stale_lease and nothing of the job changes.
  void expect_stale(WorkCall call) {
    const JobRecord before = store.record(job);
    const auto answer = store.work(std::move(call));
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Code::kStaleLease);
    EXPECT_EQ(store.last_changes(), 0u);
    const JobRecord after = store.record(job);
    EXPECT_EQ(after.facts, before.facts);
    EXPECT_EQ(after.executions, before.executions);
    EXPECT_EQ(after.history, before.history);
    EXPECT_EQ(after.result, before.result);
    EXPECT_EQ(after.facts.state, JobState::kRunning);
  }

  void expect_b_can_finish() {
    ASSERT_TRUE(store.work(ack_of(b, "\"B\"")).ok());
    const JobRecord record = store.record(job);
    EXPECT_EQ(record.facts.state, JobState::kCompleted);
    EXPECT_EQ(record.result->bytes, "\"B\"");
  }

  DrivenStore store;
  JobId job;
  store::ClaimedJob a;
  store::ClaimedJob b;
};

TEST(StaleAck, TheTokenOfALostLeaseChangesNothing) {
  for (CallKind kind : {CallKind::kAck, CallKind::kNack, CallKind::kStart, CallKind::kHeartbeat,
                        CallKind::kSpawn, CallKind::kCancelled}) {
    Story story;
    story.expect_stale(call_of(kind, story.a));
    story.expect_b_can_finish();
  }
}

TEST(StaleAck, TheIdOfTheNewExecutionWithTheOldTokenChangesNothing) {
  Story story;
  WorkCall call = ack_of(story.a);
  call.execution = story.b.execution;
  story.expect_stale(std::move(call));
  story.expect_b_can_finish();
}

TEST(StaleAck, TheNewTokenForTheOldExecutionChangesNothing) {
  Story story;
  WorkCall call = ack_of(story.b);
  call.execution = story.a.execution;
  story.expect_stale(std::move(call));
  story.expect_b_can_finish();
}

TEST(StaleAck, ALeaseThatIsOverIsStaleAlthoughNobodyElseHasTheJob) {
  DrivenStore store;
  Submission submission = job_of();
  submission.timeouts.lease = base::seconds(5);
  const JobId job = store.submit(submission)->id;
  const store::ClaimedJob a = store.claim();
  store.wait(base::seconds(5));
  const auto answer = store.work(ack_of(a));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::kStaleLease);
  EXPECT_NE(store.record(job).facts.state, JobState::kCompleted);
}

}  // namespace
}  // namespace baton::failure_modes
