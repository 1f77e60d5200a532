#include "worker/backoff.h"

#include <gtest/gtest.h>

#include <set>

#include "worker/claims.h"

namespace baton::worker {
namespace {

constexpr Patience kPatience{.first = 100ms, .most = 1000ms};

TEST(WorkerBackoff, DoublesUpToTheLimitAndKeepsAtLeastHalf) {
  Backoff backoff(kPatience, 1);
  for (const Duration planned : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
    const Duration wait = backoff.next(1h);
    EXPECT_GE(wait, planned / 2);
    EXPECT_LE(wait, planned);
  }
}

TEST(WorkerBackoff, BeginsAnewWhenTheStoreAnswered) {
  Backoff backoff(kPatience, 1);
  for (int i = 0; i < 5; ++i)
    static_cast<void>(backoff.next(1h));
  backoff.reset();
  EXPECT_LE(backoff.next(1h), 100ms);
}

TEST(WorkerBackoff, IsDifferentForEveryWorker) {
  std::set<Duration> waits;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    waits.insert(Backoff(kPatience, seed).next(1h));
  EXPECT_GT(waits.size(), 10U);
}

TEST(WorkerBackoff, ReachesBothEndsOfItsRange) {
  std::set<Duration> waits;
  for (std::uint64_t seed = 0; seed < 500; ++seed)
    waits.insert(Backoff({.first = 4ms, .most = 4ms}, seed).next(1h));
  EXPECT_EQ(waits, (std::set<Duration>{2ms, 3ms, 4ms}));
}

TEST(WorkerBackoff, MayBeHeldShorterButNotShorterThanTheFirst) {
  Backoff backoff(kPatience, 1);
  for (int i = 0; i < 5; ++i)
    static_cast<void>(backoff.next(1h));
  const Duration held = backoff.next(300ms);
  EXPECT_GE(held, 150ms);
  EXPECT_LE(held, 300ms);
  EXPECT_GE(backoff.next(1ms), 50ms);
}

}  // namespace
}  // namespace baton::worker
