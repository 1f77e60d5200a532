#include "store/local/machine/machine.h"

#include <gtest/gtest.h>

#include "store/local/durable/watched_archive.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

constexpr Time kNow{1'700'000'000'000};

// The turn will not be kept; all that is asked of the machine is to come to its end.
class MachineWithUnreadableRows : public testing::Test {
 protected:
  Turn turn(std::vector<Command> commands) {
    Turn turn = machine_.turn(commands, kNow, random_);
    rows_.apply(turn.changes);
    return turn;
  }
  JobId submit(const std::vector<std::string>& after) {
    auto job = std::make_shared<Submission>();
    job->type = "mail";
    if (!after.empty()) job->depends_on.push_back({DependencyType::kAfter, after, false});
    SubmitBatch batch;
    batch.jobs = {std::move(job)};
    const Turn made = turn({std::move(batch)});
    return std::get<SubmitAnswer>(made.answers.front()).results.front()->id;
  }

  Rows rows_;
  testbed::WatchedArchive archive_{rows_};
  base::Random random_{1};
  Machine machine_{archive_};
};

TEST_F(MachineWithUnreadableRows, ExplainsAWaitingJobWithoutItsRow) {
  const JobId first = submit({});
  const JobId waiting = submit({to_string(first)});
  archive_.fails = Code::kStoreUnavailable;
  const Turn turn = machine_.turn({ExplainJob{waiting}}, kNow, random_);
  EXPECT_EQ(std::get<Explanation>(turn.answers.front()).waits_for, std::vector<JobId>{first});
}

TEST_F(MachineWithUnreadableRows, DoesNotAnswerWithAnEndedJobThatHoldsTheKey) {
  auto job = std::make_shared<Submission>();
  job->type = "mail";
  job->idempotency_key = "k";
  SubmitBatch batch;
  batch.jobs = {job};
  const Turn made = turn({batch});
  ClaimRequest claim;
  claim.queues = {"default"};
  claim.worker = "w";
  const Turn claimed = turn({claim});
  WorkCall ack;
  ack.call = AckCall{};
  ack.execution = std::get<ClaimAnswer>(claimed.answers.front()).executions.at(0).execution;
  ack.token = std::get<ClaimAnswer>(claimed.answers.front()).executions.at(0).facts.execution.token;
  turn({ack});
  archive_.fails = Code::kStoreUnavailable;
  const Turn again = machine_.turn({batch}, kNow, random_);
  const auto& refused = std::get<SubmitAnswer>(again.answers.front()).refused;
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->error.code, Code::kStoreUnavailable);
}

TEST_F(MachineWithUnreadableRows, MakesNoCopyOfAJobThatItOnlyKnowsByItsLastChange) {
  const JobId job = submit({});
  archive_.fails = Code::kStoreUnavailable;
  const Turn turn = machine_.turn({CancelJob{job, false, {}}, RedriveJob{job}}, kNow, random_);
  EXPECT_TRUE(std::holds_alternative<JobAnswer>(turn.answers[0]));
  EXPECT_TRUE(std::holds_alternative<Error>(turn.answers[1]));
}

}  // namespace
}  // namespace baton::store::local
