#include "engine/recent_asks.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace baton::engine {
namespace {

Time at(int second) { return Time{1'700'000'000'000} + base::seconds(second); }

struct Notes {
  RecentAsks asks;

  std::shared_ptr<const Ask> note(std::vector<std::string> queues, std::vector<std::string> types,
                                  Time when) {
    std::weak_ptr<const Ask> latest;
    asks.note({.queues = std::move(queues), .types = std::move(types)}, latest, when);
    return latest.lock();
  }
};

TEST(RecentAsks, KnowWhichTypesOfWhichQueuesWereAskedFor) {
  Notes notes;
  notes.note({"a", "b"}, {"mail", "print"}, at(0));
  notes.note({"c"}, {}, at(0));
  struct Row {
    const char* queue;
    const char* type;
    bool none;
  };
  for (const Row& row : {Row{"a", "mail", false}, Row{"b", "print", false}, Row{"a", "fax", true},
                         Row{"c", "mail", false}, Row{"c", "fax", false}, Row{"d", "mail", true}}) {
    EXPECT_EQ(notes.asks.none_since(at(0), row.queue, row.type), row.none)
        << row.queue << " " << row.type;
  }
  EXPECT_TRUE(notes.asks.none_since(at(1), "a", "mail"));
}

TEST(RecentAsks, KeepTheSameListsOnce) {
  Notes notes;
  const auto first = notes.note({"a"}, {"mail"}, at(0));
  const std::size_t bytes = notes.asks.bytes();
  EXPECT_EQ(notes.note({"a"}, {"mail"}, at(1)), first);
  EXPECT_EQ(first->last, at(1));
  EXPECT_EQ(notes.asks.size(), 1U);
  EXPECT_EQ(notes.asks.bytes(), bytes);
  EXPECT_NE(notes.note({"a"}, {}, at(1)), first);
  EXPECT_EQ(notes.asks.size(), 2U);
}

TEST(RecentAsks, FollowAWorkerThatAsksForSomethingElse) {
  RecentAsks asks;
  std::weak_ptr<const Ask> latest;
  asks.note({.queues = {"a"}}, latest, at(0));
  asks.note({.queues = {"a"}}, latest, at(1));
  EXPECT_EQ(latest.lock()->queues, std::vector<std::string>{"a"});
  asks.note({.queues = {"b"}}, latest, at(2));
  EXPECT_EQ(latest.lock()->queues, std::vector<std::string>{"b"});
  EXPECT_FALSE(asks.none_since(at(1), "a", "mail"));
  EXPECT_TRUE(asks.none_since(at(2), "a", "mail"));
}

TEST(RecentAsks, AreAtMostTenThousandAndForgetTheOldest) {
  Notes notes;
  for (int i = 0; i < 10'000; ++i)
    notes.note({"q" + std::to_string(i)}, {}, at(0));
  notes.note({"q0"}, {}, at(5));
  EXPECT_EQ(notes.asks.size(), 10'000U);
  EXPECT_TRUE(notes.asks.none_since(at(0), "another", "t"));
  notes.note({"one more"}, {}, at(6));
  EXPECT_EQ(notes.asks.size(), 10'000U);
  // q1 went; since its time nothing is certain about anything that is not there.
  EXPECT_FALSE(notes.asks.none_since(at(0), "another", "t"));
  EXPECT_TRUE(notes.asks.none_since(at(1), "another", "t"));
  EXPECT_FALSE(notes.asks.none_since(at(1), "q0", "t"));
}

TEST(RecentAsks, HaveABoundInBytes) {
  Notes notes;
  const std::string long_name(100'000, 'q');
  for (int i = 0; i < 100; ++i)
    notes.note({long_name + std::to_string(i)}, {}, at(i));
  EXPECT_LE(notes.asks.bytes(), RecentAsks::kMostBytes);
  EXPECT_GT(notes.asks.size(), 10U);
  EXPECT_FALSE(notes.asks.none_since(at(99), long_name + "99", "t"));
}

TEST(RecentAsks, DoNotKeepAClaimThatIsTooLarge) {
  Notes notes;
  notes.note({"a"}, {}, at(0));
  EXPECT_EQ(notes.note({std::string(RecentAsks::kMostBytes, 'q')}, {}, at(1)), nullptr);
  EXPECT_EQ(notes.asks.size(), 0U);
  EXPECT_EQ(notes.asks.bytes(), 0U);
  EXPECT_FALSE(notes.asks.none_since(at(1), "a", "t"));
  EXPECT_TRUE(notes.asks.none_since(at(2), "a", "t"));
}

}  // namespace
}  // namespace baton::engine
