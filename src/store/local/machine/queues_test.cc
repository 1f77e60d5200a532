#include "store/local/machine/queues.h"

#include <gtest/gtest.h>

namespace baton::store::local {
namespace {

Duration twice(int, Duration initial, Duration) { return Duration{initial.ms * 2}; }
const BackoffFunctions kFunctions = {{"twice", twice}};

// Only an embedding program names functions, so no other test of settings does.
TEST(MachineQueues, AnUpdateTakesABackoffFunctionAndLeavesItWhenItNamesNone) {
  QueueUpdate update;
  Retry& retry = update.retry.emplace();
  retry.strategy = Strategy::kFunction;
  retry.function = "twice";
  ReadyQueue queue;
  const auto with = updated(queue, update, kFunctions);
  ASSERT_TRUE(with.ok());
  EXPECT_TRUE(with->retry == retry);
  queue.set(*with);
  QueueUpdate other;
  other.retry.emplace().max_attempts = 4;
  const auto still = updated(queue, other, kFunctions);
  ASSERT_TRUE(still.ok());
  EXPECT_EQ(still->retry.function, "twice");
}

TEST(MachineQueues, AQueueIsSmall) {
  EXPECT_LE(sizeof(ReadyQueue), 160U) << "beside settings that are not the default ones";
  ReadyQueue queue("q");
  QueueSettings settings;
  settings.paused = true;
  queue.set(settings);
  EXPECT_TRUE(queue.settings() == settings);
  queue.set({});
  EXPECT_TRUE(queue.settings() == QueueSettings{});
}

TEST(MachineQueues, AreFoundByNameAndListedInItsOrder) {
  Queues queues;
  bool made = false;
  for (const char* name : {"b", "a", "c"}) {
    queues.make(name, &made);
    EXPECT_TRUE(made);
  }
  EXPECT_EQ(queues.make("a", &made), queues.find("a"));
  EXPECT_FALSE(made);
  EXPECT_EQ(queues.find("d"), kNoName);
  std::string names;
  for (const std::uint32_t index : queues.by_name())
    names += queues[index].name;
  EXPECT_EQ(names, "abc");
  EXPECT_EQ(*queues.by_name().upper_bound(std::string_view("a")), queues.find("b"));
}

TEST(MachineQueues, ARemovedQueueIsForgottenAndItsNumberGivenAwayWhenItsNameIsNotReadAnyMore) {
  Queues queues;
  bool made = false;
  const std::uint32_t first = queues.make("a", &made);
  queues.remove(first);
  EXPECT_EQ(queues.find("a"), kNoName);
  EXPECT_EQ(queues.size(), 0U);
  EXPECT_NE(queues.make("a", &made), first);
  EXPECT_TRUE(made);
  EXPECT_EQ(queues[first].name, "a") << "somebody may still show it";
  queues.free_removed();
  EXPECT_EQ(queues.make("b", &made), first);
  EXPECT_EQ(queues[first].name, "b");
  EXPECT_EQ(queues.size(), 2U);
}

}  // namespace
}  // namespace baton::store::local
