// A record that gets a new member, as a later version of the program would have it.
#include "store/local/codec/record.h"

#include <gtest/gtest.h>

#include "store/local/codec/values.h"

namespace baton::store::local {

struct ShelfOfToday {
  int number = 0;
  std::string owner;
};
struct ShelfOfTomorrow {
  int number = 0;
  std::string owner;
  int height = 3;
  bool movable = true;
};

template <>
constexpr Record kRecord<ShelfOfToday> = {
    Marks(),
    Always<&ShelfOfToday::number>(),
    Marked<0, &ShelfOfToday::owner>(),
};
template <>
constexpr Record kRecord<ShelfOfTomorrow> = {
    Marks(),
    Always<&ShelfOfTomorrow::number>(),
    Marked<0, &ShelfOfTomorrow::owner>(),
    Marked<1, &ShelfOfTomorrow::height>(),
    Flag<2, &ShelfOfTomorrow::movable>(),
};

namespace {

template <class T>
std::string stored(const T& value) {
  std::string bytes;
  RecordWriter out(bytes, {});
  write_value(out, value);
  return bytes;
}

// What is wrong with the bytes; nothing when they are read to their end.
template <class T>
std::string flaw_of(const std::string& bytes, T& into) {
  ByteReader reader(std::as_bytes(std::span(bytes)));
  RecordReader in{.bytes = reader};
  read_value(in, into);
  reader.expect_end();
  return reader.ok() ? "" : reader.error("it").message;
}

TEST(Record, OfAnEarlierVersionLeavesANewMemberAsItIsInAFreshObject) {
  ShelfOfTomorrow read;
  EXPECT_EQ(flaw_of(stored(ShelfOfToday{7, "ann"}), read), "");
  EXPECT_EQ(read.number, 7);
  EXPECT_EQ(read.owner, "ann");
  EXPECT_EQ(read.height, 3);
  EXPECT_TRUE(read.movable);
}

TEST(Record, IsTheSameBytesWhileANewMemberIsAsInAFreshObject) {
  EXPECT_EQ(stored(ShelfOfTomorrow{7, "ann"}), stored(ShelfOfToday{7, "ann"}));
}

TEST(Record, HasANewMemberThatIsOtherwise) {
  ShelfOfTomorrow read;
  EXPECT_EQ(flaw_of(stored(ShelfOfTomorrow{7, "", 0, false}), read), "");
  EXPECT_EQ(read.height, 0);
  EXPECT_FALSE(read.movable);
}

TEST(Record, OfALaterVersionIsRefused) {
  ShelfOfToday read;
  EXPECT_EQ(flaw_of(stored(ShelfOfTomorrow{7, "ann", 4}), read),
            "it does not decode: a mark has no meaning");
}

TEST(Record, KnowsTheFewestBytesItTakes) {
  EXPECT_EQ(kLeastBytes<ShelfOfTomorrow>, stored(ShelfOfTomorrow{}).size());
}

}  // namespace
}  // namespace baton::store::local
