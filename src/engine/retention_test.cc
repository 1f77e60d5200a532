#include "engine/retention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/eventually.h"
#include "engine/counted_store.h"
#include "store/local/local_store.h"

namespace baton::engine {
namespace {

// Has `left` jobs to delete, as it says.
class PrunedStore : public CountedStore {
 public:
  using CountedStore::CountedStore;
  void prune(store::Prune command, store::Done<Pruned> done) override {
    const std::int64_t deleted = std::min<std::int64_t>(left, command.limit);
    left -= deleted;
    done(Pruned{.deleted = deleted, .more = left > 0});
    ++asked;  // afterwards: the next look is set by now
  }
  std::atomic<std::int64_t> left = 0;
  std::atomic<int> asked = 0;
};

class RetentionTest : public testing::Test {
 protected:
  // Time passes, and the store has been asked so often in all.
  testing::AssertionResult asked_after(Duration by, int asked) {
    clock_.advance(by);
    alarm_.look();
    return base::eventually([&] { return store_.asked == asked; });
  }

  base::ManualClock clock_{Time{1'700'000'000'000}};
  std::unique_ptr<store::Store> inner_ = store::local::open_memory_store({.clock = &clock_});
  PrunedStore store_{*inner_};
  Alarm alarm_{clock_};
  Retention retention_{store_, alarm_};
};

TEST_F(RetentionTest, AsksOnceAMinuteWhileThereIsNothing) {
  EXPECT_TRUE(asked_after(base::minutes(1) - base::milliseconds(1), 0));
  EXPECT_TRUE(asked_after(base::milliseconds(1), 1));
  EXPECT_TRUE(asked_after(base::seconds(59), 1));
  EXPECT_TRUE(asked_after(base::seconds(1), 2));
}

TEST_F(RetentionTest, DeletesInPieces) {
  store_.left = 1'001;
  EXPECT_TRUE(asked_after(base::minutes(1), 1));
  EXPECT_EQ(store_.left, 501);
  EXPECT_TRUE(asked_after(base::milliseconds(20), 2));
  EXPECT_EQ(store_.left, 1);
  EXPECT_TRUE(asked_after(base::milliseconds(20), 3));
  EXPECT_EQ(store_.left, 0);
  EXPECT_TRUE(asked_after(base::seconds(59), 3));
}

TEST_F(RetentionTest, AsksNothingAfterItsEnd) {
  retention_.stop();
  clock_.advance(base::minutes(2));
  alarm_.look();
  alarm_.stop();
  EXPECT_EQ(store_.asked, 0);
}

}  // namespace
}  // namespace baton::engine
