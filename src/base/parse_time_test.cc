#include "base/parse_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace baton::base {
namespace {

struct Moment {
  std::string_view text;
  std::int64_t ms;
};

TEST(ParseTime, ReadsRfc3339) {
  for (const Moment& moment :
       {Moment{"1970-01-01T00:00:00Z", 0}, Moment{"1970-01-01T00:00:00.001Z", 1},
        Moment{"2001-09-09T01:46:40Z", 1'000'000'000'000},
        Moment{"2001-09-09T01:46:40.5Z", 1'000'000'000'500},
        Moment{"2001-09-09T01:46:40.123999Z", 1'000'000'000'123},
        Moment{"2001-09-09t01:46:40z", 1'000'000'000'000},
        Moment{"2001-09-09T03:16:40+01:30", 1'000'000'000'000},
        Moment{"2001-09-08T23:46:40-02:00", 1'000'000'000'000},
        Moment{"2024-02-29T23:59:59.999Z", 1'709'251'199'999},
        Moment{"9999-12-31T23:59:59.999Z", 253'402'300'799'999}}) {
    const auto time = parse_time(moment.text);
    ASSERT_TRUE(time) << moment.text;
    EXPECT_EQ(time->ms, moment.ms) << moment.text;
  }
}

TEST(ParseTime, RefusesEverythingElse) {
  for (const std::string_view text : {"",
                                      "now",
                                      "2030-01-01",
                                      "2030-01-01T00:00:00",
                                      "2030-01-01 00:00:00Z",
                                      "2030-1-1T00:00:00Z",
                                      "2030-13-01T00:00:00Z",
                                      "2030-00-01T00:00:00Z",
                                      "2030-02-30T00:00:00Z",
                                      "2023-02-29T00:00:00Z",
                                      "2030-01-01T24:00:00Z",
                                      "2030-01-01T00:60:00Z",
                                      "2030-01-01T00:00:60Z",
                                      "2030-01-01T00:00:00.Z",
                                      "2030-01-01T00:00:00+0100",
                                      "2030-01-01T00:00:00+24:00",
                                      "2030-01-01T00:00:00+01:60",
                                      "2030-01-01T00:00:00ZZ",
                                      "1969-12-31T23:59:59Z",
                                      "1970-01-01T00:00:00+00:01",
                                      "12030-01-01T00:00:00Z",
                                      "-030-01-01T00:00:00Z",
                                      "2030-01-01T00:00:00Z "}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

// A time with an offset that lay in the year 10000 in UTC was taken, and shown as another one.
TEST(ParseTime, RefusesWhatCouldNotBeWrittenAgain) {
  EXPECT_TRUE(parse_time("9999-12-31T23:58:59-00:01"));
  EXPECT_FALSE(parse_time("9999-12-31T23:59:00-00:01"));
  EXPECT_FALSE(parse_time("9999-12-31T23:59:59.999-23:59"));
}

RC_GTEST_PROP(ParseTimeProperty, ReadsWhatFormatTimeWrote, ()) {
  const Time time{*rc::gen::inRange<std::int64_t>(0, 253'402'300'799'999)};
  RC_ASSERT(parse_time(format_time(time)) == time);
}

}  // namespace
}  // namespace baton::base
