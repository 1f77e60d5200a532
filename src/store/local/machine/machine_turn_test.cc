// The order within a turn, and how much of what is due one turn does.
#include <gtest/gtest.h>

#include <algorithm>

#include "store/local/commands/handlers.h"
#include "store/local/machine/dependency_walk.h"
#include "store/local/machine/rows.h"
#include "store/work_call.h"

namespace baton::store::local {
namespace {

constexpr Time kStart{1'700'000'000'000};

std::shared_ptr<Submission> job_of() {
  auto job = std::make_shared<Submission>();
  job->type = "mail";
  job->timeouts.lease = base::seconds(1);
  return job;
}

std::shared_ptr<Submission> waiting_for(DependencyType type, const std::vector<JobId>& ids) {
  auto job = job_of();
  Dependency group{type, {}, false};
  for (const JobId& id : ids)
    group.jobs.push_back(to_string(id));
  job->depends_on.push_back(group);
  return job;
}

class MachineTurns : public testing::Test {
 protected:
  void use(const Tuning& tuning) { machine_ = std::make_unique<Machine>(rows_, tuning); }

  Turn turn(std::vector<Command> commands = {}, Time horizon = {}) {
    Turn turn = machine_->turn(commands, now_, random_, {}, horizon);
    rows_.apply(turn.changes);
    EXPECT_EQ(machine_->audit(), std::vector<std::string>{});
    return turn;
  }
  JobId submit(const std::shared_ptr<Submission>& job) {
    SubmitBatch batch;
    batch.jobs = {job};
    const Turn made = turn({batch});
    return std::get<SubmitAnswer>(made.answers.front()).results.front().value().id;
  }
  ClaimedJob claim() {
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "w";
    const Turn made = turn({request});
    return std::get<ClaimAnswer>(made.answers.front()).executions.at(0);
  }
  static WorkCall call(CallKind kind, const ClaimedJob& claimed, Duration waited = {}) {
    WorkCall call;
    call.call = blank_call(kind);
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    call.waited = waited;
    return call;
  }
  JobState state(const JobId& id) const { return rows_.find(id)->facts.state; }
  static std::string code_of(const Answer& answer) {
    const auto* error = std::get_if<Error>(&answer);
    return error == nullptr ? "ok" : std::string(name(error->code));
  }
  static std::size_t fired(const Turn& turn) { return turn.happenings.size(); }

  Rows rows_;
  base::Random random_{1};
  Time now_ = kStart;
  std::unique_ptr<Machine> machine_ = std::make_unique<Machine>(rows_);
};

TEST_F(MachineTurns, ACallThatArrivedBeforeTheLeaseEndedIsInTime) {
  submit(job_of());
  const ClaimedJob claimed = claim();
  now_ = kStart + base::seconds(3);
  const Turn made = turn({call(CallKind::kHeartbeat, claimed, base::milliseconds(2'001))});
  ASSERT_EQ(code_of(made.answers.front()), "ok");
  EXPECT_EQ(rows_.find(claimed.job)->facts.execution.lease_expires_at, now_ + base::seconds(1));
  EXPECT_EQ(state(claimed.job), JobState::kRunning);
}

TEST_F(MachineTurns, ACallThatArrivedWhenTheLeaseEndedIsTooLate) {
  submit(job_of());
  const ClaimedJob claimed = claim();
  now_ = kStart + base::seconds(3);
  const Turn made = turn({call(CallKind::kAck, claimed, base::seconds(2))});
  EXPECT_EQ(code_of(made.answers.front()), "stale_lease");
  EXPECT_EQ(state(claimed.job), JobState::kScheduled);
}

TEST_F(MachineTurns, TimesOfALateCallCountFromWhenItIsApplied) {
  submit(job_of());
  const ClaimedJob claimed = claim();
  now_ = kStart + base::seconds(3);
  turn({call(CallKind::kAck, claimed, base::milliseconds(2'500))});
  const auto record = rows_.find(claimed.job);
  EXPECT_EQ(record->facts.state, JobState::kCompleted);
  EXPECT_EQ(record->facts.completed_at, now_);
  EXPECT_EQ(record->history.back().at, now_);
}

TEST_F(MachineTurns, AnswersKeepTheirPlacesWhenACallIsAppliedFirst) {
  submit(job_of());
  const ClaimedJob claimed = claim();
  now_ = kStart + base::seconds(3);
  WorkBatch batch{{call(CallKind::kHeartbeat, claimed),
                   call(CallKind::kHeartbeat, claimed, base::milliseconds(2'500))}};
  const Turn made = turn({GetStats{}, batch, RunTimers{}});
  EXPECT_TRUE(std::holds_alternative<Stats>(made.answers[0]));
  const auto& results = std::get<WorkBatchAnswer>(made.answers[1]).results;
  // The second came in time and extended the lease, so that the first one finds it.
  EXPECT_TRUE(results[0].ok());
  EXPECT_TRUE(results[1].ok());
  EXPECT_TRUE(std::holds_alternative<TimersAnswer>(made.answers[2]));
}

TEST_F(MachineTurns, TimersOfOneInstantComeAFewInATurnAndInTheirOrder) {
  Tuning tuning;
  tuning.timers_per_turn = 3;
  use(tuning);
  std::vector<JobId> ids;
  for (int i = 0; i < 8; ++i) {
    auto job = job_of();
    job->delay = base::seconds(5);
    ids.push_back(submit(job));
  }
  now_ = kStart + base::seconds(5);
  std::vector<JobId> order;
  std::vector<std::size_t> counts;
  while (machine_->next_due().is_set() && machine_->next_due() <= now_) {
    const Turn made = turn();
    counts.push_back(fired(made));
    for (const Happening& one : made.happenings)
      order.push_back(one.job);
  }
  EXPECT_EQ(counts, (std::vector<std::size_t>{3, 3, 2}));
  EXPECT_EQ(order, ids);
}

// The order is by due time and then by number, so that none applies before all are known.
TEST_F(MachineTurns, TimersLeaveTheWheelAFewInATurnAndApplyInTheirOrder) {
  Tuning tuning;
  tuning.timers_moved_per_turn = 5;
  use(tuning);
  std::vector<JobId> ids;
  for (int i = 0; i < 23; ++i) {
    auto job = job_of();
    job->delay = base::milliseconds(5'000 - i % 3);
    ids.push_back(submit(job));
  }
  std::stable_sort(ids.begin(), ids.end(), [&](const JobId& a, const JobId& b) {
    return rows_.find(a)->facts.run_at < rows_.find(b)->facts.run_at;
  });
  now_ = kStart + base::seconds(5);
  std::size_t turns = 0;
  for (; machine_->is_collecting() || turns == 0; ++turns) {
    const Turn made = turn();
    if (!machine_->is_collecting()) {
      std::vector<JobId> order;
      for (const Happening& one : made.happenings)
        order.push_back(one.job);
      EXPECT_EQ(order, ids);
    } else {
      EXPECT_EQ(fired(made), 0u);
      EXPECT_EQ(machine_->next_due(), now_);
    }
  }
  EXPECT_GE(turns, 5u);
}

TEST_F(MachineTurns, AClaimNeverGetsAJobWhoseTimerHasNotLeftTheWheel) {
  Tuning tuning;
  tuning.timers_moved_per_turn = 1;
  use(tuning);
  for (int i = 0; i < 5; ++i) {
    auto job = job_of();
    job->timeouts.lifetime = base::seconds(1);
    submit(job);
  }
  const JobId last = submit(job_of());
  now_ = kStart + base::seconds(1);
  ClaimRequest request;
  request.queues = {"default"};
  request.worker = "w";
  request.max = 10;
  const Turn made = turn({request});
  ASSERT_TRUE(machine_->is_collecting());
  const auto& answer = std::get<ClaimAnswer>(made.answers.front());
  ASSERT_EQ(answer.executions.size(), 1u);
  EXPECT_EQ(answer.executions[0].job, last);
  EXPECT_FALSE(answer.more);
  std::size_t ended = 0;
  for (int i = 0; i < 20; ++i)
    ended += fired(turn());
  EXPECT_EQ(ended, 5u);
}

// Timers of jobs that have moved on meanwhile are thrown away, but not all in one turn.
TEST_F(MachineTurns, TimersThatNoLongerMatterAreTakenUpInBoundedNumbers) {
  Tuning tuning;
  tuning.timers_taken_per_turn = 8;
  use(tuning);
  std::vector<Command> cancels;
  cancels.reserve(20);
  for (int i = 0; i < 20; ++i) {
    auto job = job_of();
    job->delay = base::seconds(5);
    cancels.emplace_back(CancelJob{submit(job), false, {}});
  }
  now_ = kStart + base::seconds(5);
  rows_.apply(machine_->turn({}, now_, random_, {}, {}, Background::kGivesWay).changes);
  rows_.apply(machine_->turn(cancels, now_, random_, {}, {}, Background::kGivesWay).changes);
  EXPECT_EQ(machine_->live_jobs(), 0);
  int turns = 0;
  for (; machine_->has_work_left() && turns < 20; ++turns)
    machine_->turn({}, now_, random_);
  EXPECT_EQ(turns, 3);
}

TEST_F(MachineTurns, WhatGivesWayIsLeftForALaterTurn) {
  const JobId first = submit(job_of());
  const JobId after = submit(waiting_for(DependencyType::kAfter, {first}));
  auto delayed = job_of();
  delayed->delay = base::seconds(5);
  const JobId later = submit(delayed);
  const ClaimedJob claimed = claim();
  now_ = now_ + base::milliseconds(500);
  Turn made =
      machine_->turn({call(CallKind::kAck, claimed)}, now_, random_, {}, {}, Background::kGivesWay);
  rows_.apply(made.changes);
  EXPECT_EQ(state(after), JobState::kPending);
  EXPECT_TRUE(machine_->has_work_left());
  EXPECT_GT(machine_->next_due(), now_) << "nothing is to be done before something is due";
  now_ = kStart + base::seconds(5);
  made = machine_->turn({}, now_, random_, {}, {}, Background::kGivesWay);
  EXPECT_TRUE(made.changes.empty());
  EXPECT_EQ(machine_->audit(), std::vector<std::string>{});
  EXPECT_GT(machine_->next_due(), now_);
  turn();
  EXPECT_EQ(state(after), JobState::kScheduled);
  EXPECT_EQ(state(later), JobState::kScheduled);
  EXPECT_FALSE(machine_->has_work_left());
}

TEST_F(MachineTurns, AClaimNeverGetsAJobWhoseLifetimeIsOver) {
  Tuning tuning;
  tuning.timers_per_turn = 1;
  use(tuning);
  for (int i = 0; i < 3; ++i) {
    auto job = job_of();
    job->timeouts.lifetime = base::seconds(1);
    submit(job);
  }
  now_ = kStart + base::seconds(1);
  ClaimRequest request;
  request.queues = {"default"};
  request.worker = "w";
  const Turn made = turn({request});
  EXPECT_TRUE(std::get<ClaimAnswer>(made.answers.front()).executions.empty());
  EXPECT_EQ(fired(made), 1u);
}

// Jobs with keys, in turns that have come to none of the timers that are due.
class DueDuplicates : public MachineTurns {
 protected:
  DueDuplicates() {
    Tuning tuning;
    tuning.timers_per_turn = 0;
    use(tuning);
  }

  static std::shared_ptr<Submission> keyed() {
    auto job = job_of();
    job->idempotency_key = "k";
    return job;
  }
  SubmitAnswer submit_all(const std::vector<std::shared_ptr<const Submission>>& jobs) {
    SubmitBatch batch;
    batch.jobs = jobs;
    batch.atomic = false;
    return std::get<SubmitAnswer>(turn({batch}).answers.front());
  }
};

TEST_F(DueDuplicates, CountAmongTheWaitingJobsBeforeTheBatchIsJudged) {
  QueueUpdate limit;
  limit.name = "default";
  limit.max_pending = 1;
  turn({limit});
  const JobId id = submit(keyed());
  claim();
  now_ = kStart + base::seconds(2);
  const SubmitAnswer made = submit_all({keyed(), job_of()});
  ASSERT_TRUE(made.results[0].ok());
  EXPECT_EQ(made.results[0]->id, id);
  EXPECT_EQ(made.results[0]->facts.state, JobState::kScheduled);
  ASSERT_FALSE(made.results[1].ok());
  EXPECT_EQ(name(made.results[1].error().code), "queue_full");
}

TEST_F(DueDuplicates, GiveBackTheirKeyBeforeTheBatchIsJudged) {
  QueueUpdate paid;
  paid.name = "default";
  paid.profile = "generation";
  turn({paid});
  auto short_lived = keyed();
  short_lived->timeouts.lifetime = base::seconds(1);
  const JobId id = submit(short_lived);
  now_ = kStart + base::seconds(2);
  const SubmitAnswer made = submit_all({keyed()});
  ASSERT_TRUE(made.results[0].ok());
  EXPECT_FALSE(made.results[0]->duplicate);
  EXPECT_NE(made.results[0]->id, id);
  EXPECT_EQ(state(id), JobState::kDeadLetter);
}

TEST_F(DueDuplicates, DoNotTakeTheLeaseFromAParentWhoseCommitCameInTime) {
  const JobId id = submit(keyed());
  const ClaimedJob claimed = claim();
  now_ = kStart + base::seconds(3);
  WorkCall ack = call(CallKind::kAck, claimed, base::milliseconds(2'500));
  std::get<AckCall>(ack.call).spawn = {keyed()};
  const Turn made = turn({ack});
  EXPECT_EQ(code_of(made.answers.front()), "ok");
  const auto record = rows_.find(id);
  EXPECT_EQ(record->facts.state, JobState::kCompleted);
  ASSERT_EQ(record->history.size(), 4U);
  EXPECT_EQ(record->history.back().from, JobState::kRunning);
}

TEST_F(MachineTurns, DependentsFollowAFewInATurnAndTheEndedJobStaysUntilThen) {
  Tuning tuning;
  tuning.dependents_per_turn = 2;
  use(tuning);
  const JobId first = submit(job_of());
  std::vector<JobId> dependents;
  for (int i = 0; i < 5; ++i)
    dependents.push_back(submit(waiting_for(DependencyType::kAfter, {first})));
  const ClaimedJob claimed = claim();
  const auto ready = [&] {
    return std::count_if(dependents.begin(), dependents.end(),
                         [&](const JobId& id) { return state(id) == JobState::kScheduled; });
  };
  turn({call(CallKind::kAck, claimed)});
  EXPECT_EQ(ready(), 2);
  EXPECT_EQ(machine_->next_due(), now_);
  EXPECT_EQ(code_of(turn({DeleteJob{first}}).answers.front()), "conflict");
  EXPECT_EQ(ready(), 4);
  turn();
  EXPECT_EQ(ready(), 5);
  EXPECT_EQ(code_of(turn({DeleteJob{first}}).answers.front()), "ok");
}

TEST_F(MachineTurns, LeasesEndOnlyUpToTheHorizonAndOtherTimersGoOn) {
  submit(job_of());
  const ClaimedJob claimed = claim();
  auto delayed = job_of();
  delayed->delay = base::seconds(2);
  const JobId other = submit(delayed);
  now_ = kStart + base::seconds(2);
  turn({}, kStart);
  EXPECT_EQ(state(claimed.job), JobState::kRunning);
  EXPECT_EQ(state(other), JobState::kScheduled);
  EXPECT_EQ(machine_->first_held(), kStart + base::seconds(1));
  EXPECT_GT(machine_->next_due(), now_);  // nothing but to wait for the horizon
  turn({}, now_);
  EXPECT_EQ(state(claimed.job), JobState::kScheduled);
  EXPECT_FALSE(machine_->first_held().is_set());
}

// ---- Children that would wait for themselves ----------------------------------------------------

class Cycles : public MachineTurns {
 protected:
  Answer spawn(CallKind kind, const ClaimedJob& parent, const std::shared_ptr<Submission>& child) {
    WorkCall one = call(kind, parent);
    if (kind == CallKind::kSpawn) std::get<SpawnCall>(one.call).jobs = {child};
    if (kind == CallKind::kAck) std::get<AckCall>(one.call).spawn = {child};
    if (kind == CallKind::kCommit) std::get<CommitCall>(one.call).spawn = {child};
    return turn({one}).answers.front();
  }
};

TEST_F(Cycles, AChildThatFansInOnItsParentIsRefusedAndTheLeaseStays) {
  const JobId parent = submit(job_of());
  const ClaimedJob claimed = claim();
  const auto child = waiting_for(DependencyType::kFanIn, {parent});
  EXPECT_EQ(code_of(spawn(CallKind::kSpawn, claimed, child)), "dependency_cycle");
  EXPECT_EQ(code_of(spawn(CallKind::kAck, claimed, child)), "dependency_cycle");
  EXPECT_EQ(code_of(turn({call(CallKind::kAck, claimed)}).answers.front()), "ok");
}

TEST_F(Cycles, AChildAfterAJobThatFansInOnItsParentIsRefusedWhateverStandsBetween) {
  const JobId parent = submit(job_of());
  const ClaimedJob claimed = claim();
  const JobId fan = submit(waiting_for(DependencyType::kFanIn, {parent}));
  const JobId between = submit(waiting_for(DependencyType::kAfterAny, {fan}));
  for (const JobId& id : {fan, between}) {
    for (const auto type :
         {DependencyType::kAfter, DependencyType::kAfterAny, DependencyType::kFanIn}) {
      EXPECT_EQ(code_of(spawn(CallKind::kSpawn, claimed, waiting_for(type, {id}))),
                "dependency_cycle");
    }
  }
  EXPECT_EQ(code_of(spawn(CallKind::kAck, claimed, waiting_for(DependencyType::kAfter, {parent}))),
            "ok");
}

TEST_F(Cycles, WhatIsStagedAndWhatTheCommitBringsAreJudgedTogether) {
  const JobId parent = submit(job_of());
  const ClaimedJob claimed = claim();
  const JobId between = submit(waiting_for(DependencyType::kAfter, {parent}));
  const JobId fan = submit(waiting_for(DependencyType::kFanIn, {between, parent}));
  EXPECT_EQ(
      code_of(spawn(CallKind::kSpawn, claimed, waiting_for(DependencyType::kAfter, {between}))),
      "ok");
  EXPECT_EQ(code_of(spawn(CallKind::kAck, claimed, waiting_for(DependencyType::kAfter, {fan}))),
            "dependency_cycle");
  EXPECT_EQ(state(parent), JobState::kRunning);
}

TEST(DependencyWalk, VisitsEachUnfinishedJobOnce) {
  Rows rows;
  base::Random random(1);
  TermsTable terms;
  Core core(rows, {}, terms);
  Turn turn;
  core.begin(kStart, random, turn);
  const auto submit = [&](const std::shared_ptr<Submission>& job) {
    SubmitBatch batch;
    batch.jobs = {job};
    return std::get<SubmitAnswer>(handle(core, batch)).results.front().value().id;
  };
  const JobId parent = submit(job_of());
  submit(waiting_for(DependencyType::kFanIn, {parent}));  // so that there is something to look for
  const JobId other = submit(job_of());
  // Ten layers of three, each after all three of the layer before: 3^10 paths.
  std::vector<JobId> layer = {other};
  for (int i = 0; i < 10; ++i) {
    std::vector<JobId> next;
    for (int k = 0; k < 3; ++k)
      next.push_back(submit(waiting_for(DependencyType::kAfter, layer)));
    layer = next;
  }
  DependencyWalk waits(core);
  for (const JobId& id : layer)
    EXPECT_EQ(waits.meets_fan_in(id, false, parent), std::optional(false));
  EXPECT_EQ(waits.visited(), 31u);
  DependencyWalk depths(core);
  EXPECT_EQ(depths.depth_of(layer.front()), std::optional(11));
  EXPECT_EQ(depths.visited(), 29u);
}

TEST(DependencyWalk, GivesUpAtTenThousandJobs) {
  Rows rows;
  base::Random random(1);
  TermsTable terms;
  Core core(rows, {}, terms);
  Turn turn;
  core.begin(kStart, random, turn);
  const auto submit = [&](const std::shared_ptr<Submission>& job) {
    SubmitBatch batch;
    batch.jobs = {job};
    return std::get<SubmitAnswer>(handle(core, batch)).results.front().value().id;
  };
  const JobId parent = submit(job_of());
  submit(waiting_for(DependencyType::kFanIn, {parent}));
  std::vector<JobId> collectors;
  for (int i = 0; i < 11; ++i) {
    std::vector<JobId> many;
    for (int k = 0; k < 1'000; ++k)
      many.push_back(submit(job_of()));
    collectors.push_back(submit(waiting_for(DependencyType::kAfter, many)));
  }
  const JobId all = submit(waiting_for(DependencyType::kAfter, collectors));
  DependencyWalk waits(core);
  EXPECT_EQ(waits.meets_fan_in(all, false, parent), std::nullopt);
  EXPECT_EQ(waits.visited(), kMostVisited + 1);
  DependencyWalk depths(core);
  EXPECT_EQ(depths.depth_of(all), std::nullopt);
}

}  // namespace
}  // namespace baton::store::local
