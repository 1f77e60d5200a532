// What the pure core answers of decision 9, the order of jobs, and of decision 10, dependencies.
// The order across jobs is shown by every store's conformance suite.
#include "lifecycle/graph.h"
#include "lifecycle/testing.h"
#include "lifecycle/validate.h"

namespace baton::lifecycle::testbed {
namespace {

TEST(Decision09Order, ALowerNumberIsMoreUrgent) {
  EXPECT_LT(Priority::kCritical, Priority::kHigh);
  EXPECT_LT(Priority::kHigh, Priority::kNormal);
  EXPECT_LT(Priority::kNormal, Priority::kLow);
  EXPECT_LT(Priority::kLow, Priority::kBulk);
  EXPECT_EQ(Create{}.priority, Priority::kNormal);
  EXPECT_EQ(JobFacts{}.priority, Priority::kNormal);
}

TEST(Decision09Order, AJobWithoutDelayIsScheduledWhenItIsSubmitted) {
  Life life("standard");
  life.create();
  EXPECT_EQ(life.job.scheduled_at, life.job.created_at);
}

TEST(Decision09Order, ADelayedJobIsScheduledWhenItsTimeHasCome) {
  Life life("standard");
  life.create(delayed(seconds(5)));
  EXPECT_FALSE(life.job.scheduled_at.is_set());
  life.wait(seconds(6));
  EXPECT_EQ(life.job.scheduled_at, kStart + seconds(6));
}

TEST(Decision09Order, ARetriedJobJoinsTheEndOfItsPriority) {
  Life life("standard");
  Create event;
  event.priority = Priority::kLow;
  life.create(event).claim().nack();
  EXPECT_EQ(life.job.scheduled_at, kStart);
  life.wait(seconds(1));
  EXPECT_EQ(life.job.scheduled_at, kStart + seconds(1));
  EXPECT_EQ(life.job.priority, Priority::kLow);
}

TEST(Decision09Order, AJobThatLostItsLeaseJoinsTheEndToo) {
  Life life("lease");
  life.create().claim().wait(seconds(5));
  EXPECT_EQ(life.job.scheduled_at, kStart + seconds(5));
}

TEST(Decision09Order, ANewPriorityDoesNotMoveTheTimeOfSchedulingAlong) {
  Life life("standard");
  life.create().wait(seconds(1));
  life.then(Patch{Priority::kCritical, {}, false, {}});
  EXPECT_EQ(life.job.scheduled_at, kStart);
  EXPECT_EQ(life.job.priority, Priority::kCritical);
}

GroupCount group(DependencyType type, int total, bool allow_failures = false) {
  return {type, allow_failures, total, 0, JobState::kNone};
}

Verdict after_endings(GroupCount count, std::initializer_list<JobState> endings) {
  for (JobState ending : endings)
    count_ending(count, ending);
  return verdict_of(count);
}

TEST(Decision10Dependencies, AfterWaitsForAllAndTheFirstBadEndingDecidesAtOnce) {
  const GroupCount two = group(DependencyType::kAfter, 2);
  EXPECT_EQ(after_endings(two, {}), Verdict::waiting());
  EXPECT_EQ(after_endings(two, {JobState::kCompleted}), Verdict::waiting());
  EXPECT_EQ(after_endings(two, {JobState::kCompleted, JobState::kCompleted}), Verdict::ready());
  EXPECT_EQ(after_endings(two, {JobState::kCancelled}), Verdict::bad(JobState::kCancelled));
  EXPECT_EQ(after_endings(two, {JobState::kFailed, JobState::kCancelled}),
            Verdict::bad(JobState::kFailed));
}

TEST(Decision10Dependencies, AfterAnyIsReadyWhenOneHasEndedHoweverItDid) {
  const GroupCount two = group(DependencyType::kAfterAny, 2);
  EXPECT_EQ(after_endings(two, {}), Verdict::waiting());
  for (JobState ending : {JobState::kCompleted, JobState::kFailed, JobState::kDeadLetter,
                          JobState::kCancelled, JobState::kRejected}) {
    EXPECT_EQ(after_endings(two, {ending}), Verdict::ready()) << name(ending);
  }
}

TEST(Decision10Dependencies, FanInWaitsForAllAndThenAsksWhetherAllCompleted) {
  const GroupCount strict = group(DependencyType::kFanIn, 2);
  const GroupCount lenient = group(DependencyType::kFanIn, 2, true);
  EXPECT_EQ(after_endings(strict, {JobState::kFailed}), Verdict::waiting());
  EXPECT_EQ(after_endings(strict, {JobState::kFailed, JobState::kCompleted}),
            Verdict::bad(JobState::kFailed));
  EXPECT_EQ(after_endings(lenient, {JobState::kFailed}), Verdict::waiting());
  EXPECT_EQ(after_endings(lenient, {JobState::kFailed, JobState::kCompleted}), Verdict::ready());
}

TEST(Decision10Dependencies, AParentWithoutChildrenCountsByItself) {
  EXPECT_EQ(after_endings(group(DependencyType::kFanIn, 1), {JobState::kCompleted}),
            Verdict::ready());
}

// How the dependency ended, and how the dependent ends in each profile.
struct Propagation {
  JobState dependency;
  JobState standard, document, commit, generation, lease;
};

constexpr Propagation kPropagations[] = {
    {JobState::kFailed, JobState::kFailed, JobState::kFailed, JobState::kFailed,
     JobState::kDeadLetter, JobState::kFailed},
    {JobState::kDeadLetter, JobState::kDeadLetter, JobState::kFailed, JobState::kFailed,
     JobState::kDeadLetter, JobState::kFailed},
    {JobState::kCancelled, JobState::kCancelled, JobState::kCancelled, JobState::kCancelled,
     JobState::kCancelled, JobState::kCancelled},
    {JobState::kRejected, JobState::kFailed, JobState::kFailed, JobState::kFailed,
     JobState::kDeadLetter, JobState::kFailed},
};

TEST(Decision10Dependencies, ABadEndingEndsTheDependentAsItsProfileCan) {
  for (const Propagation& row : kPropagations) {
    const std::pair<std::string_view, JobState> expected[] = {{"standard", row.standard},
                                                              {"document", row.document},
                                                              {"commit", row.commit},
                                                              {"generation", row.generation},
                                                              {"lease", row.lease}};
    for (const auto& [profile, state] : expected) {
      Life waited(profile);
      waited.create(after(Verdict::waiting()));
      waited.then(DependenciesSettled{Verdict::bad(row.dependency)});
      EXPECT_EQ(waited.job.state, state) << profile << " after " << name(row.dependency);
      Life submitted_later(profile);
      submitted_later.create(after(Verdict::bad(row.dependency)));
      EXPECT_EQ(submitted_later.job.state, state) << profile << " after " << name(row.dependency);
    }
  }
}

TEST(Decision10Dependencies, EndingsBeforeTheSubmissionApplyAtCreation) {
  Life life("standard");
  life.create(after(Verdict::ready()));
  EXPECT_EQ(life.job.state, JobState::kScheduled);
  Life draft("document");
  draft.create(as_draft());
  draft.then(Submit{Verdict::bad(JobState::kFailed)});
  EXPECT_EQ(draft.job.state, JobState::kFailed);
}

TEST(Decision10Dependencies, ChildrenAreStagedMadeAtTheCommitAndDroppedOnAbort) {
  Life life("standard");
  life.create().claim();
  EXPECT_FALSE(life.job.has_staged);
  life.call(CallKind::kSpawn);
  EXPECT_TRUE(life.job.has_staged);
  EXPECT_FALSE(life.last.effects.has(Effect::kMakeChildren));
  Life aborted = life;
  aborted.nack();
  EXPECT_TRUE(aborted.last.effects.has(Effect::kDropChildren));
  EXPECT_FALSE(aborted.last.effects.has(Effect::kMakeChildren));
  EXPECT_FALSE(aborted.job.has_staged);
  life.start().commit();
  EXPECT_TRUE(life.last.effects.has(Effect::kMakeChildren));
  EXPECT_FALSE(life.last.effects.has(Effect::kDropChildren));
  EXPECT_FALSE(life.job.has_staged);
}

TEST(Decision10Dependencies, DependentsTakeTheHighestPriority) {
  EXPECT_EQ(inherited_priority(Priority::kBulk, Priority::kHigh), Priority::kHigh);
  EXPECT_EQ(inherited_priority(Priority::kCritical, Priority::kHigh), Priority::kCritical);
}

TEST(Decision10Dependencies, ADelayCountsFromTheSubmission) {
  Life late("standard");
  late.create(delayed(seconds(10), Verdict::waiting())).wait(seconds(4));
  late.then(DependenciesSettled{Verdict::ready()});
  EXPECT_EQ(late.job.state, JobState::kDelayed);
  EXPECT_EQ(late.job.run_at, kStart + seconds(10));
  Life over("standard");
  over.create(delayed(seconds(10), Verdict::waiting())).wait(seconds(10));
  over.then(DependenciesSettled{Verdict::ready()});
  EXPECT_EQ(over.job.state, JobState::kScheduled);
}

TEST(Decision10Dependencies, ADraftsDelayCountsFromItsSubmission) {
  Life life("document");
  Create event = as_draft();
  event.delay = seconds(10);
  life.create(event).wait(minutes(1)).then(Submit{});
  EXPECT_EQ(life.job.state, JobState::kDelayed);
  EXPECT_EQ(life.job.run_at, kStart + minutes(1) + seconds(10));
}

// A chain in one batch: each job waits for the one before.
std::vector<GraphNode> chain(int length) {
  std::vector<GraphNode> nodes(static_cast<std::size_t>(length));
  for (int i = 1; i < length; ++i)
    nodes[static_cast<std::size_t>(i)].inside = {i - 1};
  return nodes;
}

TEST(Decision10Dependencies, AreAHundredDeepAtTheMost) {
  EXPECT_TRUE(check_depth(100).ok());
  ASSERT_FALSE(check_depth(101).ok());
  EXPECT_EQ(check_depth(101).error().code, Code::kDependencyTooDeep);
}

TEST(Decision10Dependencies, AreAThousandWideAtTheMost) {
  for (const auto& [count, ok] : {std::pair{1000, true}, {1001, false}}) {
    Submission submission;
    submission.type = "mail";
    submission.depends_on.resize(1);
    submission.depends_on[0].jobs.resize(static_cast<std::size_t>(count), "#a");
    const auto terms = accept(submission, QueueSettings{});
    ASSERT_EQ(terms.ok(), ok) << count;
    if (!ok) {
      EXPECT_EQ(terms.error().code, Code::kDependencyTooWide);
    }
  }
}

TEST(Decision10Dependencies, WithACycleAreRefused) {
  std::vector<GraphNode> nodes = chain(3);
  nodes[0].inside = {2};
  const GraphPlan plan = plan_batch(nodes);
  for (const auto& refused : plan.refused) {
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->code, Code::kDependencyCycle);
  }
  EXPECT_TRUE(plan.order.empty());
}

}  // namespace
}  // namespace baton::lifecycle::testbed
