#include "store/local/machine/lanes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace baton::store::local {
namespace {

class LanesTest : public testing::Test {
 protected:
  struct Place {
    std::uint32_t queue = 0;
    Priority priority = Priority::kNormal;
    std::uint32_t type = 0;
  };

  SlotIndex add(const Place& place) { return add_with(place, ++last_ready_); }
  SlotIndex add_with(const Place& place, std::int64_t ready) {
    const SlotIndex index = slots_.add(make_job_id(random_));
    Slot& slot = slots_[index];
    slot.queue = place.queue;
    slot.priority = place.priority;
    slot.type = place.type;
    slot.ready_or_time = ready;
    lanes_.add(index);
    return index;
  }
  SlotIndex take(std::uint32_t queue, std::vector<std::uint32_t> types = {}) {
    const SlotIndex index = lanes_.front(queue, types);
    if (index != kNoSlot) lanes_.remove(index);
    return index;
  }

  base::Random random_{7};
  Slots slots_;
  Lanes lanes_{slots_};
  std::int64_t last_ready_ = 0;
};

TEST_F(LanesTest, GivesTheHigherPriorityFirstThenTheEarlierJob) {
  const SlotIndex low = add({.priority = Priority::kLow});
  const SlotIndex first = add({});
  const SlotIndex second = add({});
  const SlotIndex urgent = add({.priority = Priority::kCritical});
  EXPECT_EQ(take(0), urgent);
  EXPECT_EQ(take(0), first);
  EXPECT_EQ(take(0), second);
  EXPECT_EQ(take(0), low);
  EXPECT_EQ(take(0), kNoSlot);
}

TEST_F(LanesTest, MergesTypesByReadyOrder) {
  const SlotIndex a1 = add({.type = 1});
  const SlotIndex b1 = add({.type = 2});
  const SlotIndex a2 = add({.type = 1});
  const SlotIndex c1 = add({.type = 3});
  EXPECT_EQ(take(0), a1);
  EXPECT_EQ(take(0), b1);
  EXPECT_EQ(take(0), a2);
  EXPECT_EQ(take(0), c1);
}

TEST_F(LanesTest, OnlyLanesWithJobsAreThere) {
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const SlotIndex kept = add({.queue = i, .type = 2 * i});
    const SlotIndex taken = add({.queue = i, .priority = Priority::kLow, .type = 2 * i + 1});
    EXPECT_LE(lanes_.lanes(), 2U);
    EXPECT_EQ(take(i), kept);
    EXPECT_EQ(take(i), taken);
    EXPECT_EQ(take(i), kNoSlot);
  }
  EXPECT_EQ(lanes_.lanes(), 0U);
}

TEST_F(LanesTest, AClaimByTypePassesOverOthers) {
  add({.type = 1});
  const SlotIndex wanted = add({.priority = Priority::kBulk, .type = 2});
  EXPECT_EQ(take(0, {2}), wanted);
  EXPECT_EQ(take(0, {2}), kNoSlot);
  EXPECT_EQ(take(0, {9}), kNoSlot);
  EXPECT_EQ(lanes_.size(), 1);
}

TEST_F(LanesTest, SeveralTypesAreTakenInReadyOrder) {
  const SlotIndex first = add({.type = 2});
  const SlotIndex second = add({.type = 1});
  EXPECT_EQ(take(0, {1, 2}), first);
  EXPECT_EQ(take(0, {1, 2}), second);
}

TEST_F(LanesTest, QueuesDoNotMix) {
  const SlotIndex other = add({.queue = 1});
  EXPECT_EQ(take(0), kNoSlot);
  EXPECT_EQ(take(5), kNoSlot);
  EXPECT_EQ(take(1), other);
}

TEST_F(LanesTest, AJobThatComesLateKeepsItsPlace) {
  const SlotIndex third = add_with({}, 30);
  const SlotIndex first = add_with({}, 10);
  const SlotIndex second = add_with({}, 20);
  const SlotIndex fourth = add_with({}, 40);
  EXPECT_EQ(take(0), first);
  EXPECT_EQ(take(0), second);
  EXPECT_EQ(take(0), third);
  EXPECT_EQ(take(0), fourth);
}

struct Entry {
  std::size_t priority;
  std::int64_t ready;
  SlotIndex index;
  std::uint32_t type;
  auto operator<=>(const Entry&) const = default;
};

// Random adds (some out of order), removals from anywhere and claims, against a sorted set.
RC_GTEST_PROP(LanesProperty, GivesJobsLikeASortedSet, ()) {
  base::Random random(1);
  Slots slots;
  Lanes lanes(slots);
  std::set<Entry> expected;
  std::set<std::int64_t> used;
  const int steps = *rc::gen::inRange(1, 80);
  for (int i = 0; i < steps; ++i) {
    const auto kind = *rc::gen::inRange(0, 5);
    if (kind < 3) {
      const auto priority = *rc::gen::inRange<std::size_t>(0, 3);
      const auto type = *rc::gen::inRange<std::uint32_t>(0, 6);
      const auto ready = *rc::gen::inRange<std::int64_t>(1, 1000);
      if (!used.insert(ready).second) continue;
      const SlotIndex index = slots.add(make_job_id(random));
      slots[index].priority = static_cast<Priority>(priority);
      slots[index].type = type;
      slots[index].ready_or_time = ready;
      lanes.add(index);
      expected.insert({priority, ready, index, type});
    } else if (kind == 3 && !expected.empty()) {
      auto at = expected.begin();
      std::advance(at, *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(expected)));
      lanes.remove(at->index);
      expected.erase(at);
    } else if (!expected.empty()) {
      RC_ASSERT(lanes.front(0, {}) == expected.begin()->index);
      lanes.remove(expected.begin()->index);
      expected.erase(expected.begin());
    }
    RC_ASSERT(lanes.size() == std::ssize(expected));
    RC_ASSERT(lanes.front(0, {}) == (expected.empty() ? kNoSlot : expected.begin()->index));
    const std::vector<std::uint32_t> types = {1, 4};
    SlotIndex of_types = kNoSlot;
    for (const Entry& entry : expected) {
      if (entry.type != 1 && entry.type != 4) continue;
      of_types = entry.index;
      break;
    }
    RC_ASSERT(lanes.front(0, types) == of_types);
  }
}

// So many lanes that their heap is several levels deep.
TEST_F(LanesTest, ManyTypesComeInReadyOrder) {
  std::set<std::pair<std::int64_t, SlotIndex>> expected;
  for (int step = 0; step < 4'000; ++step) {
    if (random_.next() % 5 < (step < 2'000 ? 4u : 1u)) {
      const auto ready = static_cast<std::int64_t>(random_.next() >> 2);
      const auto type = static_cast<std::uint32_t>(random_.next() % 500);
      expected.emplace(ready, add_with({.type = type}, ready));
    } else if (!expected.empty()) {
      auto at = expected.begin();
      if (random_.next() % 2 == 0) {
        std::advance(at, static_cast<std::ptrdiff_t>(random_.next() % expected.size()));
      }
      lanes_.remove(at->second);
      slots_.remove(at->second);
      expected.erase(at);
    }
    ASSERT_EQ(lanes_.front(0, {}), expected.empty() ? kNoSlot : expected.begin()->second) << step;
  }
}

// It left the middle of one list and now ends another.
TEST_F(LanesTest, AJobThatMovesLeavesItsNeighboursBehind) {
  const SlotIndex first = add({});
  const SlotIndex moved = add({});
  const SlotIndex last = add({});
  lanes_.remove(moved);
  slots_[moved].priority = Priority::kLow;
  lanes_.add(moved);
  EXPECT_EQ(take(0), first);
  EXPECT_EQ(take(0), last);
  EXPECT_EQ(take(0), moved);
  EXPECT_EQ(take(0), kNoSlot);
}

}  // namespace
}  // namespace baton::store::local
