// Queues, dead letters and closing, on every JobService.
#include <gtest/gtest.h>

#include "every_service.h"

namespace baton {
namespace {

class ServiceQueues : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceQueues);

TEST_P(ServiceQueues, AreListedByName) {
  EXPECT_TRUE(service().queues().get()->empty());
  service().set_queue({.name = "b", .max_running = 3}).get().value();
  service().submit({.type = "t", .queue = "a"}).get().value();
  const auto queues = service().queues().get().value();
  ASSERT_EQ(queues.size(), 2U);
  EXPECT_EQ(queues[0].name, "a");
  EXPECT_EQ(queues[0].count(JobState::kScheduled), 1);
  EXPECT_EQ(queues[1].name, "b");
  EXPECT_EQ(queues[1].settings.max_running, 3);
}

TEST_P(ServiceQueues, PauseHandsNothingOut) {
  service().submit({.type = "t"}).get().value();
  EXPECT_TRUE(service().pause("default").get()->settings.paused);
  EXPECT_TRUE(service().claim(claim_of()).get()->empty());
  EXPECT_FALSE(service().resume("default").get()->settings.paused);
  EXPECT_EQ(service().claim(claim_of()).get()->size(), 1U);
}

TEST_P(ServiceQueues, AnUnknownQueueIsNotMadeByPausingIt) {
  for (const auto verb : {&JobService::pause, &JobService::resume, &JobService::drain})
    EXPECT_EQ(code_of((service().*verb)("nobody").get()), "not_found");
  EXPECT_EQ(code_of(service().set_queue({.name = "nobody", .make = false}).get()), "not_found");
  EXPECT_EQ(code_of(service().get_queue("nobody").get()), "not_found");
}

TEST_P(ServiceQueues, DrainTakesNothingUntilItResumes) {
  service().set_queue({.name = "default"}).get().value();
  EXPECT_TRUE(service().drain("default").get()->settings.draining);
  EXPECT_EQ(code_of(service().submit({.type = "t"}).get()), "conflict");
  EXPECT_FALSE(service().resume("default").get()->settings.draining);
  EXPECT_EQ(code_of(service().submit({.type = "t"}).get()), "ok");
}

TEST_P(ServiceQueues, AnUpdateMayDrainAndSetAtOnce) {
  const Queue queue =
      service().set_queue({.name = "q", .max_running = 2, .draining = true}).get().value();
  EXPECT_TRUE(queue.settings.draining);
  EXPECT_EQ(queue.settings.max_running, 2);
}

TEST_P(ServiceQueues, OneWithoutRecordsIsDeleted) {
  const JobId id = service().submit({.type = "t", .queue = "q"}).get()->id;
  service().cancel({.id = id}).get().value();
  const auto refused = service().remove_queue("q").get();
  EXPECT_EQ(code_of(refused), "conflict");
  EXPECT_NE(refused.error().message.find("1 job record"), std::string::npos);
  service().remove(id).get().value();
  EXPECT_EQ(code_of(service().remove_queue("q").get()), "ok");
  EXPECT_EQ(code_of(service().get_queue("q").get()), "not_found");
  EXPECT_EQ(code_of(service().remove_queue("q").get()), "not_found");
}

class ServiceDeadLetters : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceDeadLetters);

TEST_P(ServiceDeadLetters, AreTheJobsThatNoAttemptCouldFinish) {
  const JobId id = service().submit({.type = "t", .retry = {.max_attempts = 1}}).get()->id;
  WorkCall nack = call_of(CallKind::kNack, claim());
  std::get<NackCall>(nack.call).failure = {.message = "no"};
  work(nack).value();
  service().submit({.type = "t"}).get().value();
  const JobPage page = service().dead_letters().get().value();
  ASSERT_EQ(page.jobs.size(), 1U);
  EXPECT_EQ(page.jobs[0].id, id);
  EXPECT_TRUE(service().dead_letters({.queue = "other"}).get()->jobs.empty());
}

TEST_P(ServiceDeadLetters, HaveOnlyOneState) {
  const auto refused = service().dead_letters({.canonical_state = JobState::kFailed}).get();
  EXPECT_EQ(code_of(refused), "bad_request");
  EXPECT_EQ(refused.error().field, "state");
}

class ServiceCloses : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceCloses);

TEST_P(ServiceCloses, WhatWaitsIsRefused) {
  const JobId id = service().submit({.type = "t", .delay = 1h}).get()->id;
  auto wait = service().wait(id, 1h);
  auto claim = service().claim(claim_of(60s));
  close();
  EXPECT_EQ(code_of(wait.get()), "shutting_down");
  EXPECT_EQ(code_of(claim.get()), "shutting_down");
}

TEST_P(ServiceCloses, WhatIsUnderWayIsAnswered) {
  auto made = service().submit({.type = "t"});
  close();
  EXPECT_NE(code_of(made.get()), "");
}

}  // namespace
}  // namespace baton
