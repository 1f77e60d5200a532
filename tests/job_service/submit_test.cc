// Submitting and reading, on every JobService.
#include <gtest/gtest.h>

#include "every_service.h"

namespace baton {
namespace {

class ServiceSubmit : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceSubmit);

class ServiceReads : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceReads);

TEST_P(ServiceSubmit, MakesAJobThatCanBeClaimed) {
  const Submitted made = service().submit({.type = "mail", .payload = "{\"to\":1}"}).get().value();
  EXPECT_EQ(made.canonical_state, JobState::kScheduled);
  EXPECT_FALSE(made.duplicate);
  const Claimed claimed = claim();
  EXPECT_EQ(claimed.job.id, made.id);
  EXPECT_EQ(claimed.job.spec->payload, "{\"to\":1}");
}

TEST_P(ServiceSubmit, FindsTheJobOfAnEarlierKey) {
  const Submission job{.type = "t", .idempotency_key = "k"};
  const JobId id = service().submit(job).get()->id;
  const Submitted again = service().submit(job).get().value();
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.id, id);
}

TEST_P(ServiceSubmit, RefusesWithTheFieldOfTheJob) {
  const auto refused = service().submit({.type = "t", .cost = -1}).get();
  EXPECT_EQ(code_of(refused), "invalid_job");
  EXPECT_EQ(refused.error().field, "cost");
}

TEST_P(ServiceSubmit, RefusesAnAtomicBatchWithTheIndexOfTheFirstBadJob) {
  const auto refused =
      service()
          .submit_batch(
              {.jobs = {{.type = "a"}, {.type = "b", .cost = -1}, {.type = "c", .cost = -1}}})
          .get();
  EXPECT_EQ(code_of(refused), "invalid_job");
  EXPECT_EQ(refused.error().field, "jobs[1].cost");
  EXPECT_TRUE(service().list().get()->jobs.empty());
}

TEST_P(ServiceSubmit, MakesWhatItCanOfABatchThatIsNotAtomic) {
  const auto made =
      service()
          .submit_batch({.jobs = {{.type = "a", .cost = -1}, {.type = "b"}}, .atomic = false})
          .get()
          .value();
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(code_of(made[0]), "invalid_job");
  EXPECT_EQ(made[0].error().field, "cost");
  EXPECT_EQ(service().list().get()->jobs.at(0).id, made[1]->id);
}

TEST_P(ServiceSubmit, RefusesAnEmptyBatch) {
  EXPECT_EQ(code_of(service().submit_batch({}).get()), "bad_request");
}

TEST_P(ServiceSubmit, OneJobAtATimeHasAUniqueKey) {
  const Submission job{.type = "t", .payload = "[1]", .unique = Unique{.key = "u"}};
  const Submitted first = service().submit(job).get().value();
  EXPECT_EQ(first.payload_differs, std::nullopt);
  EXPECT_EQ(service().get(first.id).get()->spec->unique, job.unique);
  Submission other = job;
  other.payload = "[2]";
  const Submitted again = service().submit(other).get().value();
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.payload_differs, std::optional(true));
  other.unique->on_conflict = OnConflict::kRefuse;
  EXPECT_EQ(code_of(service().submit(other).get()), "conflict");
  other.unique->on_conflict = OnConflict::kReplace;
  const Submitted last = service().submit(other).get().value();
  EXPECT_FALSE(last.duplicate);
  EXPECT_EQ(service().get(first.id).get()->canonical_state, JobState::kCancelled);
}

TEST_P(ServiceSubmit, MakesAChain) {
  const auto made =
      service().submit_batch({.jobs = {{.type = "a"}, {.type = "b"}}, .chain = true}).get();
  EXPECT_EQ(made->at(1)->canonical_state, JobState::kPending);
  complete();
  EXPECT_EQ(service().get(made->at(1)->id).get()->canonical_state, JobState::kScheduled);
}

TEST_P(ServiceReads, RefuseAnIdThatNamesNothing) {
  for (const JobId& id : {kNobody, JobId{}}) {
    EXPECT_EQ(code_of(service().get(id).get()), "not_found");
    EXPECT_EQ(code_of(service().wait(id, 1s).get()), "not_found");
    EXPECT_EQ(code_of(service().history(id).get()), "not_found");
    EXPECT_EQ(code_of(service().executions(id).get()), "not_found");
    EXPECT_EQ(code_of(service().explain(id).get()), "not_found");
    EXPECT_EQ(code_of(service().cancel({.id = id}).get()), "not_found");
    EXPECT_EQ(code_of(service().reject({.id = id}).get()), "not_found");
    EXPECT_EQ(code_of(service().submit_draft(id).get()), "not_found");
    EXPECT_EQ(code_of(service().patch({.id = id}).get()), "not_found");
    EXPECT_EQ(code_of(service().redrive({id}).get()), "not_found");
    EXPECT_EQ(code_of(service().remove(id).get()), "not_found");
  }
}

TEST_P(ServiceReads, ListPagesNewestFirst) {
  std::vector<JobId> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(service().submit({.type = "t"}).get()->id);
  JobFilter filter{.limit = 2};
  std::vector<JobId> listed;
  for (int pages = 0; pages < 3; ++pages) {
    const JobPage page = service().list(filter).get().value();
    for (const Job& job : page.jobs)
      listed.push_back(job.id);
    filter.cursor = page.next_cursor;
  }
  EXPECT_EQ(filter.cursor, "");
  std::reverse(ids.begin(), ids.end());
  EXPECT_EQ(listed, ids);
}

TEST_P(ServiceReads, ListLeavesPayloadsAndCheckpointsOut) {
  const JobId id = service().submit({.type = "t", .payload = "[1]"}).get()->id;
  WorkCall beat = call_of(CallKind::kHeartbeat, claim());
  std::get<HeartbeatCall>(beat.call).checkpoint = "page 4";
  work(beat).value();
  const Job listed = service().list().get()->jobs.at(0);
  EXPECT_EQ(listed.id, id);
  EXPECT_EQ(listed.spec->type, "t");
  EXPECT_EQ(listed.spec->payload, "");
  EXPECT_EQ(listed.checkpoint, "");
  EXPECT_EQ(service().get(id).get()->spec->payload, "[1]");
}

TEST_P(ServiceReads, ExplainSaysWhatAJobWaitsFor) {
  const JobId first = service().submit({.type = "t", .delay = 1h}).get()->id;
  const JobId second =
      service().submit({.type = "t", .depends_on = {{.jobs = {to_string(first)}}}}).get()->id;
  const Explanation waits = service().explain(second).get().value();
  EXPECT_EQ(waits.id, second);
  EXPECT_EQ(waits.state, "PENDING");
  EXPECT_EQ(waits.canonical_state, JobState::kPending);
  EXPECT_EQ(waits.code, "waits_for_dependencies");
  EXPECT_FALSE(waits.sentence.empty());
  EXPECT_FALSE(waits.until.is_set());
  EXPECT_EQ(waits.waits_for, std::vector<JobId>{first});
  const Explanation delayed = service().explain(first).get().value();
  EXPECT_EQ(delayed.until, service().get(first).get()->run_at);
}

TEST_P(ServiceReads, StatsCountJobsByQueueAndState) {
  service().submit({.type = "t", .queue = "b"}).get().value();
  service().submit({.type = "t", .queue = "a", .delay = 1h}).get().value();
  const Stats stats = service().stats().get().value();
  EXPECT_EQ(stats.live_jobs, 2);
  ASSERT_EQ(stats.queues.size(), 2U);
  EXPECT_EQ(stats.queues[0].name, "a");
  EXPECT_EQ(stats.queues[0].count(JobState::kDelayed), 1);
  EXPECT_EQ(stats.queues[1].count(JobState::kScheduled), 1);
  EXPECT_EQ(service().get_queue("b").get()->count(JobState::kScheduled), 1);
  EXPECT_EQ(code_of(service().get_queue("c").get()), "not_found");
}

}  // namespace
}  // namespace baton
