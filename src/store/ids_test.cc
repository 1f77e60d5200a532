#include "store/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "lifecycle/limits.h"

namespace baton::store {
namespace {

TEST(Ids, AnExecutionNamesItsJobAndItsAttempt) {
  base::Random random(1);
  const JobId job = make_job_id(random);
  const ExecutionId execution = execution_id(job, 7);
  EXPECT_EQ(execution.job(), job);
  EXPECT_EQ(execution.attempt(), 7);
  EXPECT_EQ(parse_job_id(to_string(job)), job);
  EXPECT_EQ(parse_execution_id(to_string(execution)), execution);
}

TEST(Ids, OneIsNotTakenForTheOther) {
  base::Random random(1);
  const JobId job = make_job_id(random);
  EXPECT_FALSE(parse_execution_id(to_string(job)));
  EXPECT_FALSE(parse_job_id(to_string(execution_id(job, 1))));
  JobId beyond = job;
  beyond.uuid.bytes.back() = kMaxExecutions + 1;  // no job has so many
  EXPECT_FALSE(parse_execution_id(to_string(beyond.uuid)));
  EXPECT_FALSE(parse_job_id(""));
  EXPECT_FALSE(parse_job_id("no id"));
}

TEST(LeaseTokenText, IsHexadecimalInLowerCase) {
  LeaseToken token;
  token.bytes = {0x00, 0x01, 0x9a, 0xff, 0x10};
  EXPECT_EQ(to_string(token), "00019aff100000000000000000000000");
  EXPECT_EQ(parse_lease_token("00019aff100000000000000000000000"), token);
}

TEST(LeaseTokenText, NothingElseIsAToken) {
  const std::string good(32, 'a');
  ASSERT_TRUE(parse_lease_token(good));
  for (const std::string& bad :
       {std::string(), std::string(31, 'a'), std::string(33, 'a'), std::string(32, 'A'),
        std::string(32, 'g'), std::string(32, '\0'), std::string(31, 'a') + " "}) {
    EXPECT_FALSE(parse_lease_token(bad)) << bad;
  }
}

RC_GTEST_PROP(LeaseTokenText, ReadsWhatItWrote, ()) {
  LeaseToken token;
  token.bytes = *rc::gen::arbitrary<std::array<std::uint8_t, 16>>();
  RC_ASSERT(parse_lease_token(to_string(token)) == token);
}

}  // namespace
}  // namespace baton::store
