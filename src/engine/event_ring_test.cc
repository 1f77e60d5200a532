#include "engine/event_ring.h"

#include <gtest/gtest.h>

namespace baton::engine {
namespace {

std::vector<store::Happening> happenings(std::size_t count) {
  return std::vector<store::Happening>(count);
}

std::vector<std::uint64_t> numbers(const EventRing::Reading& reading) {
  std::vector<std::uint64_t> all;
  for (const JobEvent& event : reading.events)
    all.push_back(event.number);
  return all;
}

using Numbers = std::vector<std::uint64_t>;

TEST(EventRing, CountsFromOne) {
  EventRing ring(10);
  EXPECT_EQ(ring.last(), 0U);
  EXPECT_TRUE(ring.read(0, 10).events.empty());
  EXPECT_FALSE(ring.read(0, 10).missed);
  ring.happened(happenings(2));
  ring.happened(happenings(1));
  EXPECT_EQ(ring.last(), 3U);
  EXPECT_EQ(numbers(ring.read(0, 10)), (Numbers{1, 2, 3}));
}

TEST(EventRing, KeepsTheTextsOfTypes) {
  EventRing ring(3);
  for (int i = 0; i < 2; ++i) {
    const std::string mail = "mail number " + std::to_string(i);
    const std::string text = "text, which is long enough for a place of its own";
    std::vector<store::Happening> told = happenings(3);
    told[0].type = mail;
    told[1].type = mail;
    told[2].type = text;
    ring.happened(told);
  }
  const EventRing::Reading reading = ring.read(3, 10);
  ASSERT_EQ(reading.events.size(), 3U);
  EXPECT_EQ(reading.events[0].what.type, "mail number 1");
  EXPECT_EQ(reading.events[1].what.type, "mail number 1");
  EXPECT_EQ(reading.events[2].what.type, "text, which is long enough for a place of its own");
}

TEST(EventRing, ReadsOnFromAnEvent) {
  EventRing ring(10);
  ring.happened(happenings(5));
  EXPECT_EQ(numbers(ring.read(2, 2)), (Numbers{3, 4}));
  EXPECT_EQ(numbers(ring.read(4, 2)), (Numbers{5}));
  EXPECT_TRUE(ring.read(5, 2).events.empty());
  EXPECT_FALSE(ring.read(5, 2).missed);
}

TEST(EventRing, SaysWhenEventsAreForgotten) {
  EventRing ring(3);
  ring.happened(happenings(5));
  EXPECT_FALSE(ring.read(2, 10).missed);
  EXPECT_EQ(numbers(ring.read(2, 10)), (Numbers{3, 4, 5}));
  EXPECT_TRUE(ring.read(1, 10).missed);
  EXPECT_EQ(numbers(ring.read(1, 10)), (Numbers{3, 4, 5}));
}

TEST(EventRing, ANumberFromBeforeARestartIsForgotten) {
  EventRing ring(3);
  ring.happened(happenings(1));
  EXPECT_TRUE(ring.read(7, 10).missed);
  EXPECT_EQ(numbers(ring.read(7, 10)), (Numbers{1}));
}

}  // namespace
}  // namespace baton::engine
