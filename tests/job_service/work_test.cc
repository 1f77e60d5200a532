// Claims and calls of workers, on every JobService.
#include <gtest/gtest.h>

#include "every_service.h"

namespace baton {
namespace {

class ServiceClaim : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceClaim);

class ServiceExchange : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceExchange);

class ServiceWork : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceWork);

TEST_P(ServiceClaim, IsRefusedAsTheStoreRefusesIt) {
  EXPECT_EQ(code_of(service().claim({.worker = "w"}).get()), "bad_request");
  EXPECT_EQ(code_of(service().claim({.queues = {"q"}}).get()), "bad_request");
  EXPECT_EQ(code_of(service().claim({.queues = {"q"}, .worker = "w", .lease = 1ms}).get()),
            "invalid_job");
}

TEST_P(ServiceClaim, BringsWhatTheDependenciesLeft) {
  const auto made =
      service()
          .submit_batch({.jobs = {{.type = "a"}, {.type = "b"}, {.type = "c"}}, .chain = true})
          .get();
  const Claimed first = claim();
  EXPECT_TRUE(first.dependency_results.empty());
  WorkCall ack = call_of(CallKind::kAck, first);
  std::get<AckCall>(ack.call).result = Outcome{std::string("\0\xff", 2), "image/png"};
  work(ack).value();
  const Claimed second = claim();
  EXPECT_EQ(
      second.dependency_results,
      (std::vector<DependencyResult>{{.job = made->at(0)->id,
                                      .state = "COMPLETED",
                                      .result = Outcome{std::string("\0\xff", 2), "image/png"}}}));
  ack = call_of(CallKind::kAck, second);
  std::get<AckCall>(ack.call).result = Outcome{std::string(20'000, '7'), "application/json"};
  work(ack).value();
  service().remove(made->at(0)->id).get().value();
  EXPECT_EQ(claim().dependency_results,
            (std::vector<DependencyResult>{
                {.job = made->at(1)->id, .state = "COMPLETED", .result_bytes = 20'000}}));
}

TEST_P(ServiceExchange, FinishesOneJobAndFetchesTheNext) {
  const auto made =
      service().submit_batch({.jobs = {{.type = "a"}, {.type = "b"}}, .chain = true}).get();
  const Claimed first = claim();
  auto exchange =
      service().exchange({.calls = {call_of(CallKind::kAck, first)}, .claim = claim_of()});
  const ExchangeAnswer answer = exchange.get().value();
  EXPECT_EQ(answer.results.at(0)->canonical_state, JobState::kCompleted);
  EXPECT_EQ(answer.results.at(0)->state, "COMPLETED");
  EXPECT_EQ(answer.results.at(0)->job, first.job.id);
  EXPECT_EQ(answer.executions.at(0).job.id, made->at(1)->id);
}

TEST_P(ServiceExchange, KeepsTheAnswersOfCallsWhenTheClaimIsRefused) {
  service().submit({.type = "t"}).get().value();
  auto exchange = service().exchange(
      {.calls = {call_of(CallKind::kAck, claim())}, .claim = ClaimRequest{.worker = "w"}});
  const ExchangeAnswer answer = exchange.get().value();
  EXPECT_EQ(code_of(answer.results.at(0)), "ok");
  EXPECT_EQ(answer.claim_error->code, Code::kBadRequest);
}

TEST_P(ServiceExchange, OfNothingGivesNothing) {
  const ExchangeAnswer answer = service().exchange({}).get().value();
  EXPECT_TRUE(answer.results.empty());
  EXPECT_TRUE(answer.executions.empty());
}

TEST_P(ServiceWork, AnswersEachCallInItsPlace) {
  service().submit({.type = "t"}).get().value();
  const Claimed claimed = claim();
  WorkCall no_execution = call_of(CallKind::kAck, claimed);
  no_execution.execution = execution_id(JobId{}, 1);
  WorkCall no_token = call_of(CallKind::kAck, claimed);
  no_token.token = {};
  WorkCall wrong_token = call_of(CallKind::kAck, claimed);
  wrong_token.token.bytes[3] ^= 1;
  const auto results =
      service()
          .work({no_execution, call_of(CallKind::kStart, claimed), no_token, wrong_token,
                 call_of(CallKind::kAck, claimed), call_of(CallKind::kAck, claimed)})
          .get()
          .value();
  ASSERT_EQ(results.size(), 6U);
  EXPECT_EQ(code_of(results[0]), "not_found");
  EXPECT_EQ(results[1]->status, ExecutionStatus::kInProgress);
  EXPECT_EQ(code_of(results[2]), "stale_lease");
  EXPECT_EQ(code_of(results[3]), "stale_lease");
  EXPECT_EQ(results[4]->status, ExecutionStatus::kDone);
  EXPECT_FALSE(results[4]->repeated);
  EXPECT_EQ(results[5]->status, ExecutionStatus::kDone);
  if (!over_http()) {
    EXPECT_TRUE(results[5]->repeated);
  }
}

TEST_P(ServiceWork, SpawnedJobsAreMadeAtTheCommit) {
  const JobId id = service().submit({.type = "parent"}).get()->id;
  const Claimed claimed = claim();
  WorkCall spawn = call_of(CallKind::kSpawn, claimed);
  std::get<SpawnCall>(spawn.call).jobs = {
      std::make_shared<const Submission>(Submission{.type = "staged"})};
  EXPECT_EQ(work(spawn)->staged, 1U);
  EXPECT_EQ(service().list().get()->jobs.size(), 1U);
  WorkCall ack = call_of(CallKind::kAck, claimed);
  std::get<AckCall>(ack.call).spawn = {
      std::make_shared<const Submission>(Submission{.type = "brought"})};
  work(ack).value();
  EXPECT_EQ(service().list({.type = "staged"}).get()->jobs.size(), 1U);
  const JobPage brought = service().list({.type = "brought"}).get().value();
  ASSERT_EQ(brought.jobs.size(), 1U);
  EXPECT_EQ(service().get(brought.jobs[0].id).get()->parent, id);
  if (!over_http()) {
    EXPECT_EQ(service().get(id).get()->children.size(), 2U);
  }
}

TEST_P(ServiceWork, AWorkerMayRejectAndConfirmACancel) {
  service().set_queue({.name = "g", .profile = "generation"}).get().value();
  const JobId bad = service().submit({.type = "t", .queue = "g", .account = "a"}).get()->id;
  WorkCall reject = call_of(CallKind::kReject, claim("g"));
  std::get<RejectCall>(reject.call).reason = "unsafe";
  EXPECT_EQ(work(reject)->state, "rejected");
  EXPECT_EQ(service().get(bad).get()->last_error->message, "unsafe");

  const JobId id = service().submit({.type = "t"}).get()->id;
  const Claimed claimed = claim();
  service().cancel({.id = id}).get().value();
  EXPECT_EQ(work(call_of(CallKind::kCancelled, claimed))->canonical_state, JobState::kCancelled);
}

TEST_P(ServiceClaim, WaitsForAJobToCome) {
  auto waiting = service().exchange({.claim = claim_of(60s)});
  const JobId id = service().submit({.type = "t"}).get()->id;
  EXPECT_EQ(waiting.get()->executions.at(0).job.id, id);
}

}  // namespace
}  // namespace baton
