#include "api/decode.h"

#include <gtest/gtest.h>

namespace baton::api {
namespace {

// A filter of nulls once meant every job there is.
TEST(DecodeBulk, RefusesAFilterThatLetsEveryJobPass) {
  for (const char* filter : {"{}", R"({"type":null})", R"({"queue":null,"created_after":null})"}) {
    const auto body = decode_bulk(R"({"action":"delete","filter":)" + std::string(filter) + "}");
    ASSERT_FALSE(body) << filter;
    EXPECT_EQ(body.error().field, "filter") << filter;
  }
  const auto body =
      decode_bulk(R"({"action":"delete","filter":{"type":"t","tag":"a:b"},"dry_run":false})");
  ASSERT_TRUE(body);
  EXPECT_EQ(body->action, BulkAction::kDelete);
  EXPECT_EQ(body->filter.type, "t");
  EXPECT_EQ(body->filter.tag, (std::pair<std::string, std::string>("a", "b")));
  EXPECT_FALSE(body->dry_run);
}

TEST(DecodeBulk, SaysWhatIsWrong) {
  EXPECT_EQ(decode_bulk("{}").error().message, "action is required");
  EXPECT_EQ(decode_bulk(R"({"action":"burn"})").error().message,
            "action must be one of cancel, retry, delete");
  EXPECT_EQ(decode_bulk(R"({"action":"cancel","filter":{"tag":"a"}})").error().message,
            "filter.tag must be key:value");
  EXPECT_EQ(decode_bulk(R"({"action":"cancel","filter":{"type":"t"},"cursor":"x"})").error().field,
            "cursor");
}

TEST(DecodeQueue, RefusesAProfileThatThereIsNot) {
  const auto update = decode_queue(R"({"profile":"nonsense"})", "q");
  ASSERT_FALSE(update);
  EXPECT_EQ(update.error().field, "profile");
  EXPECT_TRUE(update.error().message.starts_with("profile must be one of standard, "));
  EXPECT_TRUE(decode_queue(R"({"profile":"standard"})", "q"));
}

TEST(DecodeSubmission, HasNoNameAmongOthersWhenItIsAlone) {
  EXPECT_EQ(decode_submission(R"({"type":"t","ref":"r"})").error().message,
            "ref is for batches only");
  EXPECT_TRUE(decode_batch(R"({"jobs":[{"type":"t","ref":"r"}]})"));
}

}  // namespace
}  // namespace baton::api
