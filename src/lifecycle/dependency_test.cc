#include "lifecycle/dependency.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

namespace baton::lifecycle {
namespace {

using enum JobState;

GroupCount group(DependencyType type, int total, int ended, JobState first_bad = kNone,
                 bool allow_failures = false) {
  return {type, allow_failures, total, ended, first_bad};
}

TEST(Dependency, TypesHaveNames) {
  const auto all = kNames<DependencyType>;
  EXPECT_EQ(std::vector<std::string_view>(all.begin(), all.end()),
            (std::vector<std::string_view>{"AFTER", "AFTER_ANY", "FAN_IN"}));
}

TEST(Dependency, CountingKeepsTheFirstBadEnding) {
  GroupCount count = group(DependencyType::kAfter, 4, 0);
  count_ending(count, kCompleted);
  EXPECT_EQ(count, group(DependencyType::kAfter, 4, 1));
  count_ending(count, kCancelled);
  EXPECT_EQ(count, group(DependencyType::kAfter, 4, 2, kCancelled));
  count_ending(count, kFailed);
  EXPECT_EQ(count, group(DependencyType::kAfter, 4, 3, kCancelled));
  count_ending(count, kCompleted);
  EXPECT_EQ(count, group(DependencyType::kAfter, 4, 4, kCancelled));
}

TEST(Dependency, EveryBadEndingIsKept) {
  for (const JobState ending : {kFailed, kDeadLetter, kCancelled, kRejected}) {
    GroupCount count = group(DependencyType::kAfter, 1, 0);
    count_ending(count, ending);
    EXPECT_EQ(count.first_bad, ending);
    EXPECT_EQ(count.ended, 1);
  }
}

TEST(DependencyDeathTest, OnlyEndingsAreCounted) {
  GroupCount count = group(DependencyType::kAfter, 1, 0);
  EXPECT_DEATH(count_ending(count, kRunning), "assertion failed");
}

TEST(Dependency, AfterWaitsForAll) {
  EXPECT_EQ(verdict_of(group(DependencyType::kAfter, 3, 0)), Verdict::waiting());
  EXPECT_EQ(verdict_of(group(DependencyType::kAfter, 3, 2)), Verdict::waiting());
  EXPECT_EQ(verdict_of(group(DependencyType::kAfter, 3, 3)), Verdict::ready());
}

TEST(Dependency, AfterEndsAtTheFirstBadEnding) {
  EXPECT_EQ(verdict_of(group(DependencyType::kAfter, 3, 1, kFailed)), Verdict::bad(kFailed));
  EXPECT_EQ(verdict_of(group(DependencyType::kAfter, 3, 2, kCancelled)), Verdict::bad(kCancelled));
  EXPECT_EQ(verdict_of(group(DependencyType::kAfter, 3, 3, kRejected)), Verdict::bad(kRejected));
}

TEST(Dependency, AfterAnyGoesOnWithTheFirstEndingHoweverItEnded) {
  EXPECT_EQ(verdict_of(group(DependencyType::kAfterAny, 3, 0)), Verdict::waiting());
  EXPECT_EQ(verdict_of(group(DependencyType::kAfterAny, 3, 1)), Verdict::ready());
  EXPECT_EQ(verdict_of(group(DependencyType::kAfterAny, 3, 1, kFailed)), Verdict::ready());
  EXPECT_EQ(verdict_of(group(DependencyType::kAfterAny, 3, 3, kDeadLetter)), Verdict::ready());
}

TEST(Dependency, FanInWaitsForAllEvenAfterABadEnding) {
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 0)), Verdict::waiting());
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 2)), Verdict::waiting());
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 2, kFailed)), Verdict::waiting());
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 2, kFailed, true)), Verdict::waiting());
}

TEST(Dependency, FanInEndsBadlyUnlessFailuresAreAllowed) {
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 3)), Verdict::ready());
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 3, kNone, true)), Verdict::ready());
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 3, kFailed)), Verdict::bad(kFailed));
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 3, kFailed, true)), Verdict::ready());
}

TEST(Dependency, MoreEndingsThanExpectedAreEnough) {
  EXPECT_EQ(verdict_of(group(DependencyType::kAfter, 3, 4)), Verdict::ready());
  EXPECT_EQ(verdict_of(group(DependencyType::kFanIn, 3, 4)), Verdict::ready());
}

TEST(Dependency, ATypeFromTheFutureWaits) {
  EXPECT_EQ(verdict_of(group(static_cast<DependencyType>(9), 1, 1)), Verdict::waiting());
}

TEST(Dependency, NoGroupsAreReady) {
  EXPECT_EQ(verdict_of(std::vector<GroupCount>{}), Verdict::ready());
}

TEST(Dependency, SeveralGroupsWaitForTheSlowest) {
  const GroupCount ready = group(DependencyType::kAfter, 1, 1);
  const GroupCount open = group(DependencyType::kAfter, 1, 0);
  EXPECT_EQ(verdict_of(std::vector{ready, ready}), Verdict::ready());
  EXPECT_EQ(verdict_of(std::vector{ready, open}), Verdict::waiting());
  EXPECT_EQ(verdict_of(std::vector{open, ready}), Verdict::waiting());
}

TEST(Dependency, TheFirstBadGroupDecidesWhereverItStands) {
  const GroupCount ready = group(DependencyType::kAfter, 1, 1);
  const GroupCount open = group(DependencyType::kAfter, 1, 0);
  const GroupCount failed = group(DependencyType::kAfter, 1, 1, kFailed);
  const GroupCount cancelled = group(DependencyType::kAfter, 1, 1, kCancelled);
  EXPECT_EQ(verdict_of(std::vector{open, ready, failed}), Verdict::bad(kFailed));
  EXPECT_EQ(verdict_of(std::vector{failed, open}), Verdict::bad(kFailed));
  EXPECT_EQ(verdict_of(std::vector{cancelled, failed}), Verdict::bad(kCancelled));
  EXPECT_EQ(verdict_of(std::vector{failed, cancelled}), Verdict::bad(kFailed));
}

struct EndingRow {
  std::string_view profile;
  JobState dependency;
  JobState dependent;
};

const EndingRow kEndings[] = {
    {"standard", kFailed, kFailed},
    {"standard", kDeadLetter, kDeadLetter},
    {"standard", kCancelled, kCancelled},
    {"standard", kRejected, kFailed},
    {"document", kFailed, kFailed},
    {"document", kDeadLetter, kFailed},
    {"document", kCancelled, kCancelled},
    {"document", kRejected, kFailed},
    {"commit", kFailed, kFailed},
    {"commit", kDeadLetter, kFailed},
    {"commit", kCancelled, kCancelled},
    {"commit", kRejected, kFailed},
    {"generation", kFailed, kDeadLetter},
    {"generation", kDeadLetter, kDeadLetter},
    {"generation", kCancelled, kCancelled},
    {"generation", kRejected, kDeadLetter},
    {"lease", kFailed, kFailed},
    {"lease", kDeadLetter, kFailed},
    {"lease", kCancelled, kCancelled},
    {"lease", kRejected, kFailed},
};

TEST(Dependency, ADependentEndsLikeItsDependencyAsFarAsItsProfileCan) {
  for (const EndingRow& row : kEndings) {
    EXPECT_EQ(dependent_ending(*find_profile(row.profile), row.dependency), row.dependent)
        << row.profile << " after " << name(row.dependency);
  }
}

TEST(DependencyDeathTest, NobodyEndsWithADependencyThatCompleted) {
  EXPECT_DEATH(static_cast<void>(dependent_ending(default_profile(), kCompleted)),
               "assertion failed");
}

TEST(Dependency, TheHigherPriorityIsInherited) {
  for (int own = 0; own < 5; ++own) {
    for (int other = 0; other < 5; ++other) {
      EXPECT_EQ(inherited_priority(static_cast<Priority>(own), static_cast<Priority>(other)),
                static_cast<Priority>(own < other ? own : other));
    }
  }
}

RC_GTEST_PROP(DependencyProperty, EndingsInAnyOrderLeadToADecision, ()) {
  const auto type =
      *rc::gen::element(DependencyType::kAfter, DependencyType::kAfterAny, DependencyType::kFanIn);
  const bool allow = *rc::gen::arbitrary<bool>();
  const auto endings = *rc::gen::nonEmpty(rc::gen::container<std::vector<JobState>>(
      rc::gen::element(kCompleted, kCompleted, kCompleted, kFailed, kDeadLetter, kCancelled)));
  GroupCount count = group(type, static_cast<int>(endings.size()), 0, kNone, allow);
  Verdict before = verdict_of(count);
  RC_ASSERT(before == Verdict::waiting());
  JobState first_bad = kNone;
  for (const JobState ending : endings) {
    if (first_bad == kNone && ending != kCompleted) first_bad = ending;
    count_ending(count, ending);
    const Verdict after = verdict_of(count);
    RC_ASSERT(before == Verdict::waiting() || before == after);
    before = after;
  }
  const bool ends_badly = first_bad != kNone && (type == DependencyType::kAfter ||
                                                 (type == DependencyType::kFanIn && !allow));
  RC_ASSERT(before == (ends_badly ? Verdict::bad(first_bad) : Verdict::ready()));
}

TEST(Verdict, OfABadEndingNamesTheFirstThatEndedSo) {
  const JobId first = *parse_job_id("6f9619ff-8b86-4011-b42d-00cf4fc96400");
  const JobId second = *parse_job_id("7f9619ff-8b86-4011-b42d-00cf4fc96400");
  GroupCount count{DependencyType::kFanIn, false, 3, 0, JobState::kNone};
  count_ending(count, JobState::kCompleted, second);
  count_ending(count, JobState::kCancelled, first);
  count_ending(count, JobState::kFailed, second);
  const Verdict verdict = verdict_of(count);
  EXPECT_EQ(verdict.job, first);
  EXPECT_EQ(bad_ending_text(verdict),
            "job 6f9619ff-8b86-4011-b42d-00cf4fc96400, on which it depends, ended CANCELLED");
  EXPECT_EQ(bad_ending_text(Verdict::bad(JobState::kFailed)),
            "a job on which it depends ended FAILED");
  EXPECT_EQ(bad_ending_text(Verdict::ready()), "");
}

}  // namespace
}  // namespace baton::lifecycle
