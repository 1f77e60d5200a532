// Which jobs a claim gives, and in which order.
#include <set>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using Ids = std::vector<JobId>;

TEST_P(ClaimOrder, TheOldestComesFirst) {
  const Ids ids = make_all(times(5, Spec()));
  EXPECT_EQ(claim_ids({.max = 5}), ids);
}

TEST_P(ClaimOrder, APriorityComesBeforeAge) {
  const Ids ids = make_all({
      Spec().priority(Priority::kBulk),
      Spec().priority(Priority::kLow),
      Spec().priority(Priority::kNormal),
      Spec().priority(Priority::kHigh),
      Spec().priority(Priority::kCritical),
  });
  EXPECT_EQ(claim_ids({.max = 5}), Ids(ids.rbegin(), ids.rend()));
}

TEST_P(ClaimOrder, WithinAPriorityAgeDecides) {
  const Ids ids = make_all(
      {Spec(), Spec().priority(Priority::kHigh), Spec(), Spec().priority(Priority::kHigh)});
  EXPECT_EQ(claim_ids({.max = 4}), (Ids{ids[1], ids[3], ids[0], ids[2]}));
}

TEST_P(ClaimOrder, ADelayedJobStandsWhereItsTimeEnded) {
  const JobId delayed = make(Spec().delay(seconds(10)));
  const JobId early = make();
  advance(seconds(10));
  const JobId late = make();
  EXPECT_EQ(claim_ids({.max = 3}), (Ids{early, delayed, late}));
}

TEST_P(ClaimOrder, JobsThatFellDueInOneStepStandByTheirTimes) {
  const JobId third = make(Spec().delay(seconds(3)));
  const JobId first = make(Spec().delay(seconds(1)));
  const JobId second = make(Spec().delay(seconds(2)));
  advance(minutes(1));
  EXPECT_EQ(claim_ids({.max = 3}), (Ids{first, second, third}));
}

TEST_P(ClaimOrder, JobsDueAtOneInstantStandByTheirCreation) {
  const Ids ids = make_all(times(8, Spec().delay(seconds(1))));
  advance(seconds(1));
  EXPECT_EQ(claim_ids({.max = 8}), ids);
}

TEST_P(ClaimOrder, ARetriedJobJoinsTheEndOfItsPriority) {
  const ClaimedJob claimed = running(Spec().constant(seconds(1)));
  const JobId before = make();
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  advance(seconds(1));
  const JobId after = make();
  EXPECT_EQ(claim_ids({.max = 3}), (Ids{before, claimed.job, after}));
}

TEST_P(ClaimOrder, AJobWithoutBackoffJoinsTheEndAtOnce) {
  const ClaimedJob claimed = running(Spec().constant(Duration{}));
  const JobId other = make();
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_EQ(claim_ids({.max = 2}), (Ids{other, claimed.job}));
}

TEST_P(ClaimOrder, ALostLeaseJoinsTheEndOfItsPriority) {
  const ClaimedJob claimed = running(Spec().lease(seconds(1)));
  const JobId other = make();
  advance(seconds(1));
  EXPECT_EQ(claim_ids({.max = 2}), (Ids{other, claimed.job}));
}

TEST_P(ClaimOrder, ADependentStandsWhereItWasReleased) {
  const JobId first = make(Spec("first"));
  const JobId dependent = make(Spec().after({first}));
  const JobId early = make();
  complete(first);
  const JobId late = make();
  EXPECT_EQ(claim_ids({.max = 3}), (Ids{early, dependent, late}));
}

TEST_P(ClaimOrder, QueuesAreTriedInTheOrderGiven) {
  const JobId a = make(Spec().queue("a").priority(Priority::kBulk));
  const JobId b = make(Spec().queue("b").priority(Priority::kCritical));
  EXPECT_EQ(claim_ids({.queues = {"a", "b"}}), Ids{a}) << "a queue comes before a priority";
  EXPECT_EQ(claim_ids({.queues = {"a", "b"}}), Ids{b}) << "an empty queue is passed over";
}

TEST_P(ClaimOrder, AClaimFillsUpFromTheNextQueue) {
  const Ids a = make_all(times(2, Spec().queue("a")));
  const Ids b = make_all(times(2, Spec().queue("b")));
  EXPECT_EQ(claim_ids({.queues = {"b", "a"}, .max = 3}), (Ids{b[0], b[1], a[0]}));
}

TEST_P(ClaimOrder, AQueueNamedTwiceGivesItsJobsOnce) {
  const Ids ids = make_all(times(3, Spec().queue("a")));
  EXPECT_EQ(claim_ids({.queues = {"a", "a"}, .max = 10}), ids);
}

TEST_P(ClaimOrder, OnlyTheTypesAskedForAreGiven) {
  const Ids ids = make_all({Spec("a"), Spec("b"), Spec("c"), Spec("b")});
  EXPECT_EQ(claim_ids({.max = 10, .types = {"b"}}), (Ids{ids[1], ids[3]}));
  EXPECT_TRUE(claim({.max = 10, .types = {"b"}}).empty());
  EXPECT_TRUE(claim({.max = 10, .types = {"never heard of"}}).empty());
  EXPECT_EQ(claim_ids({.max = 10}), (Ids{ids[0], ids[2]}));
}

TEST_P(ClaimOrder, SeveralTypesAreMergedByPriorityAndAge) {
  const Ids ids = make_all({Spec("a"), Spec("x"), Spec("b"), Spec("a").priority(Priority::kLow),
                            Spec("b").priority(Priority::kHigh), Spec("a")});
  EXPECT_EQ(claim_ids({.max = 10, .types = {"b", "a"}}),
            (Ids{ids[4], ids[0], ids[2], ids[5], ids[3]}));
}

TEST_P(ClaimOrder, ATypeNamedTwiceGivesItsJobsOnce) {
  const Ids ids = make_all({Spec("a"), Spec("a")});
  EXPECT_EQ(claim_ids({.max = 10, .types = {"a", "a"}}), ids);
}

TEST_P(ClaimOrder, AnyTypeMeansTheOldestOfAll) {
  const Ids ids = make_all({Spec("c"), Spec("a"), Spec("b"), Spec("a"), Spec("c")});
  EXPECT_EQ(claim_ids({.max = 10}), ids);
}

TEST_P(ClaimOrder, AClaimNeverGivesMoreThanAskedFor) {
  make_all(times(10, Spec()));
  EXPECT_EQ(claim({.max = 3}).size(), 3u);
  EXPECT_EQ(claim({.max = 1000}).size(), 7u);
}

TEST_P(ClaimOrder, EveryJobIsGivenOnce) {
  const Ids ids = make_all(times(50, Spec()));
  std::set<JobId> given;
  while (true) {
    const Ids some = claim_ids({.max = 7});
    if (some.empty()) break;
    for (const JobId& id : some)
      EXPECT_TRUE(given.insert(id).second) << "given twice";
  }
  EXPECT_EQ(given, std::set<JobId>(ids.begin(), ids.end()));
}

TEST_P(ClaimOrder, AnUnknownQueueGivesNothingAndIsNotMade) {
  EXPECT_TRUE(claim({.queues = {"nobody"}}).empty());
  EXPECT_EQ(code_of(get_queue("nobody")), "not_found");
  const JobId id = make(Spec().queue("known"));
  EXPECT_EQ(claim_ids({.queues = {"nobody", "known"}}), Ids{id});
}

TEST_P(ClaimOrder, AnEmptyQueueGivesNothing) {
  completed();
  EXPECT_TRUE(claim({.max = 10}).empty());
}

TEST_P(ClaimOrder, APausedQueueIsPassedOver) {
  QueueUpdate update = update_of("a");
  update.paused = true;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  make(Spec().queue("a"));
  const JobId b = make(Spec().queue("b"));
  EXPECT_EQ(claim_ids({.queues = {"a", "b"}, .max = 5}), Ids{b});
}

TEST_P(ClaimOrder, AChangedPriorityMovesAJobAndKeepsItsAge) {
  const Ids ids = make_all({Spec(), Spec().priority(Priority::kHigh), Spec()});
  PatchJob change = patch_of(ids[0]);
  change.priority = Priority::kHigh;
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_EQ(claim_ids({.max = 3}), ids) << "it became SCHEDULED before the other HIGH one";
}

TEST_P(ClaimOrder, ALoweredPriorityMovesAJobBack) {
  const Ids ids = make_all({Spec(), Spec(), Spec().priority(Priority::kLow)});
  PatchJob change = patch_of(ids[0]);
  change.priority = Priority::kLow;
  ASSERT_EQ(code_of(patch(change)), "ok");
  EXPECT_EQ(claim_ids({.max = 3}), (Ids{ids[1], ids[0], ids[2]}));
}

TEST_P(ClaimOrder, ManyChangesOfPriorityLeaveAgeInOrder) {
  const Ids ids = make_all(times(6, Spec()));
  for (const Priority priority : {Priority::kCritical, Priority::kBulk, Priority::kHigh}) {
    for (const std::size_t i : {4u, 1u, 5u, 2u}) {
      PatchJob change = patch_of(ids[i]);
      change.priority = priority;
      ASSERT_EQ(code_of(patch(change)), "ok");
    }
  }
  EXPECT_EQ(claim_ids({.max = 6}), (Ids{ids[1], ids[2], ids[4], ids[5], ids[0], ids[3]}));
}

TEST_P(ClaimOrder, APriorityChangedWhileDelayedCountsLater) {
  const JobId delayed = make(Spec().delay(seconds(1)));
  const JobId other = make();
  PatchJob change = patch_of(delayed);
  change.priority = Priority::kCritical;
  ASSERT_EQ(code_of(patch(change)), "ok");
  advance(seconds(1));
  EXPECT_EQ(claim_ids({.max = 2}), (Ids{delayed, other}));
}

TEST_P(ClaimOrder, AnEndedJobIsNeverGiven) {
  const Ids ids = make_all(times(3, Spec()));
  ASSERT_EQ(code_of(cancel(ids[1])), "ok");
  EXPECT_EQ(claim_ids({.max = 3}), (Ids{ids[0], ids[2]}));
}

TEST_P(ClaimOrder, AClaimOutOfRangeIsRefused) {
  make();
  ClaimRequest good;
  good.queues = {"default"};
  good.worker = "w";
  ClaimRequest request = good;
  request.max = 0;
  EXPECT_EQ(code_of(try_claim(request)), "bad_request");
  request.max = 1001;
  EXPECT_EQ(code_of(try_claim(request)), "bad_request");
  request = good;
  request.queues.clear();
  EXPECT_EQ(code_of(try_claim(request)), "bad_request");
  request = good;
  request.worker.clear();
  EXPECT_EQ(code_of(try_claim(request)), "bad_request");
  request.worker = std::string(257, 'w');
  EXPECT_EQ(code_of(try_claim(request)), "bad_request");
  request = good;
  request.lease = milliseconds(99);
  EXPECT_EQ(code_of(try_claim(request)), "invalid_job");
  request.lease = hours(1) + milliseconds(1);
  EXPECT_EQ(code_of(try_claim(request)), "invalid_job");
  EXPECT_EQ(stats().queues.front().counts[static_cast<std::size_t>(JobState::kScheduled)], 1);
}

// The sizes are known by halves only: six MiB count as eight.
TEST_P(ClaimOrder, AClaimStopsBeforeItsPayloadsAreTooLarge) {
  QueueUpdate update = update_of("default");
  update.max_payload_bytes = std::size_t{16} << 20;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const std::string large(std::size_t{6} << 20, 'x');
  const std::vector<JobId> made = {make(Spec().payload(large)), make(Spec().payload(large)),
                                   make(Spec().payload(large)), make()};
  EXPECT_EQ(claim_ids({.max = 4}), (std::vector<JobId>{made[0], made[1]}));
  EXPECT_EQ(claim_ids({.max = 4}), (std::vector<JobId>{made[2], made[3]}));
}

// Twenty checkpoints of a mebibyte are more than a claim may bring.
TEST_P(ClaimOrder, AClaimStopsBeforeItsCheckpointsAreTooLarge) {
  make_all(std::vector<Spec>(20, Spec().constant(seconds(1))));
  const auto claimed = claim({.max = 20});
  ASSERT_EQ(claimed.size(), 20u);
  for (const ClaimedJob& one : claimed) {
    WorkCall heartbeat = call_of(CallKind::kHeartbeat, one);
    std::get<HeartbeatCall>(heartbeat.call).checkpoint =
        std::string(lifecycle::kMaxCheckpointBytes, 'c');
    ASSERT_EQ(code_of(work(heartbeat)), "ok");
    ASSERT_EQ(code_of(nack(one)), "ok");
  }
  if (subject().survives_restart()) restart();
  advance(seconds(1));
  const std::size_t first = claim_ids({.max = 20}).size();
  EXPECT_GE(first, 1u);
  EXPECT_LE(first, 15u);
  EXPECT_EQ(claim_ids({.max = 20}).size(), 20 - first);
}

TEST_P(ClaimOrder, TheLargestPayloadCanBeClaimed) {
  QueueUpdate update = update_of("default");
  update.max_payload_bytes = std::size_t{16} << 20;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId large = make(Spec().payload(std::string(std::size_t{16} << 20, 'x')));
  const JobId small = make();
  EXPECT_EQ(claim_ids({.max = 2}), (std::vector<JobId>{large}));
  EXPECT_EQ(claim_ids({.max = 2}), (std::vector<JobId>{small}));
}

// They are found out together, long after: what fell due first is ready first.
TEST_P(ClaimOrder, JobsBecomeReadyInTheOrderInWhichTheyFellDue) {
  std::vector<Spec> specs;
  specs.reserve(40);
  for (int i = 0; i < 40; ++i)
    specs.push_back(Spec().delay(hours(1) + milliseconds(-(i % 20))));
  const auto ids = make_all(specs);
  pass(hours(2));
  std::vector<JobId> expected;
  for (std::size_t i = 20; i-- > 0;) {
    expected.push_back(ids[i]);
    expected.push_back(ids[i + 20]);
  }
  EXPECT_EQ(claim_ids({.max = 40}), expected);
}

}  // namespace
}  // namespace baton::store::conformance
