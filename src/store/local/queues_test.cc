#include "store/local/queues.h"

#include <gtest/gtest.h>

namespace baton::store::local {
namespace {

Duration twice(int, Duration initial, Duration) { return {initial.ms * 2}; }

// Only an embedding program names functions, so no other test of settings does.
TEST(MachineQueues, AnUpdateTakesABackoffFunctionAndLeavesItWhenItNamesNone) {
  QueueUpdate update;
  lifecycle::RetrySettings& retry = update.retry.emplace();
  retry.strategy = Strategy::kFunction;
  retry.function_name = "twice";
  retry.function = twice;
  Queue queue;
  const auto with = updated(queue, update);
  ASSERT_TRUE(with.ok());
  EXPECT_TRUE(with->retry == retry);
  queue.settings = *with;
  QueueUpdate other;
  other.retry.emplace().max_attempts = 4;
  const auto still = updated(queue, other);
  ASSERT_TRUE(still.ok());
  EXPECT_EQ(still->retry.function_name, "twice");
  EXPECT_EQ(still->retry.function, &twice);
}

}  // namespace
}  // namespace baton::store::local
