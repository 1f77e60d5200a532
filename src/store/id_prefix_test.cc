#include "store/id_prefix.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::store {
namespace {

const std::string kId = "0f9c2a41-7bd3-4e5f-8a01-c2d3e4f50600";

TEST(IdPrefix, MatchesTheIdsThatBeginSo) {
  const JobId id = parse_job_id(kId).value();
  for (std::size_t length = 8; length <= kId.size(); ++length) {
    const auto prefix = IdPrefix::parse(kId.substr(0, length));
    ASSERT_TRUE(prefix.ok()) << length;
    EXPECT_TRUE(prefix->matches(id)) << length;
    std::string other = kId;
    const std::size_t last = kId[length - 1] == '-' ? length - 2 : length - 1;
    other[last] = other[last] == '0' ? '1' : '0';
    // The last two digits are where executions have their attempt.
    if (last >= 34) continue;
    EXPECT_FALSE(prefix->matches(parse_job_id(other).value())) << other << " " << length;
  }
  EXPECT_TRUE(IdPrefix::parse("0F9C2A41-7BD3")->matches(id)) << "in either case";
}

TEST(IdPrefix, WhatIsNoBeginningOfAnIdIsRefused) {
  for (const std::string& text :
       {std::string(), kId.substr(0, 7), kId + "0", std::string("0f9c2a417"),
        std::string("0f9c2a4-"), std::string("0f9c2a4g"), std::string("0f9c2a41-7bd34"),
        std::string("0f9c2a4%"), std::string("0f9c2a41 ")}) {
    const auto prefix = IdPrefix::parse(text);
    ASSERT_FALSE(prefix.ok()) << text;
    EXPECT_EQ(prefix.error().code, Code::kBadRequest);
    EXPECT_EQ(prefix.error().field, "id_prefix");
  }
}

}  // namespace
}  // namespace baton::store
