// Decision 1, attempts and retries, and decision 2, how long a retry waits.
#include "lifecycle/testing.h"
#include "lifecycle/validate.h"

namespace baton::lifecycle::testbed {
namespace {

constexpr std::string_view kProfiles[] = {"standard", "document", "commit", "generation", "lease"};

TEST(Decision01Attempts, AreZeroBeforeTheFirstClaim) {
  for (std::string_view profile : kProfiles) {
    Life life(profile);
    life.create();
    EXPECT_EQ(life.job.attempt, 0) << profile;
    EXPECT_EQ(life.job.execution.attempt, 0) << profile;
  }
}

TEST(Decision01Attempts, AreMovedByTheClaimAlone) {
  Life life("standard");
  life.create().claim();
  EXPECT_EQ(life.job.attempt, 1);
  life.start().nack();
  EXPECT_EQ(life.job.attempt, 1);
  life.wait(seconds(1));
  EXPECT_EQ(life.job.attempt, 1);
  life.claim();
  EXPECT_EQ(life.job.attempt, 2);
  EXPECT_EQ(life.job.execution.attempt, 2);
}

struct Spending {
  std::string_view name;
  void (*spend)(Life&);
};

constexpr Spending kSpendings[] = {
    {"nack", [](Life& life) { life.claim().nack(); }},
    {"lost lease", [](Life& life) { life.claim().at(life.job.execution.lease_expires_at); }},
    {"timeout",
     [](Life& life) {
       life.claim();
       life.now = life.job.execution.deadline_at;
       life.take(decide(life.job, TimerDue{Timer::kDeadline}, life.now, 0).value());
     }},
};

TEST(Decision01Attempts, AreSpentByEveryExecutionAndThenTheJobEnds) {
  const int runs[] = {3, 4, 4, 3, 4};
  for (std::size_t i = 0; i < std::size(kProfiles); ++i) {
    for (const Spending& spending : kSpendings) {
      Life life(kProfiles[i]);
      life.create();
      int executions = 0;
      for (; !is_terminal(life.job.state) && executions < 100; ++executions) {
        spending.spend(life);
        life.wait(minutes(1));
      }
      EXPECT_EQ(executions, runs[i]) << kProfiles[i] << ' ' << spending.name;
      EXPECT_EQ(life.job.attempt, runs[i]) << kProfiles[i] << ' ' << spending.name;
      EXPECT_EQ(life.job.state, life.profile().policy.exhausted) << kProfiles[i];
    }
  }
}

TEST(Decision01Attempts, RetryCountIsOneWhileTheFirstRetryWaits) {
  for (std::string_view profile : {"standard", "document", "generation", "lease"}) {
    Life life(profile);
    life.create().claim();
    EXPECT_EQ(life.job.retry_count, 0) << profile;
    life.nack();
    EXPECT_EQ(life.job.state, JobState::kRetrying) << profile;
    EXPECT_EQ(life.job.retry_count, 1) << profile;
    life.wait(minutes(1)).claim();
    EXPECT_EQ(life.job.retry_count, 1) << profile;
  }
}

TEST(Decision01Attempts, RetryCountRisesWithALostLeaseThatDoesNotWait) {
  Life life("standard");
  life.create().claim().wait(minutes(5));
  EXPECT_EQ(life.job.state, JobState::kScheduled);
  EXPECT_EQ(life.job.retry_count, 1);
}

TEST(Decision01Attempts, RetryCountOfAnExhaustedJobIsItsMaxRetries) {
  for (std::string_view profile : kProfiles) {
    Life life(profile);
    use_up_all_but_one_attempt(life.create());
    life.claim().nack();
    ASSERT_TRUE(is_bad_ending(life.job.state)) << profile;
    EXPECT_EQ(life.job.retry_count, life.profile().max_retries(life.terms->retry.max_attempts))
        << profile;
  }
}

TEST(Decision01Attempts, OneAttemptMeansNoRetry) {
  Terms once = terms_of("standard");
  once.retry.max_attempts = 1;
  Life life(once);
  life.create().claim().nack();
  EXPECT_EQ(life.job.state, JobState::kDeadLetter);
  EXPECT_EQ(life.job.retry_count, 0);
}

TEST(Decision01Attempts, AHundredAttemptsAreRunAndNotOneMore) {
  Terms many = terms_of("commit");
  many.retry.max_attempts = 100;
  Life life(many);
  life.create();
  for (int run = 1; run <= 100; ++run) {
    ASSERT_EQ(life.job.state, JobState::kScheduled) << run;
    life.claim().nack();
  }
  EXPECT_EQ(life.job.state, JobState::kFailed);
  EXPECT_EQ(life.job.retry_count, 99);
}

TEST(Decision01Attempts, MaxAttemptsIsFromOneToAHundred) {
  struct {
    int max_attempts;
    bool ok;
  } const rows[] = {{-1, false}, {0, false}, {1, true}, {100, true}, {101, false}};
  for (const auto& row : rows) {
    Submission submission;
    submission.type = "mail";
    submission.retry.max_attempts = row.max_attempts;
    EXPECT_EQ(accept(submission, QueueSettings{}).ok(), row.ok) << row.max_attempts;
  }
}

// The wait before each retry, in milliseconds, with the longest jitter.
struct BackoffRow {
  std::string_view profile;
  std::vector<std::int64_t> waits;
};

TEST(Decision02Backoff, CountsRetriesFromOne) {
  const BackoffRow rows[] = {
      {"standard", {1000, 2000}},
      {"document", {1000, 1000, 1000}},
      {"generation", {2000, 4000}},
      {"lease", {500, 1000, 2000}},
  };
  for (const BackoffRow& row : rows) {
    Life life(row.profile);
    life.random = ~0ULL;
    life.create();
    for (std::int64_t wait : row.waits) {
      life.claim().nack();
      EXPECT_EQ(life.job.run_at, life.now + milliseconds(wait)) << row.profile;
      life.wait(milliseconds(wait));
      EXPECT_EQ(life.job.state, JobState::kScheduled) << row.profile;
    }
  }
}

TEST(Decision02Backoff, OfTheCommitProfileDoesNotWait) {
  Life life("commit");
  life.create().claim().nack();
  EXPECT_EQ(life.job.state, JobState::kScheduled);
  EXPECT_FALSE(life.job.run_at.is_set());
  EXPECT_EQ(life.job.scheduled_at, life.now);
}

TEST(Decision02Backoff, IsCapped) {
  Terms terms = terms_of("generation");
  terms.retry.max_attempts = 100;
  Life life(terms);
  life.create();
  for (int retry = 1; retry <= 99; ++retry) {
    life.claim().nack();
    const std::int64_t wait = retry < 5 ? 1000LL << retry : 30'000;
    ASSERT_EQ(life.job.run_at, life.now + milliseconds(wait)) << retry;
    life.wait(milliseconds(wait));
  }
}

TEST(Decision02Backoff, FullJitterIsAnyShareOfTheDelay) {
  struct {
    std::uint64_t random;
    std::int64_t wait;
  } const rows[] = {{~0ULL, 500}, {1ULL << 63, 250}, {1ULL << 62, 125}};
  for (const auto& row : rows) {
    Life life("lease");
    life.random = row.random;
    life.create().claim().nack();
    EXPECT_EQ(life.job.run_at, life.now + milliseconds(row.wait));
  }
}

TEST(Decision02Backoff, OfAJobFollowsTheJobsOwnStrategy) {
  Terms linear = terms_of("standard");
  linear.retry.max_attempts = 4;
  linear.retry.strategy = Strategy::kLinear;
  Terms table = linear;
  table.retry.strategy = Strategy::kTable;
  table.retry.table = {seconds(7), seconds(3)};
  struct {
    Terms terms;
    std::vector<Duration> waits;
  } const rows[] = {{linear, {seconds(1), seconds(2), seconds(3)}},
                    {table, {seconds(7), seconds(3), seconds(3)}}};
  for (const auto& row : rows) {
    Life life(row.terms);
    life.create();
    for (Duration wait : row.waits) {
      life.claim().nack();
      EXPECT_EQ(life.job.run_at, life.now + wait);
      life.wait(wait);
    }
  }
}

TEST(Decision02Backoff, TheWorkersWishWinsWhenLonger) {
  struct {
    Duration wish;
    Duration wait;
  } const rows[] = {{milliseconds(0), seconds(1)},
                    {milliseconds(999), seconds(1)},
                    {milliseconds(1001), milliseconds(1001)},
                    {hours(2), hours(2)}};
  for (const auto& row : rows) {
    Life life("standard");
    Call nack = life.create().claim().nack_of(FailureCategory::kTemporary);
    nack.retry_after = row.wish;
    life.then(nack);
    EXPECT_EQ(life.job.run_at, life.now + row.wait) << row.wish.ms;
  }
}

TEST(Decision02Backoff, ATimeoutWaitsLikeAnyFailure) {
  Life life("generation");
  life.create().claim().at(life.job.created_at + seconds(29)).call(CallKind::kHeartbeat);
  life.now = life.job.execution.deadline_at;
  life.take(decide(life.job, TimerDue{Timer::kDeadline}, life.now, 0).value());
  EXPECT_EQ(life.job.state, JobState::kRetrying);
  EXPECT_EQ(life.job.run_at, life.now + seconds(2));
}

TEST(Decision02Backoff, ALostLeaseWaitsAsTheProfileSays) {
  struct {
    std::string_view profile;
    JobState state;
    Duration wait;
  } const rows[] = {{"standard", JobState::kScheduled, {}},
                    {"document", JobState::kRetrying, seconds(1)},
                    {"commit", JobState::kScheduled, {}},
                    {"generation", JobState::kScheduled, {}},
                    {"lease", JobState::kScheduled, {}}};
  for (const auto& row : rows) {
    Life life(row.profile);
    life.create().claim().at(life.job.execution.lease_expires_at);
    EXPECT_EQ(life.job.state, row.state) << row.profile;
    const Time expected = row.state == JobState::kRetrying ? life.now + row.wait : Time{};
    EXPECT_EQ(life.job.run_at, expected) << row.profile;
  }
}

}  // namespace
}  // namespace baton::lifecycle::testbed
