#include "client/read_job.h"

#include <gtest/gtest.h>

#include "client/answers.h"

namespace baton::client {
namespace {

Job read_one(const std::string& text) { return read_bare_job(text).value(); }

// The server has null in both places when there are no bytes; null was once read as the payload.
TEST(ReadJob, TellsNoBytesFromNull) {
  const std::string none = R"("payload":null,"payload_base64":null)";
  EXPECT_EQ(read_one("{" + none + R"(,"content_type":"text/plain"})").spec.payload, "");
  EXPECT_EQ(read_one("{" + none + R"(,"content_type":"application/json"})").spec.payload, "null");
  EXPECT_EQ(read_one(R"({"payload":null,"payload_base64":"bnVsbA==","content_type":"text/plain"})")
                .spec.payload,
            "null");
  EXPECT_EQ(read_one(R"({"payload":{"a":1},"content_type":"application/json"})").spec.payload,
            R"({"a":1})");
  // Lists leave it out.
  EXPECT_EQ(read_one(R"({"content_type":"application/json"})").spec.payload, "");
}

// A result of null was once read as no bytes.
TEST(ReadJob, ReadsAResultOfNull) {
  const std::string none = R"({"result":null,"result_base64":null,"result_content_type":)";
  EXPECT_EQ(read_one(none + R"("application/json"})").result, (Outcome{.bytes = "null"}));
  EXPECT_EQ(read_one(none + R"("text/plain"})").result,
            (Outcome{.bytes = "", .content_type = "text/plain"}));
  EXPECT_EQ(read_one(none + "null}").result, std::nullopt);
}

}  // namespace
}  // namespace baton::client
