#include "lifecycle/describe.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "lifecycle/decide.h"

namespace baton::lifecycle {
namespace {

using Row = std::tuple<std::string_view, std::string_view, std::string_view>;

Row row_of(JobState from, JobState to, Trigger trigger) {
  return {name(from), name(to), name(trigger)};
}

const Profile& profile_called(std::string_view name) { return *find_profile(name); }

std::set<Row> described(const Profile& profile) {
  std::set<Row> rows;
  for (const Transition& row : reachable_transitions(profile))
    rows.insert(row_of(row.from, row.to, row.trigger));
  return rows;
}

// Drives decide() from every state it reaches with every kind of event, and notes each step.
class Walk {
 public:
  explicit Walk(const Profile& profile) {
    terms_.profile = &profile;
    terms_.retry = profile.policy.retry;
    terms_.retry.max_attempts = 2;
    terms_.lease = profile.policy.lease;
    terms_.execution = profile.policy.execution;
    terms_.lifetime = profile.policy.lifetime;
  }

  std::set<Row> run() {
    begin();
    while (!open_.empty()) {
      const JobFacts job = open_.back();
      open_.pop_back();
      if (is_terminal(job.state)) continue;
      for (const Event& event : events(job))
        take(job, event, job.updated_at);
      const Timers timers = timers_of(job);
      for (const Time at : {timers.lifetime, timers.next}) {
        if (at.is_set()) take(job, TimerDue{*first_due(job, at)}, at);
      }
    }
    return rows_;
  }

 private:
  static std::vector<Verdict> verdicts() {
    return {Verdict::waiting(),
            Verdict::ready(),
            Verdict::bad(JobState::kFailed),
            Verdict::bad(JobState::kDeadLetter),
            Verdict::bad(JobState::kCancelled),
            Verdict::bad(JobState::kRejected)};
  }

  void begin() {
    for (const Verdict& verdict : verdicts()) {
      for (const bool draft : {false, true}) {
        for (const Duration delay : {Duration{}, base::seconds(10)}) {
          Create create;
          create.terms = &terms_;
          create.draft = draft;
          create.delay = delay;
          create.dependencies = verdict;
          take(JobFacts{}, create, Time{1'000'000});
        }
      }
    }
  }

  static Call call(const JobFacts& job, CallKind kind, FailureCategory category) {
    Call call;
    call.kind = kind;
    call.attempt = job.attempt;
    call.token = job.execution.token;
    call.failure.category = category;
    if (!job.terms->profile->policy.retry_pinned) call.retry_after = base::seconds(1);
    return call;
  }

  static std::vector<Event> events(const JobFacts& job) {
    std::vector<Event> all = {Cancel{}, Cancel{true, {}}, Reject{}, Claim{},
                              Claim{LeaseToken{}, base::hours(1)}};
    for (const Verdict& verdict : verdicts()) {
      all.emplace_back(Submit{verdict});
      all.emplace_back(DependenciesSettled{verdict});
    }
    for (std::size_t kind = 0; kind < kCallKindCount; ++kind) {
      for (const auto category : {FailureCategory::kTemporary, FailureCategory::kPermanent})
        all.emplace_back(call(job, static_cast<CallKind>(kind), category));
    }
    return all;
  }

  void take(const JobFacts& job, const Event& event, Time now) {
    const auto change = decide(job, event, now, 1u << 31);
    if (!change.ok()) return;
    for (const HistoryEntry& entry : change->history)
      rows_.insert(row_of(entry.from, entry.to, entry.trigger));
    const JobFacts& after = change->job;
    const bool late = after.execution.lease_expires_at == after.execution.deadline_at;
    if (seen_
            .insert({after.state, after.attempt, after.cancel_requested, after.execution.status,
                     late, after.not_before > after.updated_at})
            .second) {
      open_.push_back(after);
    }
  }

  Terms terms_;
  std::vector<JobFacts> open_;
  std::set<std::tuple<JobState, int, bool, ExecutionStatus, bool, bool>> seen_;
  std::set<Row> rows_;
};

TEST(ReachableTransitions, AreExactlyTheStepsThatDecideTakes) {
  for (const Profile* profile : all_profiles()) {
    SCOPED_TRACE(profile->name);
    EXPECT_EQ(described(*profile), Walk(*profile).run());
  }
}

TEST(ReachableTransitions, OfCommitWrittenByHand) {
  const std::set<Row> expected = {
      {"", "PENDING", "create"},
      {"PENDING", "SCHEDULED", "ready"},
      {"PENDING", "DELAYED", "delay"},
      {"DELAYED", "SCHEDULED", "due"},
      {"SCHEDULED", "RUNNING", "claim"},
      {"RUNNING", "COMPLETED", "done"},
      {"RUNNING", "RETRYING", "failure"},
      {"RUNNING", "RETRYING", "timeout"},
      {"RUNNING", "RETRYING", "lease_lost"},
      {"RUNNING", "RETRYING", "release"},
      {"RUNNING", "FAILED", "permanent"},
      {"RUNNING", "FAILED", "exhausted"},
      {"RETRYING", "SCHEDULED", "backoff"},
      {"PENDING", "CANCELLED", "cancel"},
      {"DELAYED", "CANCELLED", "cancel"},
      {"SCHEDULED", "CANCELLED", "cancel"},
      {"RUNNING", "CANCELLED", "cancel"},
      {"RETRYING", "CANCELLED", "cancel"},
      {"PENDING", "FAILED", "lifetime"},
      {"DELAYED", "FAILED", "lifetime"},
      {"SCHEDULED", "FAILED", "lifetime"},
      {"RUNNING", "FAILED", "lifetime"},
      {"RETRYING", "FAILED", "lifetime"},
      {"PENDING", "FAILED", "dependency"},
      {"PENDING", "CANCELLED", "dependency"},
  };
  EXPECT_EQ(described(profile_called("commit")), expected);
}

TEST(ReachableTransitions, OfGenerationEndThroughRetrying) {
  const std::set<Row> rows = described(profile_called("generation"));
  EXPECT_TRUE(rows.contains({"RETRYING", "DEAD_LETTER", "exhausted"}));
  EXPECT_TRUE(rows.contains({"RETRYING", "DEAD_LETTER", "permanent"}));
  EXPECT_FALSE(rows.contains({"RUNNING", "DEAD_LETTER", "exhausted"}));
  EXPECT_TRUE(rows.contains({"RUNNING", "DEAD_LETTER", "lifetime"}));
  EXPECT_TRUE(rows.contains({"SCHEDULED", "REJECTED", "reject"}));
}

TEST(ReachableTransitions, FollowThePolicyAndNotTheProfilesName) {
  Profile made_up = profile_called("standard");
  made_up.policy.last_failure_retries = true;
  const std::set<Row> rows = described(made_up);
  EXPECT_TRUE(rows.contains({"RETRYING", "DEAD_LETTER", "exhausted"}));
  EXPECT_FALSE(rows.contains({"RUNNING", "DEAD_LETTER", "exhausted"}));
  // The machine has no way from RETRYING to FAILED for a permanent failure.
  EXPECT_FALSE(rows.contains({"RUNNING", "FAILED", "permanent"}));
}

TEST(ReachableTransitions, KeepTheOrderOfTheTable) {
  const auto rows = reachable_transitions(profile_called("document"));
  ASSERT_GE(rows.size(), 2u);
  EXPECT_EQ(rows[0].to, JobState::kCreated);
  EXPECT_EQ(rows[1].trigger, Trigger::kSubmit);
  EXPECT_EQ(rows[0].label, "a job is made and waits to be submitted");
}

}  // namespace
}  // namespace baton::lifecycle
