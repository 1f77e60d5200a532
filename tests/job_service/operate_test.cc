// Operating on jobs and accounts and waiting for ends, on every JobService.
#include <gtest/gtest.h>

#include "every_service.h"

namespace baton {
namespace {

class ServiceOperates : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceOperates);

class ServiceAccounts : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceAccounts);

class ServiceWait : public JobServiceTest {};
BATON_ON_EVERY_SERVICE(ServiceWait);

TEST_P(ServiceOperates, CancelEndsAWaitingJob) {
  const JobId id = service().submit({.type = "t"}).get()->id;
  const Job job = service().cancel({.id = id, .reason = "not needed"}).get().value();
  EXPECT_EQ(job.id, id);
  EXPECT_EQ(job.canonical_state, JobState::kCancelled);
  EXPECT_EQ(job.last_error->message, "not needed");
}

TEST_P(ServiceOperates, CancelOfARunningJobWaitsForTheWorkerUnlessForced) {
  const JobId id = service().submit({.type = "t"}).get()->id;
  const Claimed claimed = claim();
  EXPECT_TRUE(service().cancel({.id = id}).get()->cancel_requested);
  const auto beat = work(call_of(CallKind::kHeartbeat, claimed));
  EXPECT_TRUE(beat->cancel_requested);
  if (!over_http()) {
    EXPECT_EQ(beat->canonical_state, JobState::kRunning);
  }
  EXPECT_EQ(service().cancel({.id = id, .force = true}).get()->canonical_state,
            JobState::kCancelled);
}

TEST_P(ServiceOperates, RejectEndsAJobOfAProfileThatModerates) {
  service().set_queue({.name = "g", .profile = "generation"}).get().value();
  const JobId id = service().submit({.type = "t", .queue = "g", .account = "a"}).get()->id;
  const Job job = service().reject({.id = id, .reason = "unsafe"}).get().value();
  EXPECT_EQ(job.state, "rejected");
  EXPECT_EQ(job.last_error->message, "unsafe");
}

TEST_P(ServiceOperates, ADraftWaitsUntilItIsSubmitted) {
  service().set_queue({.name = "d", .profile = "document"}).get().value();
  const Submitted made = service().submit({.type = "t", .queue = "d", .draft = true}).get().value();
  EXPECT_EQ(made.canonical_state, JobState::kCreated);
  EXPECT_TRUE(service().get(made.id).get()->spec->draft);
  EXPECT_EQ(service().submit_draft(made.id).get()->state, "QUEUED");
  EXPECT_EQ(code_of(service().submit_draft(made.id).get()), "invalid_transition");
}

TEST_P(ServiceOperates, PatchChangesOnlyWhatItNames) {
  const JobId id =
      service().submit({.type = "t", .tags = {{"a", "1"}}, .correlation_id = "c"}).get()->id;
  const Job first = service().patch({.id = id, .priority = Priority::kBulk}).get().value();
  EXPECT_EQ(first.priority, Priority::kBulk);
  EXPECT_EQ(first.tags, (Tags{{"a", "1"}}));
  const Job second = service()
                         .patch({.id = id,
                                 .tags = Tags{{"b", "2"}},
                                 .correlation_id = "d",
                                 .callback_url = "https://example.org",
                                 .version = first.version})
                         .get()
                         .value();
  EXPECT_EQ(second.priority, Priority::kBulk);
  EXPECT_EQ(second.tags, (Tags{{"b", "2"}}));
  EXPECT_EQ(second.correlation_id, "d");
  EXPECT_EQ(second.callback_url, "https://example.org");
  EXPECT_EQ(code_of(service().patch({.id = id, .version = first.version}).get()), "conflict");
}

TEST_P(ServiceOperates, RedriveAnswersWithTheNewJob) {
  const JobId id = service().submit({.type = "t", .payload = "[1]"}).get()->id;
  EXPECT_EQ(code_of(service().redrive({id}).get()), "invalid_transition");
  service().cancel({.id = id}).get().value();
  const Job copy = service().redrive({id}).get().value();
  EXPECT_NE(copy.id, id);
  EXPECT_EQ(copy.redriven_from, id);
  EXPECT_EQ(copy.spec->payload, "[1]");
}

TEST_P(ServiceOperates, RemoveDeletesAnEndedJob) {
  const JobId id = service().submit({.type = "t"}).get()->id;
  EXPECT_EQ(code_of(service().remove(id).get()), "invalid_transition");
  service().cancel({.id = id}).get().value();
  EXPECT_EQ(code_of(service().remove(id).get()), "ok");
  EXPECT_EQ(code_of(service().get(id).get()), "not_found");
}

TEST_P(ServiceAccounts, KeepALedger) {
  service().set_queue({.name = "default", .profile = "generation"}).get().value();
  const GrantCredits grant{
      .account = "a", .amount = 10, .tier = Tier::kPro, .idempotency_key = "k"};
  service().grant(grant).get().value();
  service().grant(grant).get().value();
  const JobId id = service().submit({.type = "t", .account = "a", .cost = 3}).get()->id;
  const Account account = service().get_account("a").get().value();
  EXPECT_EQ(account.id, "a");
  EXPECT_EQ(account.tier, Tier::kPro);
  EXPECT_EQ(account.balance,
            (Balance{.granted = 10, .available = 7, .reserved = 3, .captured = 0}));
  EXPECT_EQ(account.active_jobs, 1);
  complete();
  EXPECT_EQ(service().get_account("a").get()->balance.captured, 3);
  const auto entries = service().entries("a").get().value();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].seq, 1);
  EXPECT_EQ(entries[0].kind, PostingKind::kGrant);
  EXPECT_EQ(entries[0].amount, 10);
  EXPECT_TRUE(entries[0].job.is_nil());
  EXPECT_EQ(entries[1].kind, PostingKind::kReserve);
  EXPECT_EQ(entries[1].job, id);
  EXPECT_EQ(entries[1].after, account.balance);
  EXPECT_EQ(entries[2].kind, PostingKind::kCapture);
  EXPECT_EQ(service().get_account("nobody").get()->tier, Tier::kGuest);
}

TEST_P(ServiceWait, AnswersAtOnceForAnEndedJob) {
  const JobId id = service().submit({.type = "t"}).get()->id;
  complete("[1]");
  const auto [job, timed_out] = service().wait(id, 1h).get().value();
  EXPECT_FALSE(timed_out);
  EXPECT_EQ(job.canonical_state, JobState::kCompleted);
  EXPECT_EQ(job.result->bytes, "[1]");
}

TEST_P(ServiceWait, AnswersWhenAWorkerEndsTheJob) {
  const JobId id = service().submit({.type = "t"}).get()->id;
  auto waiting = service().wait(id, 1h);
  complete();
  EXPECT_EQ(waiting.get()->job.canonical_state, JobState::kCompleted);
}

TEST_P(ServiceWait, SaysThatTheTimeIsOver) {
  const JobId id = service().submit({.type = "t"}).get()->id;
  const Waited waited = service().wait(id, 1ms).get().value();
  EXPECT_TRUE(waited.timed_out);
  EXPECT_EQ(waited.job.canonical_state, JobState::kScheduled);
}

}  // namespace
}  // namespace baton
