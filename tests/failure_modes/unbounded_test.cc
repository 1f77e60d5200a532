// No worker takes the jobs that keep coming, and a client asks for all of them at once.
// Guard off: a queue without max_pending, the first test; sim.finds_max_pending, where the limit is
// compared wrongly; sim.finds_endless_page, where a page ignores its limit.
#include <set>

#include "driven_store.h"

namespace baton::failure_modes {
namespace {

constexpr std::int64_t kMaxPending = 100;
constexpr int kFlood = 5000;

std::int64_t admitted(DrivenStore& store) {
  std::int64_t count = 0;
  for (int i = 0; i < kFlood; ++i)
    count += store.submit(job_of()).ok() ? 1 : 0;
  return count;
}

void limit_pending(DrivenStore& store) {
  QueueUpdate update;
  update.max_pending = kMaxPending;
  store.set_queue(std::move(update));
}

TEST(UnboundedQueue, WithoutALimitItGrowsWithEverySubmission) {
  DrivenStore store;
  EXPECT_EQ(admitted(store), kFlood);
  EXPECT_EQ(store.machine().live_jobs(), kFlood);
}

TEST(UnboundedQueue, MaxPendingRefusesWhatComesOnTop) {
  DrivenStore store;
  limit_pending(store);
  EXPECT_EQ(admitted(store), kMaxPending);
  EXPECT_EQ(store.machine().live_jobs(), kMaxPending);
  const auto refused = store.submit(job_of());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kQueueFull);
  EXPECT_EQ(store.last_changes(), 0u);
}

TEST(UnboundedQueue, MaxPendingCountsWhatWaits) {
  DrivenStore store;
  limit_pending(store);
  ASSERT_EQ(admitted(store), kMaxPending);
  store.claim();
  EXPECT_TRUE(store.submit(job_of()).ok());
  EXPECT_FALSE(store.submit(job_of()).ok());
}

TEST(UnboundedQueue, OneCallBringsOrTakesAThousandJobsAtTheMost) {
  DrivenStore store;
  store::SubmitBatch batch;
  batch.jobs.assign(1001, std::make_shared<const Submission>(job_of()));
  const auto submitted = store.ask<store::SubmitAnswer>(std::move(batch));
  ASSERT_FALSE(submitted.ok());
  EXPECT_EQ(submitted.error().code, Code::kBadRequest);
  EXPECT_EQ(store.machine().live_jobs(), 0);

  ClaimRequest request;
  request.queues = {"default"};
  request.max = 1001;
  request.worker = "worker";
  const auto claimed = store.ask<store::ClaimAnswer>(std::move(request));
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(claimed.error().code, Code::kBadRequest);
}

TEST(UnboundedCursor, APageHoldsNoMoreThanItsLimitAndPagesMissNothing) {
  DrivenStore store;
  admitted(store);
  store::ListJobs filter;
  filter.limit = 64;
  std::set<JobId> seen;
  std::int64_t latest = 0;
  int pages = 0;
  for (bool more = true; more; ++pages) {
    const store::JobList page = store.rows().list(filter);
    ASSERT_LE(page.jobs.size(), filter.limit);
    for (const auto& job : page.jobs) {
      EXPECT_TRUE(seen.insert(job->id).second);
      EXPECT_TRUE(latest == 0 || job->number < latest);
      latest = job->number;
    }
    // What is made meanwhile is newer, and no part of this list.
    if (pages == 1) {
      EXPECT_TRUE(store.submit(job_of()).ok());
    }
    filter.before_number = page.next_before_number;
    more = page.next_before_number != 0;
    ASSERT_LE(pages, kFlood);
  }
  EXPECT_EQ(seen.size(), std::size_t{kFlood});
  EXPECT_EQ(pages, (kFlood + 63) / 64);
}

}  // namespace
}  // namespace baton::failure_modes
