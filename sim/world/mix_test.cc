#include "sim/world/mix.h"

#include <gtest/gtest.h>

namespace baton::sim {
namespace {

TEST(Mix, ReadsNamesAndValues) {
  const auto mix = parse_mix("# a comment\n\nanswer_lost 7   # and another\nwork_ack 1000\n");
  ASSERT_TRUE(mix.ok());
  EXPECT_EQ(mix->answer_lost, 7);
  EXPECT_EQ(mix->work_ack, 1000);
  EXPECT_EQ(mix->work_nack, Mix{}.work_nack);
}

TEST(Mix, NamesTheLineOfAFault) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"answer_lost 1\nnobody 3\n", "line 2: there is no setting called nobody"},
      {"answer_lost\n", "line 1: expected one value after answer_lost"},
      {"answer_lost 1 2\n", "line 1: expected one value after answer_lost"},
      {"\nanswer_lost 1001\n", "line 2: answer_lost must be a number from 0 to 1000"},
      {"answer_lost -1\n", "line 1: answer_lost must be a number from 0 to 1000"},
      {"answer_lost 1x\n", "line 1: answer_lost must be a number from 0 to 1000"},
      {"answer_lost 1\nanswer_lost 1\n", "line 2: answer_lost stands there twice"},
  };
  for (const auto& one : cases) {
    const auto mix = parse_mix(one.text);
    ASSERT_FALSE(mix.ok()) << one.text;
    EXPECT_EQ(mix.error().message, one.message);
  }
}

TEST(Mix, SaysWhichFileCannotBeRead) {
  const auto mix = read_mix("there/is/no.mix");
  ASSERT_FALSE(mix.ok());
  EXPECT_EQ(mix.error().message, "there/is/no.mix: cannot be read");
}

TEST(Mix, EveryFileOfTheFolderIsRight) {
  for (const bool disk : {false, true}) {
    const std::vector<std::string> files = mix_files(disk ? "sim/mixes/disk" : "sim/mixes");
    EXPECT_GE(files.size(), 8U);
    for (const std::string& file : files) {
      const auto mix = read_mix(file);
      ASSERT_TRUE(mix.ok()) << mix.error().message;
      EXPECT_EQ(mix->disk != 0, disk) << file;
    }
  }
}

}  // namespace
}  // namespace baton::sim
