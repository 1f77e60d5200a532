#include "baton/pending.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace baton {
namespace {

// A call that a test answers by hand.
template <class T>
struct HandCall {
  Completion<T> answer;
  Pending<T> pending = Pending<T>::begun([this](Completion<T> done) { answer = std::move(done); });
};

TEST(Pending, GetGivesAnAnswerThatIsThere) {
  HandCall<int> call;
  call.answer(5);
  EXPECT_EQ(*call.pending.get(), 5);
}

TEST(Pending, GetWaitsForTheAnswer) {
  HandCall<int> call;
  std::thread other([&] { call.answer(Error{.code = Code::kConflict, .message = "no"}); });
  EXPECT_EQ(call.pending.get().error().code, Code::kConflict);
  other.join();
}

TEST(Pending, ThenIsCalledAtOnceWhenTheAnswerIsThere) {
  HandCall<int> call;
  call.answer(5);
  int seen = 0;
  call.pending.then([&](Result<int> value) { seen = *value; });
  EXPECT_EQ(seen, 5);
}

TEST(Pending, ThenIsCalledByWhoeverAnswers) {
  HandCall<int> call;
  std::thread::id seen;
  call.pending.then([&](const Result<int>&) { seen = std::this_thread::get_id(); });
  std::thread other([&] { call.answer(5); });
  const std::thread::id expected = other.get_id();
  other.join();
  EXPECT_EQ(seen, expected);
}

TEST(Pending, MayBeDroppedBeforeAndAfterTheAnswer) {
  const auto value = std::make_shared<int>(5);
  {
    HandCall<std::shared_ptr<int>> call;
    call.answer(value);
  }
  EXPECT_EQ(value.use_count(), 1);
  Completion<std::shared_ptr<int>> answer;
  { HandCall<std::shared_ptr<int>>().answer.swap(answer); }
  answer(value);
  EXPECT_EQ(value.use_count(), 1);
}

TEST(Pending, LetsTheAnswerAndTheCompletionGoWhenItIsDone) {
  const auto value = std::make_shared<int>(5);
  const auto kept = std::make_shared<int>(6);
  HandCall<std::shared_ptr<int>> call;
  call.pending.then([kept](const auto&) {});
  EXPECT_EQ(kept.use_count(), 2);
  call.answer(value);
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_EQ(value.use_count(), 1);
}

TEST(Pending, CanBeMoved) {
  HandCall<int> one;
  HandCall<int> other;
  Pending<int> moved = std::move(one.pending);
  one.answer(1);
  other.answer(2);
  other.pending = std::move(moved);
  EXPECT_EQ(*other.pending.get(), 1);
}

// Both ends at the same moment, over and over.
TEST(Pending, EachEndMayComeFirst) {
  for (int i = 0; i < 2'000; ++i) {
    HandCall<int> got;
    HandCall<int> handed;
    HandCall<int> dropped;
    std::atomic<int> seen = 0;
    std::thread other([&] {
      got.answer(i);
      handed.answer(i);
      dropped.answer(i);
    });
    EXPECT_EQ(*got.pending.get(), i);
    handed.pending.then([&](Result<int> value) { seen = *value + 1; });
    { const Pending<int> gone = std::move(dropped.pending); }
    other.join();
    EXPECT_EQ(seen, i + 1);
  }
}

TEST(PendingDeathTest, GetInsideACompletionStopsTheProcess) {
  EXPECT_DEATH(
      {
        HandCall<int> call;
        HandCall<int> second;
        call.answer(1);
        call.pending.then([&](const Result<int>&) { static_cast<void>(second.pending.get()); });
      },
      "a blocking call was made inside a completion");
}

TEST(PendingDeathTest, ASecondUseStopsTheProcess) {
  EXPECT_DEATH(
      {
        HandCall<int> call;
        call.answer(1);
        static_cast<void>(call.pending.get());
        static_cast<void>(call.pending.get());
      },
      "asked for twice");
}

}  // namespace
}  // namespace baton
