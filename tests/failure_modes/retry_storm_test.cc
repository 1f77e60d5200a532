// A thousand jobs fail in the same instant. When do they come back?
// Guard off: a queue or a job asks for no jitter, the first test.
#include <algorithm>

#include "driven_store.h"

namespace baton::failure_modes {
namespace {

constexpr int kJobs = 1000;
constexpr std::int64_t kBackoffMs = 1000;

// How many of the jobs come back in each millisecond after they failed, 0 to `kBackoffMs`.
std::vector<int> comebacks(Jitter jitter) {
  DrivenStore store;
  Submission submission = job_of();
  submission.retry.strategy = Strategy::kConstant;
  submission.retry.initial = base::milliseconds(kBackoffMs);
  submission.retry.jitter = jitter;
  for (int i = 0; i < kJobs; ++i)
    EXPECT_TRUE(store.submit(submission).ok());
  const auto claimed = store.claim_all(kJobs);
  EXPECT_EQ(claimed.size(), std::size_t{kJobs});
  for (const store::ClaimedJob& execution : claimed) {
    WorkCall nack = call_of(CallKind::kNack, execution);
    std::get<NackCall>(nack.call).failure.message = "the service is down";
    EXPECT_TRUE(store.work(nack).ok());
  }
  std::vector<int> counts;
  for (std::int64_t ms = 0; ms <= kBackoffMs; ++ms) {
    counts.push_back(static_cast<int>(store.claim_all(kJobs).size()));
    store.wait(base::milliseconds(1));
  }
  return counts;
}

int sum(const std::vector<int>& counts, std::size_t from, std::size_t to) {
  int total = 0;
  for (std::size_t i = from; i < std::min(to, counts.size()); ++i)
    total += counts[i];
  return total;
}

TEST(RetryStorm, AConstantBackoffWithoutJitterWakesAllInOneMillisecond) {
  const auto counts = comebacks(Jitter::kNone);
  EXPECT_EQ(counts.at(kBackoffMs), kJobs);
  EXPECT_EQ(sum(counts, 0, kBackoffMs), 0);
}

// One job a millisecond on average: ten in one of a thousand milliseconds would happen once in ten
// thousand runs, and a tenth of the time with fewer than 60 or more than 140 about as rarely.
TEST(RetryStorm, FullJitterSpreadsTheRetries) {
  const auto counts = comebacks(Jitter::kFull);
  EXPECT_EQ(sum(counts, 0, counts.size()), kJobs);  // None comes back later than the backoff.
  EXPECT_LE(*std::max_element(counts.begin(), counts.end()), 10);
  for (std::size_t from = 0; from < std::size_t{kBackoffMs}; from += 100) {
    EXPECT_GE(sum(counts, from, from + 100), 60) << from;
    EXPECT_LE(sum(counts, from, from + 100), 140) << from;
  }
}

TEST(RetryStorm, JitterNeverWaitsLongerThanTheBackoff) {
  lifecycle::RetryPolicy policy;
  policy.strategy = Strategy::kConstant;
  policy.initial = base::milliseconds(kBackoffMs);
  policy.max = base::hours(1);
  policy.jitter = Jitter::kFull;
  for (std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0} / 2, ~std::uint64_t{0}}) {
    const Duration wait = lifecycle::backoff(policy, 1, Duration{}, random);
    EXPECT_GE(wait.ms, 0);
    EXPECT_LE(wait.ms, kBackoffMs);
  }
}

}  // namespace
}  // namespace baton::failure_modes
