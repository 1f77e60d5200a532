// An account at its limit: `current >= max` is refused, `current > max` would let one more in.
#include "driven_store.h"

namespace baton::failure_modes {
namespace {

const int kLimit = lifecycle::tier_limit(Tier::kGuest);

int admitted_by(bool (*refuses)(int current, int max)) {
  int current = 0;
  while (!refuses(current, kLimit))
    ++current;
  return current;
}

TEST(QuotaOffByOne, ComparingWithGreaterAdmitsOneTooMany) {
  EXPECT_EQ(admitted_by([](int current, int max) { return current > max; }), kLimit + 1);
}

struct Story {
  Story() {
    QueueUpdate update;
    update.profile = "generation";
    store.set_queue(std::move(update));
  }

  Result<store::MadeJob> submit() {
    Submission submission = job_of();
    submission.account = "guest";
    submission.payload = "{\"prompt\":\"" + std::to_string(++submitted) + "\"}";
    return store.submit(submission);
  }

  int admit_until_refused() {
    int admitted = 0;
    auto answer = submit();
    for (; answer.ok() && admitted <= 2 * kLimit; answer = submit())
      ++admitted;
    EXPECT_FALSE(answer.ok());
    if (!answer.ok()) {
      EXPECT_EQ(answer.error().code, Code::kQuotaExceeded);
      EXPECT_EQ(store.last_changes(), 0u);
    }
    return admitted;
  }

  void finish_one() { EXPECT_TRUE(store.work(ack_of(store.claim())).ok()); }

  DrivenStore store;
  int submitted = 0;
};

TEST(QuotaOffByOne, AnAccountHasAsManyActiveJobsAsItsTierAllows) {
  Story story;
  EXPECT_EQ(story.admit_until_refused(), kLimit);
  EXPECT_EQ(story.store.machine().live_jobs(), kLimit);
  EXPECT_EQ(story.store.rows().jobs().size(), static_cast<std::size_t>(kLimit));
}

TEST(QuotaOffByOne, AJobThatEndsMakesRoomForOneOnceTheHourAllows) {
  Story story;
  ASSERT_EQ(story.admit_until_refused(), kLimit);
  story.store.wait(base::hours(1));
  EXPECT_EQ(story.admit_until_refused(), 0);  // All of them are still active.
  story.finish_one();
  EXPECT_EQ(story.admit_until_refused(), 1);
}

TEST(QuotaOffByOne, AnHourHasAsManySubmissionsAsTheTierAllows) {
  Story story;
  ASSERT_EQ(story.admit_until_refused(), kLimit);
  for (int i = 0; i < kLimit; ++i)
    story.finish_one();
  EXPECT_EQ(story.admit_until_refused(), 0);  // None is active, but the hour is not over.
  story.store.wait(base::milliseconds(base::hours(1).ms - 1));
  EXPECT_EQ(story.admit_until_refused(), 0);
  story.store.wait(base::milliseconds(1));
  EXPECT_EQ(story.admit_until_refused(), kLimit);
}

}  // namespace
}  // namespace baton::failure_modes
