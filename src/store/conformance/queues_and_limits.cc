// Queues: their settings, pausing and draining; and the limits on what waits and what runs.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

std::int64_t count_in(const Queue& queue, JobState state) {
  return queue.counts.at(static_cast<std::size_t>(state));
}

// ---- Settings ---------------------------------------------------------------------------------

TEST_P(Queues, AnUpdateMakesTheQueue) {
  EXPECT_EQ(code_of(get_queue("q")), "not_found");
  const auto made = set_queue(update_of("q"));
  ASSERT_EQ(code_of(made), "ok");
  EXPECT_EQ(made->name, "q");
  EXPECT_TRUE(made->settings == QueueSettings{}) << "everything by default";
  EXPECT_EQ(code_of(get_queue("q")), "ok");
}

TEST_P(Queues, SettingsMerge) {
  QueueUpdate first = update_of("q");
  first.retry.emplace().max_attempts = 5;
  first.timeouts.emplace().lease = seconds(20);
  first.max_pending = 100;
  first.timeout_is = FailureIs::kTerminal;
  ASSERT_EQ(code_of(set_queue(first)), "ok");
  QueueUpdate second = update_of("q");
  second.retry.emplace().initial = seconds(9);
  second.timeouts.emplace().lifetime = hours(5);
  second.keep_completed = days(1);
  ASSERT_EQ(code_of(set_queue(second)), "ok");
  const auto queue = get_queue("q");
  ASSERT_EQ(code_of(queue), "ok");
  EXPECT_EQ(queue->settings.retry.max_attempts, 5);
  EXPECT_EQ(queue->settings.retry.initial, seconds(9));
  EXPECT_EQ(queue->settings.timeouts.lease, seconds(20));
  EXPECT_EQ(queue->settings.timeouts.lifetime, hours(5));
  EXPECT_EQ(queue->settings.max_pending, 100);
  EXPECT_EQ(queue->settings.timeout_is, FailureIs::kTerminal);
  EXPECT_EQ(queue->settings.keep_completed, days(1));
  EXPECT_EQ(queue->settings.keep_failed, days(90)) << "untouched";
}

TEST_P(Queues, AnEmptyUpdateChangesNothing) {
  QueueUpdate update = update_of("q");
  update.max_running = 3;
  const auto before = set_queue(update);
  const auto after = set_queue(update_of("q"));
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_TRUE(before->settings == after->settings);
}

TEST_P(Queues, LimitsAreTakenAwayAgain) {
  QueueUpdate update = update_of("q");
  update.max_pending = 1;
  update.max_running = 1;
  update.rate = RateLimit{1, 1};
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  update.max_pending = -1;
  update.max_running = -1;
  update.rate = RateLimit{0, 1};
  const auto queue = set_queue(update);
  ASSERT_EQ(code_of(queue), "ok");
  EXPECT_FALSE(queue->settings.max_pending);
  EXPECT_FALSE(queue->settings.max_running);
  EXPECT_FALSE(queue->settings.rate);
  make_all(times(5, Spec().queue("q")));
  EXPECT_EQ(claim({.queues = {"q"}, .max = 5}).size(), 5u);
}

TEST_P(Queues, ASettingOutOfRangeIsRefusedAndChangesNothing) {
  QueueUpdate good = update_of("q");
  good.max_running = 7;
  ASSERT_EQ(code_of(set_queue(good)), "ok");
  QueueUpdate attempts = update_of("q");
  attempts.retry.emplace().max_attempts = 0;
  EXPECT_EQ(code_of(set_queue(attempts)), "invalid_job");
  QueueUpdate lease = update_of("q");
  lease.timeouts.emplace().lease = milliseconds(99);
  lease.max_running = 9;
  EXPECT_EQ(code_of(set_queue(lease)), "invalid_job");
  QueueUpdate rate = update_of("q");
  rate.rate = RateLimit{1, 0};
  EXPECT_EQ(code_of(set_queue(rate)), "invalid_job");
  QueueUpdate payload = update_of("q");
  payload.max_payload_bytes = (std::size_t{16} << 20) + 1;
  EXPECT_EQ(code_of(set_queue(payload)), "invalid_job");
  EXPECT_EQ(code_of(set_queue(update_of("two words"))), "invalid_job");
  EXPECT_EQ(code_of(set_queue(update_of(""))), "invalid_job");
  EXPECT_EQ(get_queue("q")->settings.max_running, 7);
  EXPECT_FALSE(get_queue("q")->settings.retry.max_attempts);
}

TEST_P(Queues, AProfileWithAFixedBackoffTakesNoRetrySettings) {
  QueueUpdate update = update_of("q");
  update.profile = "document";
  update.retry.emplace().max_attempts = 2;
  EXPECT_EQ(code_of(set_queue(update)), "not_in_profile");
  EXPECT_EQ(code_of(get_queue("q")), "not_found") << "a refused update makes no queue";
}

TEST_P(Queues, AProfileChangesOnlyWhileTheQueueHasNoJobs) {
  const JobId id = make(Spec().queue("q"));
  QueueUpdate update = update_of("q");
  update.profile = "lease";
  EXPECT_EQ(code_of(set_queue(update)), "conflict");
  complete(id);
  EXPECT_EQ(code_of(set_queue(update)), "conflict") << "an ended job is a record, too";
  ASSERT_EQ(code_of(remove(id)), "ok");
  EXPECT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(word_of(make(Spec().queue("q"))), "Ready");
}

TEST_P(Queues, TheSameProfileAgainIsNoChange) {
  make(Spec().queue("q"));
  QueueUpdate update = update_of("q");
  update.profile = lifecycle::default_profile().name;
  EXPECT_EQ(code_of(set_queue(update)), "ok");
}

TEST_P(Queues, ChangedSettingsLeaveExistingJobsAlone) {
  const JobId old = make(Spec("old").queue("q"));
  QueueUpdate update = update_of("q");
  update.timeouts.emplace().lease = seconds(7);
  update.retry.emplace().max_attempts = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId fresh = make(Spec("fresh").queue("q"));
  EXPECT_EQ(claim_job(old).facts.execution.lease_expires_at, now() + minutes(5));
  EXPECT_EQ(claim_job(fresh).facts.execution.lease_expires_at, now() + seconds(7));
  EXPECT_EQ(facts_of(old).terms->retry.max_attempts, 3);
  EXPECT_EQ(facts_of(fresh).terms->retry.max_attempts, 1);
}

TEST_P(Queues, CountsAreByState) {
  make_all({Spec("a").queue("q"), Spec("b").queue("q"), Spec("c").queue("q").delay(hours(1)),
            Spec("d").queue("other")});
  ASSERT_EQ(code_of(ack(claim_one("q"))), "ok");
  claim_one("q");
  const auto queue = get_queue("q");
  ASSERT_EQ(code_of(queue), "ok");
  EXPECT_EQ(count_in(*queue, JobState::kCompleted), 1);
  EXPECT_EQ(count_in(*queue, JobState::kRunning), 1);
  EXPECT_EQ(count_in(*queue, JobState::kDelayed), 1);
  EXPECT_EQ(count_in(*queue, JobState::kScheduled), 0);
}

// ---- Deleting ---------------------------------------------------------------------------------

TEST_P(Queues, AQueueWithoutRecordsIsDeletedWithItsSettings) {
  QueueUpdate update = update_of("q");
  update.profile = "lease";
  update.paused = true;
  update.rate = RateLimit{1, 1};
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  ASSERT_EQ(code_of(set_queue(update_of("other"))), "ok");
  EXPECT_EQ(code_of(remove_queue("q")), "ok");
  EXPECT_EQ(code_of(get_queue("q")), "not_found");
  EXPECT_EQ(code_of(remove_queue("q")), "not_found");
  EXPECT_TRUE(claim({.queues = {"q"}}).empty());
  make(Spec().queue("q"));
  EXPECT_TRUE(get_queue("q")->settings == QueueSettings{}) << "it is a new one";
  EXPECT_EQ(claim({.queues = {"q"}}).size(), 1u);
  EXPECT_EQ(code_of(get_queue("other")), "ok");
}

TEST_P(Queues, AQueueWithRecordsIsNotDeleted) {
  const JobId waiting = make(Spec().queue("q"));
  const JobId ended = make(Spec("another").queue("q"));
  ASSERT_EQ(code_of(cancel(ended)), "ok");
  const auto both = remove_queue("q");
  ASSERT_EQ(code_of(both), "conflict");
  EXPECT_NE(both.error().message.find("holds 2 job records"), std::string::npos)
      << both.error().message;
  ASSERT_EQ(code_of(cancel(waiting)), "ok");
  ASSERT_EQ(code_of(remove(waiting)), "ok");
  const auto one = remove_queue("q");
  ASSERT_EQ(code_of(one), "conflict") << "an ended job is a record, too";
  EXPECT_NE(one.error().message.find("holds 1 job record;"), std::string::npos)
      << one.error().message;
  ASSERT_EQ(code_of(remove(ended)), "ok");
  EXPECT_EQ(code_of(remove_queue("q")), "ok");
}

TEST_P(Queues, ADeletedQueueDoesNotLendItsJobsOrLimitsToTheNextOne) {
  for (int round = 0; round < 3; ++round) {
    const std::string queue = "q" + std::to_string(round);
    QueueUpdate update = update_of(queue);
    update.max_running = 1;
    ASSERT_EQ(code_of(set_queue(update)), "ok");
    make_all(times(2, Spec().queue(queue)));
    EXPECT_EQ(claim({.queues = {queue}, .max = 5}).size(), 1u);
    for (const JobId& id : list_ids({})) {
      ASSERT_EQ(code_of(cancel(id, true)), "ok");
      ASSERT_EQ(code_of(remove(id)), "ok");
    }
    EXPECT_EQ(code_of(remove_queue(queue)), "ok");
    EXPECT_TRUE(stats().queues.empty());
  }
}

// ---- Pausing and draining ---------------------------------------------------------------------

TEST_P(Queues, APauseStopsClaimsOnly) {
  const JobId waiting = make(Spec("waiting"));
  const ClaimedJob claimed = running(Spec("running"));
  QueueUpdate pause = update_of("default");
  pause.paused = true;
  ASSERT_EQ(code_of(set_queue(pause)), "ok");
  EXPECT_TRUE(claim({.max = 10}).empty());
  EXPECT_EQ(code_of(submit(Spec())), "ok");
  EXPECT_EQ(code_of(heartbeat(claimed)), "ok");
  EXPECT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_EQ(code_of(cancel(waiting)), "ok");
  pause.paused = false;
  ASSERT_EQ(code_of(set_queue(pause)), "ok");
  EXPECT_EQ(claim({.max = 10}).size(), 1u);
}

TEST_P(Queues, AQueueMayBePausedBeforeItHasJobs) {
  QueueUpdate pause = update_of("q");
  pause.paused = true;
  ASSERT_EQ(code_of(set_queue(pause)), "ok");
  make(Spec().queue("q"));
  EXPECT_TRUE(claim({.queues = {"q"}}).empty());
}

TEST_P(Queues, APauseKeepsTheOrder) {
  const auto ids = make_all(times(3, Spec()));
  QueueUpdate pause = update_of("default");
  pause.paused = true;
  ASSERT_EQ(code_of(set_queue(pause)), "ok");
  advance(hours(1));
  pause.paused = false;
  ASSERT_EQ(code_of(set_queue(pause)), "ok");
  EXPECT_EQ(claim_ids({.max = 3}), ids);
}

TEST_P(Queues, ADrainingQueueRefusesSubmissionsAndEmpties) {
  const ClaimedJob claimed = running(Spec("first").constant(seconds(1)));
  const JobId waiting = make(Spec("second"));
  QueueUpdate drain = update_of("default");
  drain.draining = true;
  ASSERT_EQ(code_of(set_queue(drain)), "ok");
  EXPECT_EQ(code_of(submit(Spec())), "conflict");
  complete(waiting);
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  advance(seconds(1));
  complete(claimed.job);
  EXPECT_EQ(stats().live_jobs, 0);
  drain.draining = false;
  ASSERT_EQ(code_of(set_queue(drain)), "ok");
  EXPECT_EQ(code_of(submit(Spec())), "ok");
}

TEST_P(Queues, ADrainingQueueTakesNoRedriveAndNoChild) {
  const JobId old = failed(Spec("old").queue("q"));
  const ClaimedJob parent = running(Spec("parent"));
  QueueUpdate drain = update_of("q");
  drain.draining = true;
  ASSERT_EQ(code_of(set_queue(drain)), "ok");
  EXPECT_EQ(code_of(redrive(old)), "conflict");
  EXPECT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child").queue("q")})), "conflict");
  EXPECT_EQ(state_of(parent.job), "RUNNING") << "the lease stays";
  EXPECT_EQ(code_of(ack(parent)), "ok");
}

// It was taken, and ran in a queue that was to become empty.
TEST_P(Queues, ADrainingQueueTakesNoDraft) {
  const std::string queue = use_profile("document");
  const JobId draft = make(Spec("later").queue(queue).draft());
  QueueUpdate drain = update_of(queue);
  drain.draining = true;
  ASSERT_EQ(code_of(set_queue(drain)), "ok");
  EXPECT_EQ(code_of(submit_draft(draft)), "conflict");
  const std::string before = state_of(draft);
  drain.draining = false;
  ASSERT_EQ(code_of(set_queue(drain)), "ok");
  EXPECT_EQ(code_of(submit_draft(draft)), "ok");
  EXPECT_NE(state_of(draft), before);
}

TEST_P(Queues, ADrainingQueueStillKnowsItsKeys) {
  const JobId id = make(Spec().key("k"));
  QueueUpdate drain = update_of("default");
  drain.draining = true;
  ASSERT_EQ(code_of(set_queue(drain)), "ok");
  const auto again = submit(Spec().key("k"));
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_EQ(again->id, id);
}

// ---- Limits -----------------------------------------------------------------------------------

TEST_P(Limits, MaxPendingBoundsWhatWaits) {
  QueueUpdate update = update_of("default");
  update.max_pending = 2;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make();
  make(Spec().delay(hours(1)));
  const auto refused = submit(Spec());
  EXPECT_EQ(code_of(refused), "queue_full");
  EXPECT_GT(refused.error().retry_after, Duration{}) << "when to ask again";
  claim_one();
  EXPECT_EQ(code_of(submit(Spec())), "ok") << "a running job does not wait";
  EXPECT_EQ(code_of(submit(Spec())), "queue_full");
}

TEST_P(Limits, MaxPendingOfZeroTakesNothing) {
  QueueUpdate update = update_of("default");
  update.max_pending = 0;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(code_of(submit(Spec())), "queue_full");
}

TEST_P(Limits, ABatchCountsItsOwnJobsTowardsMaxPending) {
  QueueUpdate update = update_of("default");
  update.max_pending = 3;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const auto atomic = submit_batch(times(4, Spec()));
  ASSERT_TRUE(atomic.ok() && atomic->refused);
  EXPECT_EQ(atomic->refused->index, 3u);
  EXPECT_EQ(name(atomic->refused->error.code), "queue_full");
  const auto each = submit_batch(times(4, Spec()), {.atomic = false});
  ASSERT_TRUE(each.ok());
  EXPECT_EQ(code_of(each->results[2]), "ok");
  EXPECT_EQ(code_of(each->results[3]), "queue_full");
}

TEST_P(Limits, AJobThatIsRefusedTakesNoPlace) {
  QueueUpdate update = update_of("default");
  update.max_pending = 2;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const auto each =
      submit_batch({Spec().account("poor").cost(5), Spec(), Spec(), Spec()}, {.atomic = false});
  ASSERT_TRUE(each.ok());
  ASSERT_EQ(each->results.size(), 4u);
  EXPECT_EQ(code_of(each->results[0]), "insufficient_credits");
  EXPECT_EQ(code_of(each->results[1]), "ok");
  EXPECT_EQ(code_of(each->results[2]), "ok");
  EXPECT_EQ(code_of(each->results[3]), "queue_full");
}

TEST_P(Limits, MaxPendingIsPerQueue) {
  QueueUpdate update = update_of("a");
  update.max_pending = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const auto ids = make_all({Spec().queue("a"), Spec().queue("b"), Spec().queue("b")});
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_EQ(code_of(submit(Spec().queue("a"))), "queue_full");
}

TEST_P(Limits, AFullQueueStillTakesItsRetriesBack) {
  const ClaimedJob claimed = running(Spec().constant(Duration{}));
  make();
  QueueUpdate update = update_of("default");
  update.max_pending = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(state_of(claimed.job), "SCHEDULED");
}

TEST_P(Limits, MaxRunningBoundsWhatRuns) {
  QueueUpdate update = update_of("default");
  update.max_running = 2;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make_all(times(5, Spec()));
  const auto first = claim({.max = 10});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(claim({.max = 10}).empty());
  ASSERT_EQ(code_of(ack(first[0])), "ok");
  EXPECT_EQ(claim({.max = 10}).size(), 1u);
  ASSERT_EQ(code_of(nack(first[1])), "ok");
  EXPECT_EQ(claim({.max = 10}).size(), 1u);
}

TEST_P(Limits, EveryEndOfAnExecutionFreesAPlace) {
  QueueUpdate update = update_of("default");
  update.max_running = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make_all(times(4, Spec().lease(seconds(5)).attempts(1)));
  const ClaimedJob first = claim_one();
  ASSERT_EQ(code_of(cancel(first.job, true)), "ok");
  claim_one();
  EXPECT_TRUE(claim().empty());
  advance(seconds(5));
  const ClaimedJob third = claim_one();
  ASSERT_EQ(code_of(start(third)), "ok");
  ASSERT_EQ(code_of(commit(third)), "ok");
  EXPECT_TRUE(claim().empty()) << "COMMITTED still runs";
  ASSERT_EQ(code_of(done(third)), "ok");
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(Limits, ALoweredMaxRunningLetsRunningWorkGoOn) {
  make_all(times(4, Spec()));
  const auto claimed = claim({.max = 3});
  QueueUpdate update = update_of("default");
  update.max_running = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_TRUE(claim().empty());
  for (const ClaimedJob& one : claimed)
    ASSERT_EQ(code_of(ack(one)), "ok");
  EXPECT_EQ(claim({.max = 3}).size(), 1u);
}

TEST_P(Limits, MaxRunningOfZeroGivesNothing) {
  QueueUpdate update = update_of("default");
  update.max_running = 0;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make();
  EXPECT_TRUE(claim().empty());
}

TEST_P(Limits, AFullQueueIsPassedOver) {
  QueueUpdate update = update_of("a");
  update.max_running = 1;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const auto a = make_all(times(3, Spec().queue("a")));
  const JobId b = make(Spec().queue("b"));
  EXPECT_EQ(claim_ids({.queues = {"a", "b"}, .max = 5}), (std::vector<JobId>{a[0], b}));
}

TEST_P(Limits, ARateBoundsHowManyStart) {
  QueueUpdate update = update_of("default");
  update.rate = RateLimit{2, 3};
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make_all(times(10, Spec()));
  EXPECT_EQ(claim({.max = 10}).size(), 3u) << "the burst";
  EXPECT_TRUE(claim({.max = 10}).empty());
  advance(milliseconds(499));
  EXPECT_TRUE(claim({.max = 10}).empty());
  advance(milliseconds(1));
  EXPECT_EQ(claim({.max = 10}).size(), 1u) << "two a second";
  advance(seconds(1));
  EXPECT_EQ(claim({.max = 10}).size(), 2u);
  advance(hours(1));
  EXPECT_EQ(claim({.max = 10}).size(), 3u) << "never more than the burst";
}

TEST_P(Limits, ARateCountsRetriesToo) {
  QueueUpdate update = update_of("default");
  update.rate = RateLimit{1, 1};
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const ClaimedJob claimed = running(Spec().constant(Duration{}));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_TRUE(claim().empty());
  advance(seconds(1));
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(Limits, AnEmptyClaimUsesUpNoRate) {
  QueueUpdate update = update_of("default");
  update.rate = RateLimit{1, 1};
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(claim({.max = 10}).empty());
  make();
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(Limits, RateAndMaxRunningBothHold) {
  QueueUpdate update = update_of("default");
  update.rate = RateLimit{100, 5};
  update.max_running = 2;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make_all(times(10, Spec()));
  EXPECT_EQ(claim({.max = 10}).size(), 2u);
}

TEST_P(Queues, EveryRetrySettingMerges) {
  QueueUpdate first = update_of("q");
  Retry& retry = first.retry.emplace();
  retry.strategy = Strategy::kExponential;
  retry.multiplier = 3;
  retry.max = minutes(7);
  retry.jitter = Jitter::kFull;
  retry.table = {seconds(1), seconds(4)};
  ASSERT_EQ(code_of(set_queue(first)), "ok");
  QueueUpdate second = update_of("q");
  second.retry.emplace().max_attempts = 5;
  ASSERT_EQ(code_of(set_queue(second)), "ok");
  retry.max_attempts = 5;
  EXPECT_TRUE(get_queue("q")->settings.retry == retry);
}

TEST_P(Limits, AFullQueueIsAskedAgainInASecond) {
  QueueUpdate update = update_of("default");
  update.max_pending = 0;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  EXPECT_EQ(submit(Spec()).error().retry_after, seconds(1));
}

TEST_P(Limits, ANewRateBeginsWithAFullBurstAndTheSameOneDoesNot) {
  QueueUpdate slow = update_of("default");
  slow.rate = RateLimit{0.001, 1};
  ASSERT_EQ(code_of(set_queue(slow)), "ok");
  make_all(times(10, Spec()));
  EXPECT_EQ(claim({.max = 10}).size(), 1u);
  ASSERT_EQ(code_of(set_queue(slow)), "ok");
  EXPECT_TRUE(claim({.max = 10}).empty());
  QueueUpdate quick = update_of("default");
  quick.rate = RateLimit{10, 2};
  ASSERT_EQ(code_of(set_queue(quick)), "ok");
  EXPECT_EQ(claim({.max = 10}).size(), 2u);
}

}  // namespace
}  // namespace baton::store::conformance
