// What commands read: counted in rows and bytes on the connection of the Machine's thread, whatever
// is in the catalog.
#include <gtest/gtest.h>

#include <functional>

#include "store/local/durable/machine_on_disk.h"

namespace baton::store::local {
namespace {

class MachineReads : public testbed::MachineOnDisk {
 protected:
  using Change = std::function<void(Submission&)>;

  void SetUp() override { open({}); }

  // Everything is in the catalog and nothing in memory but what is live.
  void settle() {
    ASSERT_TRUE(data_->finish().ok());
    turn({GetStats{}});
  }

  void look_at(Turn& turn) override { changes_ = turn.changes.size(); }
  static std::shared_ptr<const Submission> spec(const Change& change = {}) {
    auto job = std::make_shared<Submission>();
    job->type = "work";
    if (change) change(*job);
    return job;
  }
  static SubmitBatch batch(const Change& change, std::size_t count = 1) {
    SubmitBatch all;
    all.jobs.assign(count, spec(change));
    return all;
  }
  static Change waits_for(DependencyType type, const std::vector<JobId>& ids) {
    Dependency entry{type, {}, false};
    for (const JobId& id : ids)
      entry.jobs.push_back(to_string(id));
    return [entry](Submission& job) { job.depends_on = {entry}; };
  }
  std::vector<JobId> submit(std::size_t count, const Change& change = {}) {
    std::vector<JobId> ids;
    while (ids.size() < count) {
      const auto some = std::min<std::size_t>(count - ids.size(), lifecycle::kMaxBatch);
      for (const auto& made : ask<SubmitAnswer>(batch(change, some)).results)
        ids.push_back(made->id);
    }
    return ids;
  }
  std::vector<ClaimedJob> claim(int count) {
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "w";
    request.max = count;
    return ask<ClaimAnswer>(request).executions;
  }
  static WorkCall ack(const ClaimedJob& claimed) {
    WorkCall call;
    call.call = AckCall{};
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    return call;
  }
  std::vector<JobId> completed(std::size_t count, const Change& change = {}) {
    const auto ids = submit(count, change);
    while (true) {
      const auto claimed = claim(1000);
      if (claimed.empty()) return ids;
      std::vector<Command> acks;
      for (const ClaimedJob& one : claimed)
        acks.emplace_back(ack(one));
      turn(acks);
    }
  }
  // A parent with so many children, all ended.
  JobId family(std::size_t children) {
    const JobId parent = submit(1).front();
    WorkCall call = ack(claim(1).front());
    std::get<AckCall>(call.call).spawn.assign(children, spec());
    ask<CallAnswer>(call);
    completed(0);
    return parent;
  }
  Error refusal(Command command) {
    std::vector<Command> commands;
    commands.push_back(std::move(command));
    Answer answer = std::move(turn(commands).front());
    if (auto* error = std::get_if<Error>(&answer)) return *error;
    return std::get<SubmitAnswer>(answer).refused.value().error;
  }

  std::size_t changes_ = 0;
};

TEST_F(MachineReads, EachEndedDependencyIsReadOnceForABatch) {
  const auto ended = completed(1000);
  settle();
  const auto made = ask<SubmitAnswer>(batch(waits_for(DependencyType::kAfter, ended), 20));
  EXPECT_TRUE(made.results.front().ok());
  EXPECT_LE(reads_.rows, 1010);
  EXPECT_LE(reads_.bytes, 1000 * 200);
}

TEST_F(MachineReads, AFanInReadsEachEndedChildOnce) {
  const JobId parent = family(200);
  settle();
  ask<SubmitAnswer>(batch(waits_for(DependencyType::kFanIn, {parent}), 20));
  EXPECT_LE(reads_.rows, 210);
}

TEST_F(MachineReads, DependenciesBeyondTheBudgetAreRefusedAndMakeNothing) {
  Tuning tuning;
  tuning.rows_per_command = 100;
  open(tuning);
  const auto ended = completed(120);
  const JobId parent = family(99);
  settle();
  const std::vector<JobId> fits(ended.begin(), ended.begin() + 100);
  ask<SubmitAnswer>(batch(waits_for(DependencyType::kAfter, fits), 3));
  EXPECT_EQ(refusal(batch(waits_for(DependencyType::kAfter, ended))).code,
            Code::kDependencyTooWide);
  EXPECT_LE(reads_.rows, 200);
  EXPECT_EQ(changes_, 0u);
  EXPECT_EQ(refusal(batch(waits_for(DependencyType::kFanIn, {parent, ended[0]}))).code,
            Code::kDependencyTooWide);
  EXPECT_LE(reads_.rows, 200);
  EXPECT_EQ(changes_, 0u);
}

// The command before has read what this one needs: the answer is the same all the same.
TEST_F(MachineReads, ABudgetIsForOneCommand) {
  Tuning tuning;
  tuning.rows_per_command = 10;
  open(tuning);
  const auto ended = completed(30);
  settle();
  std::vector<Command> commands;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<JobId> ten(ended.begin() + static_cast<std::ptrdiff_t>(10 * i),
                                 ended.begin() + static_cast<std::ptrdiff_t>(10 * i + 10));
    commands.emplace_back(batch(waits_for(DependencyType::kAfter, ten)));
  }
  for (const Answer& answer : turn(commands))
    EXPECT_FALSE(std::get<SubmitAnswer>(answer).refused.has_value());
}

// Several parents that ended were told in one turn, and each read all its children.
TEST_F(MachineReads, ATurnThatTellsOfEndedParentsReadsABoundedNumberOfChildren) {
  constexpr std::size_t kParents = 6;
  constexpr std::size_t kChildren = 60;
  Tuning tuning;
  tuning.dependents_per_turn = 100;
  open(tuning);
  std::vector<JobId> parents = submit(kParents);
  const JobId collects = submit(1, waits_for(DependencyType::kFanIn, parents)).front();
  std::vector<ClaimedJob> running = claim(kParents);
  // Each is committed with its children, and ends when they have ended and are gone.
  for (const ClaimedJob& one : running) {
    WorkCall commit = ack(one);
    commit.call = StartCall{};
    ask<CallAnswer>(commit);
    commit.call = CommitCall{};
    std::get<CommitCall>(commit.call).spawn.assign(kChildren, spec());
    ask<CallAnswer>(commit);
  }
  for (auto some = claim(1'000); !some.empty(); some = claim(1'000)) {
    for (const ClaimedJob& one : some) {
      ask<CallAnswer>(ack(one));
      if (one.job.uuid.bytes[15] % 2 == 0) ask<Deleted>(DeleteJob{one.job});
    }
  }
  settle();
  std::vector<Command> dones;
  for (const ClaimedJob& one : running) {
    WorkCall done = ack(one);
    done.call = DoneCall{};
    dones.emplace_back(done);
  }
  Reads before = data_->reads();
  turn(dones);
  std::size_t turns = 1;
  for (; machine_->has_work_left() && turns < 100; ++turns) {
    const Reads read = data_->reads() - before;
    EXPECT_LE(read.rows, 110) << "the budget and the parent's own rows";
    before = data_->reads();
    turn({});
  }
  EXPECT_GE(turns, kParents);
  EXPECT_EQ(ask<Explanation>(ExplainJob{collects}).canonical_state, JobState::kScheduled);
}

TEST_F(MachineReads, ADeletionReadsNoPayloadWhileEndingsAreUntold) {
  Tuning tuning;
  tuning.dependents_per_turn = 1;
  open(tuning);
  const JobId large =
      completed(1, [](Submission& job) { job.payload = std::string(900'000, 'p'); }).front();
  const JobId parent = submit(1).front();
  submit(5, waits_for(DependencyType::kAfterAny, {parent}));
  WorkCall call = ack(claim(1).front());
  std::get<AckCall>(call.call).spawn.assign(1, spec());
  ask<CallAnswer>(call);
  ASSERT_TRUE(machine_->has_work_left());
  ASSERT_TRUE(data_->finish().ok());
  ask<Deleted>(DeleteJob{large});
  EXPECT_LE(reads_.bytes, 1000);
  EXPECT_LE(reads_.rows, 3);
}

TEST_F(MachineReads, AnExplanationReadsNothing) {
  const JobId parent = submit(1).front();
  const JobId collects = submit(1, waits_for(DependencyType::kFanIn, {parent})).front();
  WorkCall call = ack(claim(1).front());
  std::get<AckCall>(call.call).spawn.assign(300, spec());
  ask<CallAnswer>(call);
  settle();
  const auto explained = ask<Explanation>(ExplainJob{collects});
  EXPECT_EQ(explained.waits_for.size(), 100u);
  EXPECT_EQ(reads_.rows, 0);
}

TEST_F(MachineReads, CallsOnEndedJobsReadNeitherPayloadNorResult) {
  submit(1, [](Submission& job) { job.payload = std::string(900'000, 'p'); });
  const ClaimedJob claimed = claim(1).front();
  WorkCall call = ack(claimed);
  std::get<AckCall>(call.call).result = Outcome{std::string(900'000, 'r')};
  ask<CallAnswer>(call);
  settle();
  EXPECT_TRUE(ask<CallAnswer>(ack(claimed)).repeated);
  EXPECT_LE(reads_.bytes, 1000);
  refusal(CancelJob{claimed.job, false, {}});
  EXPECT_LE(reads_.bytes, 1000);
  ask<Deleted>(DeleteJob{claimed.job});
  EXPECT_LE(reads_.bytes, 1000);
  EXPECT_LE(reads_.rows, 2);
}

// The holder of a lost lease gets an answer of its own once the job is committed: its token is read
// from the front of a body that ends with a large result.
TEST_F(MachineReads, ALateCallOfAFormerHolderReadsNoResult) {
  submit(1);
  const ClaimedJob former = claim(1).front();
  now_ = now_ + base::hours(1);
  turn({RunTimers{}});
  now_ = now_ + base::hours(1);
  const ClaimedJob latter = claim(1).front();
  WorkCall call = ack(latter);
  std::get<AckCall>(call.call).result = Outcome{std::string(900'000, 'r')};
  ask<CallAnswer>(call);
  settle();
  EXPECT_EQ(refusal(ack(former)).code, Code::kAlreadyCommitted);
  EXPECT_LE(reads_.bytes, 10'000);
  WorkCall stranger = ack(former);
  stranger.token.bytes[0] ^= 1;
  EXPECT_EQ(refusal(stranger).code, Code::kStaleLease);
}

TEST_F(MachineReads, AnIdThatNobodyHasReadsNoOtherJobs) {
  Tuning tuning;
  tuning.ids_least_behind = 500;
  open(tuning);
  for (const std::size_t more : {300u, 3000u, 1000u}) {
    const auto ids = completed(more);
    settle();
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(refusal(CancelJob{make_job_id(random_), false, {}}).code, Code::kNotFound);
      EXPECT_LE(reads_.rows, 1);
    }
    for (std::size_t i = 0; i < ids.size(); i += 50) {
      EXPECT_EQ(refusal(CancelJob{ids[i], false, {}}).code, Code::kInvalidTransition);
      EXPECT_LE(reads_.rows, 3);
    }
    open(tuning);
  }
}

TEST_F(MachineReads, ADamagedRowRefusesTheCommandThatNeedsItAndNoOther) {
  const auto ended = completed(3);
  const auto keyed = completed(1, [](Submission& job) { job.idempotency_key = "k"; });
  settle();
  archive_->fails = Code::kDamaged;
  archive_->only = ended[1];
  const auto answers =
      turn({batch(waits_for(DependencyType::kAfter, ended)), CancelJob{ended[1], false, {}},
            batch(waits_for(DependencyType::kAfter, {ended[0]}))});
  EXPECT_EQ(std::get<SubmitAnswer>(answers[0]).refused->error.code, Code::kDamaged);
  EXPECT_EQ(std::get<Error>(answers[1]).code, Code::kDamaged);
  EXPECT_FALSE(std::get<SubmitAnswer>(answers[2]).refused.has_value());
  archive_->only = keyed[0];
  const Command again = batch([](Submission& job) { job.idempotency_key = "k"; });
  EXPECT_EQ(refusal(again).code, Code::kDamaged);
  EXPECT_EQ(changes_, 0u);
  EXPECT_FALSE(data_->failure().has_value());
}

class PruneReads : public MachineReads {
 protected:
  void keep(Duration retention, Duration window) {
    QueueUpdate update;
    update.name = "default";
    update.keep_completed = retention;
    update.idempotency_window = window;
    ask<Queue>(update);
  }
  std::vector<JobId> completed_with_keys(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      submit(1, [&](Submission& job) { job.idempotency_key = "k" + std::to_string(++keys_); });
    }
    return completed(0);
  }
  // Prunes until there is no more; every call stays within its budget.
  std::int64_t prune(std::int64_t limit, std::size_t* calls = nullptr) {
    std::int64_t deleted = 0;
    while (true) {
      const auto answer = ask<Pruned>(Prune{limit});
      EXPECT_LE(reads_.rows, limit + 1000 + 200);
      EXPECT_LE(reads_.bytes, reads_.rows * 100);
      EXPECT_LE(answer.deleted, limit);
      if (calls != nullptr) ++*calls;
      deleted += answer.deleted;
      settle();
      if (!answer.more) return deleted;
    }
  }

  int keys_ = 0;
};

TEST_F(PruneReads, SparedJobsAreLookedAtOnceInARoundAndNoneIsLost) {
  keep(base::hours(1), base::hours(24));
  completed_with_keys(4000);
  completed(500);
  now_ = now_ + base::hours(2);
  settle();
  std::size_t calls = 0;
  EXPECT_EQ(prune(100, &calls), 500);
  EXPECT_LE(calls, 4500u / 1100 + 500 / 100 + 2);
  completed_with_keys(1);
  now_ = now_ + base::hours(22);
  settle();
  EXPECT_EQ(prune(500), 4000) << "their keys have ended";
  now_ = now_ + base::hours(3);
  EXPECT_EQ(prune(500), 1);
}

TEST_F(PruneReads, AWalkOverManyQueuesGoesOnWhereItStopped) {
  for (int i = 0; i < 700; ++i) {
    QueueUpdate update;
    update.name = "q" + std::to_string(i);
    update.keep_failed = Duration{};
    ask<Queue>(update);
    const auto id = submit(1, [&](Submission& job) { job.queue = update.name; }).front();
    ask<JobAnswer>(CancelJob{id, false, {}});
  }
  settle();
  EXPECT_EQ(prune(50), 700);
  EXPECT_EQ(prune(50), 0);
}

}  // namespace
}  // namespace baton::store::local
