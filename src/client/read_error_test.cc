#include "client/read_error.h"

#include <gtest/gtest.h>

namespace baton::client {
namespace {

Error read_problem(const std::string& problem) {
  HttpAnswer response;
  response.status = 429;
  response.content_type = "application/problem+json";
  response.body = problem;
  return error_in(response);
}

// A wait that lies in the past, or that would overflow when a time is added, once got through.
TEST(ReadError, BelievesOnlyAWaitThatCanBeWaited) {
  EXPECT_EQ(read_problem(R"({"retry_after_ms":1500})").retry_after, Duration(1500));
  EXPECT_EQ(read_problem(R"({"retry_after_ms":-1})").retry_after, Duration(0));
  EXPECT_EQ(read_problem(R"({"retry_after_ms":-9223372036854775808})").retry_after, Duration(0));
  EXPECT_EQ(read_problem(R"({"retry_after_ms":9223372036854775807})").retry_after,
            Duration(1'000'000'000'000));
}

}  // namespace
}  // namespace baton::client
