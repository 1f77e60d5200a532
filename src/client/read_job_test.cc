#include "client/read_job.h"

#include <gtest/gtest.h>

#include "client/answers.h"

namespace baton::client {
namespace {

// The job with these members beside the ones that every job has.
Job read_one(const std::string& members) {
  return read_bare_job(R"({"id":"x","canonical_state":"RUNNING",)" + members + "}").value();
}

// Any program may answer; what names no job is not one.
TEST(ReadJob, RefusesWhatIsNoJob) {
  for (const char* text :
       {"{}", R"({"id":"x"})", R"({"canonical_state":"RUNNING"})",
        R"({"id":null,"canonical_state":"RUNNING"})", R"({"id":"x","canonical_state":null})"}) {
    const auto job = read_bare_job(text);
    ASSERT_FALSE(job) << text;
    EXPECT_EQ(job.error().code, Code::kStoreUnavailable);
    EXPECT_NE(job.error().message.find("is missing"), std::string::npos) << job.error().message;
  }
}

// The server has null in both places when there are no bytes; null was once read as the payload.
TEST(ReadJob, TellsNoBytesFromNull) {
  const std::string none = R"("payload":null,"payload_base64":null)";
  EXPECT_EQ(read_one(none + R"(,"content_type":"text/plain")").spec.payload, "");
  EXPECT_EQ(read_one(none + R"(,"content_type":"application/json")").spec.payload, "null");
  EXPECT_EQ(read_one(R"("payload":null,"payload_base64":"bnVsbA==","content_type":"text/plain")")
                .spec.payload,
            "null");
  EXPECT_EQ(read_one(R"("payload":{"a":1},"content_type":"application/json")").spec.payload,
            R"({"a":1})");
  // Lists leave it out.
  EXPECT_EQ(read_one(R"("content_type":"application/json")").spec.payload, "");
}

// A result of null was once read as no bytes.
TEST(ReadJob, ReadsAResultOfNull) {
  const std::string none = R"("result":null,"result_base64":null,"result_content_type":)";
  EXPECT_EQ(read_one(none + R"("application/json")").result, (Outcome{.bytes = "null"}));
  EXPECT_EQ(read_one(none + R"("text/plain")").result,
            (Outcome{.bytes = "", .content_type = "text/plain"}));
  EXPECT_EQ(read_one(none + "null").result, std::nullopt);
}

}  // namespace
}  // namespace baton::client
