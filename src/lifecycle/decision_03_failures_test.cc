// Decision 3: what is remembered of a failure, and where it leads.
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

Life claimed(Terms terms) {
  Life life(std::move(terms));
  life.create().claim();
  return life;
}

void reach_deadline(Life& life) {
  life.now = life.job.execution.deadline_at;
  life.take(decide(life.job, TimerDue{Timer::kDeadline}, life.now, 0).value());
}

TEST(Decision03Failures, TimeoutsCountAsTemporary) {
  Life by_clock = claimed(terms_of("standard"));
  reach_deadline(by_clock);
  EXPECT_EQ(by_clock.job.state, JobState::kRetrying);
  Life by_worker = claimed(terms_of("standard"));
  by_worker.nack(FailureCategory::kTimeout);
  EXPECT_EQ(by_worker.job.state, JobState::kRetrying);
}

TEST(Decision03Failures, TimeoutsTakeThePermanentRowWhenTheTermsSaySo) {
  Terms terms = terms_of("standard");
  terms.timeout_is = FailureIs::kTerminal;
  Life by_clock = claimed(terms);
  reach_deadline(by_clock);
  EXPECT_EQ(describe(by_clock.last), "FAILED:permanent");
  Life by_worker = claimed(terms);
  by_worker.nack(FailureCategory::kTimeout);
  EXPECT_EQ(describe(by_worker.last), "FAILED:permanent");
  Life other = claimed(terms);
  other.nack(FailureCategory::kSystem);
  EXPECT_EQ(other.job.state, JobState::kRetrying);
}

TEST(Decision03Failures, SystemTakesThePermanentRowWhenTheTermsSaySo) {
  Terms terms = terms_of("generation");
  terms.system_is = FailureIs::kTerminal;
  Life life = claimed(terms);
  life.nack(FailureCategory::kSystem);
  EXPECT_EQ(describe(life.last), "RETRYING:failure DEAD_LETTER:permanent");
  Life other = claimed(terms);
  other.nack(FailureCategory::kTimeout);
  EXPECT_EQ(other.job.state, JobState::kRetrying);
}

TEST(Decision03Failures, ALostLeaseIsAlwaysRetriedUntilExhausted) {
  Terms terms = terms_of("standard");
  terms.system_is = FailureIs::kTerminal;
  terms.timeout_is = FailureIs::kTerminal;
  Life life(terms);
  life.create();
  for (int run = 1; run <= 2; ++run) {
    life.claim().wait(minutes(5));
    EXPECT_EQ(life.job.state, JobState::kScheduled);
  }
  life.claim().wait(minutes(5));
  EXPECT_EQ(describe(life.last), "DEAD_LETTER:exhausted");
}

TEST(Decision03Failures, AJobThatCannotBeReadIsRetriedUntilExhausted) {
  Terms terms = terms_of("standard");
  terms.system_is = FailureIs::kTerminal;
  Life life(terms);
  life.create();
  for (int run = 1; run <= 2; ++run) {
    life.claim().then(Unreadable{run});
    EXPECT_EQ(life.job.state, JobState::kScheduled);
    EXPECT_EQ(life.job.attempt, run);
  }
  life.claim().then(Unreadable{3});
  EXPECT_EQ(describe(life.last), "DEAD_LETTER:exhausted");
}

TEST(Decision03Failures, OnlyTheExecutionThatWasMeantIsGivenBackUnread) {
  Life life = claimed(terms_of("standard"));
  for (const int attempt : {0, 2}) {
    const auto other = decide(life.job, Unreadable{attempt}, life.now, 0);
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code, Code::kInvalidTransition);
  }
  life.then(Unreadable{1});
  EXPECT_FALSE(decide(life.job, Unreadable{1}, life.now, 0).ok()) << "it runs no more";
}

// What the job and the execution remember of each way to fail.
struct Memory {
  std::string_view name;
  void (*happen)(Life&);
  FailureCategory category;
  std::string_view code;
  std::string_view message;
  ErrorType error_type;
};

constexpr Memory kMemories[] = {
    {"nack", [](Life& life) { life.claim().nack(); }, FailureCategory::kTemporary, "E42",
     "it broke", ErrorType::kRetryable},
    {"permanent nack", [](Life& life) { life.claim().nack(FailureCategory::kPermanent); },
     FailureCategory::kPermanent, "E42", "it broke", ErrorType::kTerminal},
    {"lost lease", [](Life& life) { life.claim().wait(minutes(5)); }, FailureCategory::kSystem,
     "lease_lost", "the lease ended without a heartbeat", ErrorType::kRetryable},
    {"unread", [](Life& life) { life.claim().then(Unreadable{1}); }, FailureCategory::kSystem,
     "damaged", "what is stored of the job cannot be read", ErrorType::kRetryable},
    {"timeout",
     [](Life& life) {
       life.claim();
       reach_deadline(life);
     },
     FailureCategory::kTimeout, "execution_timeout", "the execution passed its deadline",
     ErrorType::kRetryable},
    {"lifetime", [](Life& life) { life.wait(days(7)); }, FailureCategory::kTimeout,
     "lifetime_exceeded", "the job's total lifetime is over", ErrorType::kTerminal},
    {"lifetime while running",
     [](Life& life) {
       life.wait(days(6)).claim();
       life.job.execution.lease_expires_at = life.now + days(9);
       life.job.execution.deadline_at = life.now + days(9);
       life.at(kStart + days(7));
     },
     FailureCategory::kTimeout, "lifetime_exceeded", "the job's total lifetime is over",
     ErrorType::kTerminal},
    {"cancel",
     [](Life& life) {
       life.then(Cancel{false, "too late"});
     },
     FailureCategory::kCancelled, "cancelled", "too late", ErrorType::kTerminal},
    {"cancel without a reason", [](Life& life) { life.cancel(); }, FailureCategory::kCancelled,
     "cancelled", "the job was cancelled", ErrorType::kTerminal},
    {"forced cancel",
     [](Life& life) {
       life.claim().then(Cancel{true, "stop"});
     },
     FailureCategory::kCancelled, "cancelled", "stop", ErrorType::kTerminal},
    {"confirmed cancel", [](Life& life) { life.claim().cancel().call(CallKind::kCancelled); },
     FailureCategory::kCancelled, "cancelled", "the job was cancelled", ErrorType::kTerminal},
};

TEST(Decision03Failures, AreRememberedWithTheirCategoryCodeAndKind) {
  for (const Memory& row : kMemories) {
    Life life("standard");
    life.create();
    row.happen(life);
    ASSERT_TRUE(life.last.failure.has_value()) << row.name;
    EXPECT_EQ(life.last.failure->category, row.category) << row.name;
    EXPECT_EQ(life.last.failure->code, row.code) << row.name;
    EXPECT_EQ(life.last.failure->message, row.message) << row.name;
    EXPECT_EQ(life.job.failure_category, row.category) << row.name;
    EXPECT_EQ(life.job.error_type, row.error_type) << row.name;
    EXPECT_FALSE(life.last.failure_cleared) << row.name;
    EXPECT_EQ(life.last.execution_failure.has_value(), life.job.attempt > 0) << row.name;
    if (life.last.execution_failure) {
      EXPECT_EQ(life.last.execution_failure, life.last.failure) << row.name;
    }
  }
}

TEST(Decision03Failures, ABadDependencyIsPermanent) {
  Life at_creation("standard");
  at_creation.create(after(Verdict::bad(JobState::kFailed)));
  Life later("standard");
  later.create(after(Verdict::waiting()));
  later.then(DependenciesSettled{Verdict::bad(JobState::kCancelled)});
  for (const Life& life : {at_creation, later}) {
    ASSERT_TRUE(life.last.failure.has_value());
    EXPECT_EQ(life.last.failure->code, "dependency_failed");
    EXPECT_EQ(life.job.failure_category, FailureCategory::kPermanent);
    EXPECT_EQ(life.job.error_type, ErrorType::kTerminal);
  }
}

TEST(Decision03Failures, ARejectionKeepsItsReason) {
  Life by_worker("generation");
  Call reject = by_worker.create().claim().call_of(CallKind::kReject);
  reject.failure.message = "blood";
  by_worker.then(reject);
  EXPECT_EQ(by_worker.last.failure->message, "blood");
  EXPECT_EQ(by_worker.last.execution_failure->message, "blood");
  Life by_operator("generation");
  by_operator.create().then(Reject{"gore"});
  EXPECT_EQ(by_operator.last.failure->message, "gore");
  EXPECT_FALSE(by_operator.last.execution_failure.has_value());
  for (const Life& life : {by_worker, by_operator}) {
    EXPECT_EQ(life.last.failure->code, "rejected");
    EXPECT_EQ(life.job.failure_category, FailureCategory::kPermanent);
    EXPECT_EQ(life.job.error_type, ErrorType::kTerminal);
  }
}

TEST(Decision03Failures, ErrorTypeIsTerminalInEveryUnsuccessfulEnding) {
  for (std::string_view profile : {"standard", "document", "commit", "generation", "lease"}) {
    Life exhausted(profile);
    use_up_all_but_one_attempt(exhausted.create());
    exhausted.claim().nack();
    Life permanent(profile);
    permanent.create().claim().nack(FailureCategory::kPermanent);
    Life cancelled(profile);
    cancelled.create().cancel();
    for (const Life& life : {exhausted, permanent, cancelled}) {
      ASSERT_TRUE(is_bad_ending(life.job.state)) << profile;
      EXPECT_EQ(life.job.error_type, ErrorType::kTerminal) << profile;
    }
  }
}

TEST(Decision03Failures, StayUntilSuccessClearsThem) {
  Life life("standard");
  life.create();
  EXPECT_EQ(life.job.failure_category, std::nullopt);
  EXPECT_EQ(life.job.error_type, std::nullopt);
  life.claim().nack().wait(seconds(1)).claim().start().commit();
  EXPECT_EQ(life.job.failure_category, FailureCategory::kTemporary);
  EXPECT_EQ(life.job.error_type, ErrorType::kRetryable);
  EXPECT_FALSE(life.last.failure_cleared);
  EXPECT_FALSE(life.last.failure.has_value());
  life.done();
  EXPECT_EQ(life.job.failure_category, std::nullopt);
  EXPECT_EQ(life.job.error_type, std::nullopt);
  EXPECT_TRUE(life.last.failure_cleared);
  EXPECT_FALSE(life.last.failure.has_value());
  EXPECT_FALSE(life.last.execution_failure.has_value());
}

// The worker's words stay with the execution; the job says that it was cancelled.
TEST(Decision03Failures, ANackAfterACancelRequestIsACancelOfTheJob) {
  Life life("standard");
  life.create().claim().cancel().nack();
  EXPECT_EQ(life.last.failure->code, "cancelled");
  EXPECT_EQ(life.last.failure->message, "the job was cancelled");
  EXPECT_EQ(life.last.execution_failure, failure_of(FailureCategory::kTemporary));
  EXPECT_EQ(life.job.failure_category, FailureCategory::kCancelled);
  EXPECT_EQ(life.job.error_type, ErrorType::kTerminal);
}

}  // namespace
}  // namespace baton::lifecycle::testbed
