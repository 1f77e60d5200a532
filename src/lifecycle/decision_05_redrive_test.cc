// Decision 5, a redrive makes a new job, and decision 6, what a cancel does.
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

struct Ending {
  std::string_view profile;
  JobState state;
  void (*reach)(Life&);
};

constexpr Ending kBadEndings[] = {
    {"standard", JobState::kFailed,
     [](Life& life) { life.claim().nack(FailureCategory::kPermanent); }},
    {"standard", JobState::kDeadLetter, [](Life& life) { life.wait(days(7)); }},
    {"standard", JobState::kCancelled, [](Life& life) { life.cancel(); }},
    {"generation", JobState::kRejected, [](Life& life) { life.then(Reject{}); }},
};

TEST(Decision05Redrive, IsAllowedAfterABadEndingAndChangesNothingInTheOldJob) {
  for (const Ending& ending : kBadEndings) {
    Life life(ending.profile);
    ending.reach(life.create());
    ASSERT_EQ(life.job.state, ending.state);
    const JobFacts before = life.job;
    life.then(Redrive{});
    EXPECT_EQ(life.job, before) << name(ending.state);
    EXPECT_EQ(describe(life.last), "nothing") << name(ending.state);
    EXPECT_TRUE(life.last.effects.empty()) << name(ending.state);
  }
}

TEST(Decision05Redrive, OfACompletedJobIsRefused) {
  Life life("standard");
  life.create().claim().ack();
  EXPECT_EQ(life.refusal(Redrive{}), "invalid_transition");
}

TEST(Decision05Redrive, OfALiveJobIsRefused) {
  Life life("standard");
  life.create(delayed(seconds(1)));
  EXPECT_EQ(life.refusal(Redrive{}), "invalid_transition");
  life.wait(seconds(1));
  EXPECT_EQ(life.refusal(Redrive{}), "invalid_transition");
  life.claim();
  EXPECT_EQ(life.refusal(Redrive{}), "invalid_transition");
  life.nack();
  EXPECT_EQ(life.refusal(Redrive{}), "invalid_transition");
}

TEST(Decision05Redrive, OfAJobThatHasACopyIsRefusedByItsNameUnlessItIsToBeAgain) {
  const JobId copy = *parse_job_id("6f9619ff-8b86-4011-b42d-00cf4fc96400");
  Life life("standard");
  life.create().cancel();
  EXPECT_EQ(life.refusal(Redrive{.redriven_to = copy}), "conflict");
  const auto refused = decide(life.job, Redrive{.redriven_to = copy}, life.now, 0);
  EXPECT_NE(refused.error().message.find(to_string(copy)), std::string::npos);
  life.then(Redrive{.redriven_to = copy, .again = true});
  EXPECT_EQ(describe(life.last), "nothing");
}

// The copy is an ordinary creation: nothing of the old job's attempts is in it.
TEST(Decision05Redrive, TheCopyBeginsAtZero) {
  Life life("generation");
  use_up_all_but_one_attempt(life.create(costing(4)));
  life.claim().nack().then(Redrive{});
  Life copy(*life.terms);
  copy.create(costing(4));
  EXPECT_EQ(copy.job.attempt, 0);
  EXPECT_EQ(copy.job.retry_count, 0);
  EXPECT_EQ(copy.job.version, 1);
  EXPECT_EQ(copy.job.held, 4);
}

TEST(Decision06Cancel, OfAWaitingJobIsImmediate) {
  Life draft("document");
  draft.create(as_draft());
  Life pending("standard");
  pending.create(after(Verdict::waiting()));
  Life late("standard");
  late.create(delayed(seconds(5)));
  Life scheduled("standard");
  scheduled.create();
  Life retrying("standard");
  retrying.create().claim().nack();
  for (Life life : {draft, pending, late, scheduled, retrying}) {
    life.cancel();
    EXPECT_EQ(life.job.state, JobState::kCancelled);
    EXPECT_FALSE(life.job.run_at.is_set());
    EXPECT_EQ(life.job.completed_at, life.now);
    EXPECT_FALSE(life.last.execution_changed);
  }
}

TEST(Decision06Cancel, OfARunningJobIsAFlagForItsWorker) {
  Life life("standard");
  life.create().claim();
  EXPECT_FALSE(life.job.cancel_requested);
  life.cancel();
  EXPECT_EQ(life.job.state, JobState::kRunning);
  EXPECT_TRUE(life.job.cancel_requested);
  EXPECT_TRUE(life.last.job_changed);
  life.call(CallKind::kHeartbeat);
  EXPECT_TRUE(life.last.job.cancel_requested);
}

TEST(Decision06Cancel, AskedForTwiceIsAnsweredAlike) {
  Life life("standard");
  life.create().claim().cancel();
  const JobFacts before = life.job;
  life.cancel();
  EXPECT_TRUE(life.last.repeated);
  EXPECT_EQ(life.job, before);
}

struct Consequence {
  std::string_view name;
  void (*happen)(Life&);
  ExecutionStatus status;
};

constexpr Consequence kConsequences[] = {
    {"confirmation", [](Life& life) { life.call(CallKind::kCancelled); },
     ExecutionStatus::kAborted},
    {"nack", [](Life& life) { life.nack(); }, ExecutionStatus::kAborted},
    {"release", [](Life& life) { life.call(CallKind::kRelease); }, ExecutionStatus::kAborted},
    {"permanent nack", [](Life& life) { life.nack(FailureCategory::kPermanent); },
     ExecutionStatus::kAborted},
    {"lost lease", [](Life& life) { life.at(life.job.execution.lease_expires_at); },
     ExecutionStatus::kAborted},
    {"timeout",
     [](Life& life) {
       life.now = life.job.execution.deadline_at;
       life.take(decide(life.job, TimerDue{Timer::kDeadline}, life.now, 0).value());
     },
     ExecutionStatus::kAborted},
    {"force",
     [](Life& life) {
       life.then(Cancel{true, {}});
     },
     ExecutionStatus::kAborted},
};

TEST(Decision06Cancel, EverythingThatEndsTheExecutionEndsInCancelled) {
  for (std::string_view profile : {"standard", "document", "commit", "generation", "lease"}) {
    for (const Consequence& row : kConsequences) {
      Life life(profile);
      life.create().claim().start().cancel();
      row.happen(life);
      EXPECT_EQ(life.job.state, JobState::kCancelled) << profile << ' ' << row.name;
      EXPECT_EQ(life.job.execution.status, row.status) << profile << ' ' << row.name;
      EXPECT_EQ(life.job.execution.finished_at, life.now) << profile << ' ' << row.name;
      EXPECT_EQ(life.job.retry_count, 0) << profile << ' ' << row.name;
      EXPECT_TRUE(life.last.cancelled_as_requested) << profile << ' ' << row.name;
    }
  }
}

TEST(Decision06Cancel, ARejectStillEndsInRejected) {
  Life life("generation");
  life.create().claim().cancel().call(CallKind::kReject);
  EXPECT_EQ(life.job.state, JobState::kRejected);
}

TEST(Decision06Cancel, ALifetimeThatIsOverStillEndsInTheExhaustedState) {
  Terms terms = terms_of("standard");
  terms.lifetime = seconds(10);
  Life life(terms);
  life.create().claim().cancel().wait(seconds(10));
  EXPECT_EQ(describe(life.last), "DEAD_LETTER:lifetime");
}

TEST(Decision06Cancel, ACommitThatComesFirstWins) {
  Life life("standard");
  life.create().claim().start().cancel().commit();
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kCommitted);
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kCancelled)), "already_committed");
  EXPECT_EQ(life.refusal(Cancel{}), "already_committed");
  EXPECT_EQ(life.refusal(Cancel{true, {}}), "already_committed");
  life.done();
  EXPECT_EQ(life.job.state, JobState::kCompleted);
}

TEST(Decision06Cancel, AnAckThatComesFirstWins) {
  Life life("standard");
  life.create().claim().cancel().ack();
  EXPECT_EQ(life.job.state, JobState::kCompleted);
}

TEST(Decision06Cancel, ForceDoesNotWaitForTheWorker) {
  Life life("standard");
  life.create().claim().then(Cancel{true, {}});
  EXPECT_EQ(life.job.state, JobState::kCancelled);
  EXPECT_EQ(life.job.execution.status, ExecutionStatus::kAborted);
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kAck)), "stale_lease");
}

// The store knows the reason of the request; the decision says that it is the one.
TEST(Decision06Cancel, TheFirstRequestsReasonStands) {
  Life asked("standard");
  asked.create().claim().cancel();
  EXPECT_FALSE(asked.last.cancelled_as_requested);
  asked.then(Cancel{true, "another reason"});
  EXPECT_TRUE(asked.last.cancelled_as_requested);
  EXPECT_EQ(asked.job.state, JobState::kCancelled);
  EXPECT_EQ(asked.job.execution.status, ExecutionStatus::kAborted);

  Life forced("standard");
  forced.create().claim().then(Cancel{true, "the only reason"});
  EXPECT_FALSE(forced.last.cancelled_as_requested);
  EXPECT_EQ(forced.last.failure->message, "the only reason");
}

TEST(Decision06Cancel, OfACancelledJobIsAnsweredAlike) {
  Life life("standard");
  life.create().cancel();
  const JobFacts before = life.job;
  life.wait(seconds(1));
  for (bool force : {false, true}) {
    life.then(Cancel{force, {}});
    EXPECT_TRUE(life.last.repeated);
    EXPECT_FALSE(life.last.job_changed);
    EXPECT_EQ(life.job, before);
  }
}

TEST(Decision06Cancel, OfACompletedJobIsRefused) {
  Life life("standard");
  life.create().claim().ack();
  EXPECT_EQ(life.refusal(Cancel{}), "invalid_transition");
}

TEST(Decision06Cancel, OfAnotherEndedJobIsRefused) {
  for (const Ending& ending : kBadEndings) {
    if (ending.state == JobState::kCancelled) continue;
    Life life(ending.profile);
    ending.reach(life.create());
    EXPECT_EQ(life.refusal(Cancel{}), "invalid_transition") << name(ending.state);
    EXPECT_EQ(life.refusal(Cancel{true, {}}), "invalid_transition") << name(ending.state);
  }
}

TEST(Decision06Cancel, AWorkersCancelledWithoutARequestIsRefused) {
  Life life("standard");
  life.create().claim();
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kCancelled)), "invalid_transition");
  life.start();
  EXPECT_EQ(life.refusal(life.call_of(CallKind::kCancelled)), "invalid_transition");
  EXPECT_EQ(life.job.state, JobState::kRunning);
}

}  // namespace
}  // namespace baton::lifecycle::testbed
