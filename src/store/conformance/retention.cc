// Retention: finished jobs go when their time is over, and not a millisecond before.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

QueueUpdate keep(Duration completed, Duration failed) {
  QueueUpdate update = update_of("default");
  update.keep_completed = completed;
  update.keep_failed = failed;
  return update;
}

TEST_P(Retention, ACompletedJobGoesExactlyWhenItsTimeIsOver) {
  ASSERT_EQ(code_of(set_queue(keep(hours(2), days(90)))), "ok");
  const JobId id = make();
  advance(hours(1));
  complete(id);
  advance(hours(2) + milliseconds(-1));
  EXPECT_EQ(prune().deleted, 0);
  EXPECT_EQ(state_of(id), "COMPLETED");
  advance(milliseconds(1));
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(code_of(try_get(id)), "not_found");
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Retention, BadEndingsHaveATimeOfTheirOwn) {
  ASSERT_EQ(code_of(set_queue(keep(hours(1), hours(2)))), "ok");
  const JobId completed_id = completed(Spec("a"));
  const std::vector<JobId> bad = {failed(Spec("b")), dead_lettered(Spec("c")),
                                  cancelled(Spec("d"))};
  advance(hours(1));
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(code_of(try_get(completed_id)), "not_found");
  advance(hours(1) + milliseconds(-1));
  EXPECT_EQ(prune().deleted, 0);
  advance(milliseconds(1));
  EXPECT_EQ(prune().deleted, 3);
  for (const JobId& id : bad)
    EXPECT_EQ(code_of(try_get(id)), "not_found");
}

TEST_P(Retention, ThirtyAndNinetyDaysAreUsual) {
  const JobId good = completed(Spec("good"));
  const JobId bad = failed(Spec("bad"));
  advance(days(30) + milliseconds(-1));
  EXPECT_EQ(prune().deleted, 0);
  advance(milliseconds(1));
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(code_of(try_get(good)), "not_found");
  advance(days(60) + milliseconds(-1));
  EXPECT_EQ(prune().deleted, 0);
  advance(milliseconds(1));
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(code_of(try_get(bad)), "not_found");
}

TEST_P(Retention, NothingThatLivesIsPruned) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  const JobId waiting = make(Spec("waiting").lifetime(days(100)));
  const JobId delayed = make(Spec("delayed").lifetime(days(100)).delay(days(90)));
  advance(days(50));
  EXPECT_EQ(prune().deleted, 0);
  EXPECT_EQ(state_of(waiting), "SCHEDULED");
  EXPECT_EQ(state_of(delayed), "DELAYED");
}

TEST_P(Retention, EveryQueueHasItsOwnTimes) {
  ASSERT_EQ(code_of(set_queue(keep(hours(1), hours(1)))), "ok");
  const JobId short_lived = completed(Spec());
  const JobId long_lived = completed(Spec().queue("other"));
  advance(hours(1));
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(code_of(try_get(short_lived)), "not_found");
  EXPECT_EQ(state_of(long_lived), "COMPLETED");
}

TEST_P(Retention, AChangedTimeAppliesToWhatIsThere) {
  const JobId id = completed();
  advance(hours(1));
  EXPECT_EQ(prune().deleted, 0);
  ASSERT_EQ(code_of(set_queue(keep(hours(1), days(90)))), "ok");
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(code_of(try_get(id)), "not_found");
}

TEST_P(Retention, AtMostTheLimitGoesAtOnceOldestFirst) {
  ASSERT_EQ(code_of(set_queue(keep(hours(1), hours(1)))), "ok");
  std::vector<JobId> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(completed());
    advance(seconds(1));
  }
  advance(hours(1));
  const Pruned first = prune(2);
  EXPECT_EQ(first.deleted, 2);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(list_ids({}), (std::vector<JobId>{ids[4], ids[3], ids[2]}));
  EXPECT_EQ(prune(100).deleted, 3);
  const Pruned last = prune(100);
  EXPECT_EQ(last.deleted, 0);
  EXPECT_FALSE(last.more);
}

TEST_P(Retention, TheLimitIsForAllQueuesTogether) {
  for (const char* queue : {"a", "b", "c"}) {
    QueueUpdate update = keep(Duration{}, Duration{});
    update.name = queue;
    ASSERT_EQ(code_of(set_queue(update)), "ok");
    completed(Spec("x").queue(queue));
    failed(Spec("y").queue(queue));
  }
  const Pruned first = prune(4);
  EXPECT_EQ(first.deleted, 4);
  EXPECT_TRUE(first.more);
  EXPECT_EQ(prune(4).deleted, 2);
  EXPECT_TRUE(list_ids({}).empty());
}

TEST_P(Retention, APrunedJobLeavesTheCounters) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  completed();
  EXPECT_EQ(prune().deleted, 1);
  const auto queue = get_queue("default");
  ASSERT_EQ(code_of(queue), "ok");
  for (const std::int64_t count : queue->counts)
    EXPECT_EQ(count, 0);
}

TEST_P(Retention, AJobsRecordOutlivesItsKey) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  const JobId id = completed(Spec().key("k"));
  advance(hours(24) + milliseconds(-1));
  prune();
  const auto again = submit(Spec().key("k"));
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_TRUE(again->duplicate) << "retention does not shorten the window";
  EXPECT_EQ(again->id, id);
  EXPECT_EQ(code_of(try_get(id)), "ok");
  advance(milliseconds(1));
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(code_of(try_get(id)), "not_found");
}

TEST_P(Retention, RecordsHeldByTheirKeysDoNotHoldUpOthers) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  const JobId first = completed(Spec("first").key("k"));
  const JobId second = completed(Spec("second").key("k"));
  for (int i = 0; i < 3; ++i)
    completed(Spec("other"));
  const Pruned answer = prune(2);
  EXPECT_EQ(answer.deleted, 2);
  EXPECT_TRUE(answer.more);
  EXPECT_EQ(prune(2).deleted, 1);
  EXPECT_EQ(list_ids({}), (std::vector<JobId>{second, first}));
}

TEST_P(Retention, AFreedKeyDoesNotHoldTheRecord) {
  const std::string queue = use_profile("generation");
  QueueUpdate update = keep(Duration{}, Duration{});
  update.name = queue;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  failed(Spec().queue(queue).key("k"));
  EXPECT_EQ(prune().deleted, 1);
}

TEST_P(Retention, APrunedDependencyDoesNotHoldUpItsDependents) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  const JobId first = make(Spec("first"));
  const JobId second = make(Spec("second"));
  const JobId waits = make(Spec("waits").after({first, second}));
  const JobId collects = make(Spec("collects").fan_in({first, second}));
  complete(first);
  prune();
  complete(second);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
  EXPECT_EQ(state_of(collects), "SCHEDULED");
}

TEST_P(Retention, APrunedChildDoesNotHoldUpAFanIn) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  const ClaimedJob parent = running(Spec("parent"));
  const JobId waits = make(Spec("waits").fan_in({parent.job}));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("a"), Spec("b")})), "ok");
  const auto children = get(parent.job)->children;
  complete(children[0]);
  prune();
  EXPECT_EQ(state_of(waits), "PENDING");
  complete(children[1]);
  EXPECT_EQ(state_of(waits), "SCHEDULED");
}

TEST_P(Retention, PruningLeavesTheLedger) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  give("ann", 10);
  completed(Spec().account("ann").cost(4));
  EXPECT_EQ(prune().deleted, 1);
  EXPECT_EQ(account("ann").balance.captured, 4);
  EXPECT_EQ(entries("ann").size(), 3u);
}

TEST_P(Retention, AProfileMayChangeOnceEverythingIsPruned) {
  ASSERT_EQ(code_of(set_queue(keep(Duration{}, Duration{}))), "ok");
  completed();
  QueueUpdate update = update_of("default");
  update.profile = "commit";
  EXPECT_EQ(code_of(set_queue(update)), "conflict");
  prune();
  EXPECT_EQ(code_of(set_queue(update)), "ok");
}

}  // namespace
}  // namespace baton::store::conformance
