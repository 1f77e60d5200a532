#include "sim/driver/options.h"

#include <gtest/gtest.h>

namespace baton::sim {
namespace {

TEST(SimOptions, TakesValuesAndSwitches) {
  const auto options =
      parse_options({"--seed", "18446744073709551615", "--runs", "3", "--steps", "20", "--mix",
                     "a.mix", "--skip", "2,4-6", "--no-shrink", "--trace", "--quiet", "--stats",
                     "--expect-violation", "everything drains", "--disk"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->seed, 18446744073709551615ULL);
  EXPECT_EQ(options->runs, 3);
  EXPECT_EQ(options->steps, 20);
  EXPECT_EQ(options->mix, "a.mix");
  EXPECT_EQ(options->skip, (std::set<int>{2, 4, 5, 6}));
  EXPECT_FALSE(options->shrink);
  EXPECT_TRUE(options->trace && options->quiet && options->stats);
  EXPECT_EQ(options->expected, "everything drains");
  EXPECT_TRUE(options->disk);
}

TEST(SimOptions, RefusesWhatItDoesNotKnow) {
  const std::vector<std::vector<std::string>> cases = {
      {"--speed"},     {"--seed"},        {"--seed", "-1"},       {"--seed", "1x"},
      {"--runs", "0"}, {"--steps", "-1"}, {"--skip", "5-3"},      {"--skip", "a"},
      {"--jobs", "0"}, {"--mix", ""},     {"--expect-violation"},
  };
  for (const auto& arguments : cases)
    EXPECT_FALSE(parse_options(arguments).ok()) << arguments.front();
}

TEST(SimOptions, SkipListsComeBackAsTheyWere) {
  EXPECT_EQ(format_skip({1, 2, 3, 7, 9, 10}), "1-3,7,9-10");
  EXPECT_EQ(format_skip(*parse_skip("1-3,7,9-10")), "1-3,7,9-10");
  EXPECT_EQ(format_skip({}), "");
}

}  // namespace
}  // namespace baton::sim
