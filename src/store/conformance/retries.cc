// What a failure leads to: backoff, another attempt, or the end.
#include <set>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

// How long the job waits for its next attempt, from now.
#define EXPECT_WAITS(id, duration)                    \
  do {                                                \
    EXPECT_EQ(state_of(id), "RETRYING");              \
    EXPECT_EQ(facts_of(id).run_at - now(), duration); \
  } while (false)

TEST_P(Retries, TheBackoffDoublesAndEndsExactlyOnTime) {
  const JobId id = make(Spec().attempts(4));
  for (const Duration wait : {seconds(1), seconds(2), seconds(4)}) {
    ASSERT_EQ(code_of(nack(claim_one())), "ok");
    EXPECT_WAITS(id, wait);
    advance(wait + milliseconds(-1));
    EXPECT_EQ(state_of(id), "RETRYING");
    EXPECT_TRUE(claim().empty());
    advance(milliseconds(1));
    EXPECT_EQ(state_of(id), "SCHEDULED");
    EXPECT_FALSE(facts_of(id).run_at.is_set());
  }
}

TEST_P(Retries, EveryProfileRunsAsOftenAsItSaysAndEndsWhereItSays) {
  struct Case {
    const char* profile;
    int runs;
    int retry_count;
    const char* end;
  };
  for (const Case& c : {Case{"standard", 3, 2, "DEAD_LETTER"}, Case{"document", 4, 3, "FAILED"},
                        Case{"commit", 4, 3, "FAILED"}, Case{"generation", 3, 3, "DEAD_LETTER"},
                        Case{"lease", 4, 3, "FAILED"}}) {
    SCOPED_TRACE(c.profile);
    const std::string queue = use_profile(c.profile);
    const JobId id = make(Spec().queue(queue));
    int runs = 0;
    for (auto claimed = claim({.queues = {queue}}); !claimed.empty();
         claimed = claim({.queues = {queue}})) {
      ++runs;
      ASSERT_EQ(code_of(nack(claimed.front())), "ok");
      advance(seconds(30));
    }
    EXPECT_EQ(runs, c.runs);
    EXPECT_EQ(state_of(id), c.end);
    const auto facts = facts_of(id);
    EXPECT_EQ(facts.attempt, c.runs);
    EXPECT_EQ(facts.retry_count, c.retry_count);
    EXPECT_EQ(facts.terms->profile->max_retries(facts.terms->retry.max_attempts), c.retry_count);
    EXPECT_EQ(facts.error_type, ErrorType::kTerminal);
  }
}

TEST_P(Retries, DocumentWaitsASecondEachTime) {
  const std::string queue = use_profile("document");
  const JobId id = make(Spec().queue(queue));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(code_of(nack(claim_one(queue))), "ok");
    EXPECT_WAITS(id, seconds(1));
    advance(seconds(1));
  }
}

TEST_P(Retries, CommitDoesNotWait) {
  const std::string queue = use_profile("commit");
  const ClaimedJob claimed = running(Spec().queue(queue));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
  EXPECT_EQ(facts_of(claimed.job).retry_count, 1);
}

TEST_P(Retries, GenerationWaitsTwoThenFourSecondsAndTheLastFailureIsRecordedAsFailed) {
  const std::string queue = use_profile("generation");
  const JobId id = make(Spec().queue(queue));
  for (const Duration wait : {seconds(2), seconds(4)}) {
    ASSERT_EQ(code_of(nack(claim_one(queue))), "ok");
    EXPECT_EQ(word_of(id), "failed");
    EXPECT_WAITS(id, wait);
    advance(wait);
  }
  ASSERT_EQ(code_of(nack(claim_one(queue))), "ok");
  const auto history = get(id)->history;
  ASSERT_GE(history.size(), 2u);
  EXPECT_EQ(history[history.size() - 2].to, JobState::kRetrying);
  EXPECT_EQ(history.back().to, JobState::kDeadLetter);
  EXPECT_EQ(history[history.size() - 2].at, history.back().at) << "one step";
  EXPECT_EQ(words_of(id),
            "queued running failed queued running failed queued running failed "
            "dead_letter");
}

TEST_P(Retries, LeaseWaitsAnywhereUpToTheBackoff) {
  const std::string queue = use_profile("lease");
  std::set<std::int64_t> waits;
  const auto ids = make_all(times(40, Spec().queue(queue)));
  for (const ClaimedJob& claimed : claim({.queues = {queue}, .max = 40})) {
    const auto answer = nack(claimed);
    ASSERT_EQ(code_of(answer), "ok");
    const auto facts = facts_of(claimed.job);
    const std::int64_t wait = facts.run_at.is_set() ? (facts.run_at - now()).ms : 0;
    EXPECT_GE(wait, 0);
    EXPECT_LE(wait, 500);
    waits.insert(wait);
  }
  EXPECT_GT(waits.size(), 20u) << "full jitter spreads the retries";
}

TEST_P(Retries, TenPercentJitterStaysWithinTenPercent) {
  std::set<std::int64_t> waits;
  make_all(times(40, Spec().constant(seconds(10)).jitter(Jitter::kTenPercent)));
  for (const ClaimedJob& claimed : claim({.max = 40})) {
    ASSERT_EQ(code_of(nack(claimed)), "ok");
    const std::int64_t wait = (facts_of(claimed.job).run_at - now()).ms;
    EXPECT_GE(wait, 9000);
    EXPECT_LE(wait, 11000);
    waits.insert(wait);
  }
  EXPECT_GT(waits.size(), 20u);
}

TEST_P(Retries, TheStrategiesCountFromTheFirstRetry) {
  struct Case {
    const char* what;
    Spec spec;
    std::vector<Duration> waits;
  };
  const std::vector<Case> cases = {
      {"constant", Spec("constant").constant(seconds(7)), {seconds(7), seconds(7), seconds(7)}},
      {"linear",
       Spec("linear").strategy(Strategy::kLinear).initial(seconds(3)),
       {seconds(3), seconds(6), seconds(9)}},
      {"exponential",
       Spec("exponential").initial(milliseconds(100)).multiplier(3),
       {milliseconds(100), milliseconds(300), milliseconds(900)}},
      {"capped",
       Spec("capped").initial(seconds(10)).multiplier(10).max_delay(seconds(60)),
       {seconds(10), seconds(60), seconds(60)}},
      {"table",
       Spec("table").table({seconds(5), seconds(1)}),
       {seconds(5), seconds(1), seconds(1)}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const JobId id = make(Spec(c.spec).attempts(10));
    for (const Duration wait : c.waits) {
      ASSERT_EQ(code_of(nack(claim_job(id))), "ok");
      EXPECT_WAITS(id, wait);
      advance(wait);
    }
  }
}

TEST_P(Retries, AWorkersRetryAfterWinsWhenLonger) {
  const ClaimedJob claimed = running(Spec().constant(seconds(10)));
  ASSERT_EQ(code_of(nack_after(claimed, seconds(20))), "ok");
  EXPECT_WAITS(claimed.job, seconds(20));
}

TEST_P(Retries, AWorkersRetryAfterDoesNotShortenTheBackoff) {
  const ClaimedJob claimed = running(Spec().constant(seconds(10)));
  ASSERT_EQ(code_of(nack_after(claimed, seconds(5))), "ok");
  EXPECT_WAITS(claimed.job, seconds(10));
}

TEST_P(Retries, AWorkersRetryAfterIsNotCapped) {
  const ClaimedJob claimed = running(Spec().constant(seconds(1)).max_delay(seconds(2)));
  ASSERT_EQ(code_of(nack_after(claimed, hours(5))), "ok");
  EXPECT_WAITS(claimed.job, hours(5));
}

TEST_P(Retries, ARetryAfterOutOfRangeIsRefusedAndTheLeaseStays) {
  const ClaimedJob claimed = running();
  EXPECT_EQ(code_of(nack_after(claimed, Duration{-1})), "invalid_job");
  EXPECT_EQ(code_of(nack_after(claimed, days(367))), "invalid_job");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  EXPECT_EQ(code_of(ack(claimed)), "ok");
}

TEST_P(Retries, ARetryAfterIsNotInAProfileWithAFixedBackoff) {
  const ClaimedJob claimed = running(Spec().queue(use_profile("document")));
  EXPECT_EQ(code_of(nack_after(claimed, seconds(5))), "not_in_profile");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
}

TEST_P(Retries, APermanentFailureEndsAtOnce) {
  struct Case {
    const char* profile;
    const char* end;
  };
  for (const Case& c :
       {Case{"standard", "FAILED"}, Case{"document", "FAILED"}, Case{"commit", "FAILED"},
        Case{"generation", "DEAD_LETTER"}, Case{"lease", "FAILED"}}) {
    SCOPED_TRACE(c.profile);
    const ClaimedJob claimed = running(Spec().queue(use_profile(c.profile)));
    ASSERT_EQ(code_of(nack(claimed, FailureCategory::kPermanent)), "ok");
    EXPECT_EQ(state_of(claimed.job), c.end);
    EXPECT_EQ(facts_of(claimed.job).attempt, 1);
    EXPECT_EQ(failure_of(claimed.job), "PERMANENT E1");
    EXPECT_EQ(facts_of(claimed.job).error_type, ErrorType::kTerminal);
  }
}

TEST_P(Retries, APermanentFailureNeedsACode) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kNack, claimed);
  std::get<NackCall>(call.call).failure = {FailureCategory::kPermanent, "", "no code", ""};
  EXPECT_EQ(code_of(work(call)), "invalid_job");
  EXPECT_EQ(state_of(claimed.job), "RUNNING") << "the lease stays";
  std::get<NackCall>(call.call).failure.code = "E7";
  EXPECT_EQ(code_of(work(call)), "ok");
}

TEST_P(Retries, FailureTextsHaveLimits) {
  const ClaimedJob claimed = running();
  WorkCall call = call_of(CallKind::kNack, claimed);
  std::get<NackCall>(call.call).failure.message = std::string(8193, 'm');
  EXPECT_EQ(code_of(work(call)), "invalid_job");
  std::get<NackCall>(call.call).failure.message = std::string(8192, 'm');
  std::get<NackCall>(call.call).failure.code = std::string(129, 'c');
  EXPECT_EQ(code_of(work(call)), "invalid_job");
  EXPECT_EQ(state_of(claimed.job), "RUNNING");
  std::get<NackCall>(call.call).failure.code = std::string(128, 'c');
  EXPECT_EQ(code_of(work(call)), "ok");
}

TEST_P(Retries, ARejectionsReasonHasTheSameLimit) {
  const ClaimedJob claimed = running(Spec().queue(use_profile("generation")));
  WorkCall call = call_of(CallKind::kReject, claimed);
  std::get<RejectCall>(call.call).reason = std::string(8193, 'm');
  EXPECT_EQ(code_of(work(call)), "invalid_job");
  std::get<RejectCall>(call.call).reason = std::string(8192, 'm');
  EXPECT_EQ(code_of(work(call)), "ok");
}

TEST_P(Retries, TimeoutAndSystemFailuresAreTemporaryUnlessTheJobSaysOtherwise) {
  struct Case {
    const char* what;
    Spec spec;
    FailureCategory category;
    const char* state;
  };
  for (const Case& c : {Case{"timeout", Spec("a"), FailureCategory::kTimeout, "RETRYING"},
                        Case{"system", Spec("b"), FailureCategory::kSystem, "RETRYING"},
                        Case{"terminal timeout", Spec("c").timeout_is(FailureIs::kTerminal),
                             FailureCategory::kTimeout, "FAILED"},
                        Case{"terminal system", Spec("d").system_is(FailureIs::kTerminal),
                             FailureCategory::kSystem, "FAILED"},
                        Case{"the other one", Spec("e").system_is(FailureIs::kTerminal),
                             FailureCategory::kTimeout, "RETRYING"}}) {
    const ClaimedJob claimed = running(c.spec);
    ASSERT_EQ(code_of(nack(claimed, c.category)), "ok");
    EXPECT_EQ(state_of(claimed.job), c.state) << c.what;
  }
}

TEST_P(Retries, ACancelledFailureThatNobodyAskedForIsPermanent) {
  const ClaimedJob claimed = running();
  ASSERT_EQ(code_of(nack(claimed, FailureCategory::kCancelled)), "ok");
  EXPECT_EQ(state_of(claimed.job), "FAILED");
}

TEST_P(Retries, EveryAttemptKeepsItsOwnFailure) {
  const JobId id = make(Spec().constant(Duration{}));
  for (int i = 1; i <= 3; ++i) {
    WorkCall call = call_of(CallKind::kNack, claim_one());
    const std::string n = std::to_string(i);
    std::get<NackCall>(call.call).failure = {FailureCategory::kTemporary, "E" + n, "message " + n,
                                             "cause " + n};
    ASSERT_EQ(code_of(work(call)), "ok");
  }
  const auto record = get(id);
  ASSERT_EQ(record->executions.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i + 1);
    const Failure expected = {FailureCategory::kTemporary, "E" + n, "message " + n, "cause " + n};
    EXPECT_EQ(record->executions[i].failure, expected);
  }
  EXPECT_EQ(record->last_failure->code, "E3");
}

TEST_P(Retries, TheLastFailureStaysUntilSuccessClearsIt) {
  const ClaimedJob first = running(Spec().constant(Duration{}));
  ASSERT_EQ(code_of(nack(first)), "ok");
  EXPECT_EQ(failure_of(first.job), "TEMPORARY E1");
  EXPECT_EQ(facts_of(first.job).error_type, ErrorType::kRetryable);
  const ClaimedJob second = claim_one();
  EXPECT_EQ(failure_of(first.job), "TEMPORARY E1") << "it stays while the next attempt runs";
  ASSERT_EQ(code_of(ack(second)), "ok");
  EXPECT_EQ(failure_of(first.job), "");
  EXPECT_TRUE(get(first.job)->executions[0].failure) << "the attempt remembers";
}

TEST_P(Retries, AttemptAndRetryCountAreCountedApart) {
  const JobId id = make();
  EXPECT_EQ(facts_of(id).attempt, 0);
  EXPECT_EQ(facts_of(id).retry_count, 0);
  const ClaimedJob claimed = claim_one();
  EXPECT_EQ(facts_of(id).attempt, 1);
  EXPECT_EQ(facts_of(id).retry_count, 0);
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(facts_of(id).attempt, 1);
  EXPECT_EQ(facts_of(id).retry_count, 1) << "the first retry waits";
}

TEST_P(Retries, AJobWithOneAttemptIsNotRetried) {
  EXPECT_EQ(state_of(dead_lettered()), "DEAD_LETTER");
}

TEST_P(Retries, AJobMayRunAHundredTimes) {
  const JobId id = make(Spec().attempts(100).constant(Duration{}));
  end_watch();  // a hundred records of up to a hundred executions say nothing new
  for (int attempt = 1; attempt <= 100; ++attempt) {
    const ClaimedJob claimed = claim_one();
    ASSERT_EQ(claimed.execution.attempt(), attempt);
    ASSERT_EQ(code_of(nack(claimed)), "ok");
  }
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
  audit(true);
}

TEST_P(Retries, StartedAtIsTheClaimOfTheCurrentAttempt) {
  const JobId id = make(Spec().constant(seconds(1)));
  ASSERT_EQ(code_of(nack(claim_one())), "ok");
  const Time first = facts_of(id).started_at;
  advance(seconds(1));
  claim_one();
  EXPECT_EQ(facts_of(id).started_at, first + seconds(1));
}

TEST_P(Retries, MixedFailuresShareTheAttempts) {
  const JobId id = make(Spec().lease(seconds(1)).execution(seconds(10)).constant(Duration{}));
  ASSERT_EQ(code_of(nack(claim_one())), "ok");
  claim_one();
  advance(seconds(1));
  ASSERT_EQ(code_of(nack(claim_one(), FailureCategory::kTimeout)), "ok");
  EXPECT_EQ(state_of(id), "DEAD_LETTER");
  EXPECT_EQ(facts_of(id).attempt, 3);
}

}  // namespace
}  // namespace baton::store::conformance
