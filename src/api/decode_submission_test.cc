#include <gtest/gtest.h>

#include <string>

#include "api/decode.h"

namespace baton::api {
namespace {

// Both were kept once: the job then showed the name twice, and its readers differed about the
// value.
TEST(DecodeTags, RefusesANameThatIsGivenTwice) {
  const auto job = decode_submission(R"({"type":"t","tags":{"a":"1","b":"2","a":"3"}})");
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, Code::kBadRequest);
  EXPECT_EQ(job.error().field, "tags.a");
  EXPECT_FALSE(decode_patch(R"({"tags":{"a":"1","\u0061":"1"}})", {}));
  EXPECT_TRUE(decode_submission(R"({"type":"t","tags":{"a":"1","b":"1"}})"));
}

// How many there may be is for the store to say, and looking for two alike takes no longer then.
TEST(DecodeTags, ReadsAnyNumber) {
  std::string tags;
  for (int i = 0; i < 100'000; ++i)
    tags += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
  const auto job = decode_submission(R"({"type":"t","tags":{)" + tags + "}}");
  ASSERT_TRUE(job);
  EXPECT_EQ((*job)->tags.size(), 100'000U);
}

}  // namespace
}  // namespace baton::api
