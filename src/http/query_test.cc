#include "http/query.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::http {
namespace {

std::string text(const Result<std::vector<Parameter>>& parsed) {
  if (!parsed) return "refused " + parsed.error().field;
  std::string out;
  for (const Parameter& parameter : *parsed)
    out += "[" + parameter.name + "=" + parameter.value + "]";
  return out;
}

TEST(Query, ReadsParametersInOrder) {
  EXPECT_EQ(text(parse_query("")), "");
  EXPECT_EQ(text(parse_query("a=1&b=x+y&a=2")), "[a=1][b=x y][a=2]");
  EXPECT_EQ(text(parse_query("&a&&b=&c==%3d&")), "[a=][b=][c===]");
  EXPECT_EQ(text(parse_query("tag=k%3Av%26w&%61=%e2%82%AC")), "[tag=k:v&w][a=\u20ac]");
}

TEST(Query, RefusesWhatIsNotWellFormedAndNamesTheParameter) {
  for (const char* bad : {"a=%", "a=%4", "a=%4g", "a=%g4", "a=%-1", "a=%00", "a=%0a", "a=%7F",
                          "a=%ff", "a=%c3", "a=%c0%80", "a=%e0%80%80", "a=%ed%a0%80",
                          "a=%f0%80%80%80", "a=%f4%90%80%80", "a=%f5%80%80%80", "a=%80"})
    EXPECT_EQ(text(parse_query(std::string("x=1&") + bad)), "refused a") << bad;
  EXPECT_EQ(text(parse_query("=1")), "refused ");
  EXPECT_EQ(text(parse_query("%=1")), "refused ");
}

TEST(Query, SplitsPathsBeforeItDecodesThem) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split_path("/").value(), (Parts{""}));
  EXPECT_EQ(split_path("/v1/jobs").value(), (Parts{"v1", "jobs"}));
  EXPECT_EQ(split_path("/v1/a%2Fb/").value(), (Parts{"v1", "a/b", ""}));
  EXPECT_EQ(split_path("//a").value(), (Parts{"", "a"}));
  EXPECT_EQ(split_path("/a+b%20c%2B").value(), (Parts{"a+b c+"}));
  for (const char* bad : {"", "a", "*", "/%", "/%00"})
    EXPECT_FALSE(split_path(bad)) << bad;
}

}  // namespace
}  // namespace baton::http
