#include <gtest/gtest.h>

#include "api/decode.h"

namespace baton::api {
namespace {

// A filter of nulls once meant every job there is.
TEST(DecodeBulk, RefusesAFilterThatLetsEveryJobPass) {
  for (const char* filter : {"{}", R"({"type":null})", R"({"queue":null,"created_after":null})"}) {
    const auto body = decode_bulk(R"({"action":"delete","filter":)" + std::string(filter) + "}");
    ASSERT_FALSE(body) << filter;
    EXPECT_EQ(body.error().field, "filter") << filter;
  }
  EXPECT_TRUE(decode_bulk(R"({"action":"delete","filter":{"type":"t"}})"));
}

TEST(DecodeQueue, TakesARateAwayOnlyByNull) {
  for (const char* rate : {"{}", R"({"burst":2})", R"({"per_second":0,"burst":2})"}) {
    const auto update = decode_queue(R"({"rate":)" + std::string(rate) + "}", "q");
    ASSERT_FALSE(update) << rate;
    EXPECT_EQ(update.error().field, "rate.per_second") << rate;
  }
  const auto none = decode_queue(R"({"rate":null})", "q");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->rate->per_second, 0);
}

}  // namespace
}  // namespace baton::api
