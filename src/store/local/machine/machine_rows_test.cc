// What the Machine writes must be enough to go on from: another Machine takes it up. Several
// commands in one turn, and what a turn leaves in rows that no reader sees.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "store/local/machine/core.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/rows.h"
#include "store/work_call.h"

namespace baton::store::local {
namespace {

class MachineRows : public testing::Test {
 protected:
  using Change = std::function<void(Submission&)>;

  Turn turn(std::vector<Command> commands) {
    Turn turn = machine_->turn(commands, now_, random_);
    rows_.apply(turn.changes);
    EXPECT_EQ(machine_->audit(), std::vector<std::string>{});
    return turn;
  }
  template <class As>
  As ask(Command command) {
    Turn done = turn({std::move(command)});
    return std::get<As>(std::move(done.answers.front()));
  }
  static std::shared_ptr<const Submission> spec(const Change& change = {}) {
    auto job = std::make_shared<Submission>();
    job->type = "work";
    if (change) change(*job);
    return job;
  }
  static SubmitBatch batch(const Change& change = {}) {
    SubmitBatch one;
    one.jobs = {spec(change)};
    return one;
  }
  static Change waits_for(DependencyType type, const std::vector<JobId>& ids) {
    Dependency entry{type, {}, false};
    for (const JobId& id : ids)
      entry.jobs.push_back(to_string(id));
    return [entry](Submission& job) { job.depends_on.push_back(entry); };
  }
  static Change after(const std::vector<JobId>& ids) {
    return waits_for(DependencyType::kAfter, ids);
  }
  static Change fan_in(const std::vector<JobId>& ids) {
    return waits_for(DependencyType::kFanIn, ids);
  }
  JobId submit(const Change& change = {}) {
    return ask<SubmitAnswer>(batch(change)).results.front()->id;
  }
  void use_queue(const std::string& name, const std::string& profile) {
    QueueUpdate update;
    update.name = name;
    update.profile = profile;
    ask<Queue>(update);
  }
  ClaimedJob claim(const std::string& queue = "default") {
    ClaimRequest request;
    request.queues = {queue};
    request.worker = "w";
    return ask<ClaimAnswer>(request).executions.at(0);
  }
  static WorkCall call(CallKind kind, const ClaimedJob& claimed) {
    WorkCall call;
    call.call = blank_call(kind);
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    return call;
  }
  // Claims the job that is next, and completes it with as many children.
  JobId complete_next(std::size_t children = 0) {
    WorkCall ack = call(CallKind::kAck, claim());
    std::get<AckCall>(ack.call).spawn.assign(children, spec());
    return ask<CallAnswer>(ack).job;
  }
  JobState state_of(const JobId& id) const { return rows_.find(id)->facts.state; }
  const Waits& waits_of(const JobId& id) const { return rows_.stored(id).waits; }
  static const JobChange* change_of(const Turn& turn, const JobId& id) {
    for (const RowChange& row : turn.changes) {
      const auto* change = std::get_if<JobChange>(&row);
      if (change != nullptr && change->id == id) return change;
    }
    return nullptr;
  }

  // Another Machine takes up what the rows have.
  void reopen() {
    take_up({});
    const Turn first = machine_->reopen(now_, random_);
    rows_.apply(first.changes);
    EXPECT_FALSE(machine_->is_reopening());
    EXPECT_EQ(machine_->audit(), std::vector<std::string>{});
  }
  void take_up(const Tuning& tuning) {
    auto next = std::make_unique<Machine>(rows_, tuning);
    std::int64_t last = 0;
    std::map<std::string, StoredQueue> queues;
    for (const auto& [name, settings] : rows_.queues())
      queues[name] = {name, settings, std::vector<std::int64_t>(lifecycle::kJobStateCount)};
    for (const auto& [number, record] : rows_.jobs()) {
      last = number;
      ++queues.at(record->spec->queue).counts[static_cast<std::size_t>(record->facts.state)];
    }
    next->begin_loading(now_, last);
    for (const auto& [name, queue] : queues)
      next->load(queue);
    for (const auto& [id, account] : rows_.accounts())
      next->load(*rows_.account(id).value());
    for (const auto& [number, record] : rows_.jobs()) {
      if (is_terminal(record->facts.state)) continue;
      const StoredJob& stored = rows_.stored(record->id);
      LiveJob job;
      job.id = record->id;
      job.number = number;
      job.queue = record->spec->queue;
      job.type = record->spec->type;
      job.account = record->spec->account;
      job.facts = record->facts;
      job.ready = stored.ready;
      job.key = stored.key;
      if (!stored.waits.groups.empty()) job.waits = &stored.waits;
      next->load(job);
    }
    for (const auto& [number, record] : rows_.jobs()) {
      const StoredJob& stored = rows_.stored(record->id);
      if (!stored.key) continue;
      next->load(
          StoredKey{stored.key->key, record->id, record->facts.created_at, stored.key->expires_at});
    }
    next->finish_loading();
    machine_ = std::move(next);
  }

  Time now_{1'700'000'000'000};
  Rows rows_;
  base::Random random_{1};
  std::unique_ptr<Machine> machine_ = std::make_unique<Machine>(rows_);
};

// ---- Several commands in one turn -------------------------------------------------------------

TEST_F(MachineRows, AJobMayEndAndBeDeletedInOneTurn) {
  const JobId job = submit();
  const Turn both = turn({CancelJob{job, false, {}}, DeleteJob{job}});
  EXPECT_TRUE(std::holds_alternative<Deleted>(both.answers[1]));
  const JobId a = submit();
  const JobId b = submit();
  EXPECT_EQ(claim().job, a);
  EXPECT_EQ(claim().job, b);
  EXPECT_EQ(machine_->live_jobs(), 2);
}

TEST_F(MachineRows, ARedriveCopiesItsOwnJobWhateverElseTheTurnDid) {
  const JobId job = submit([](Submission& one) { one.payload = "mine"; });
  GrantCredits grant;
  grant.account = "ann";
  grant.amount = 1;
  const Turn all = turn({grant, batch([](Submission& one) { one.payload = "another"; }),
                         CancelJob{job, false, {}}, RedriveJob{job}});
  const auto* copy = std::get_if<JobAnswer>(&all.answers[3]);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(rows_.find(copy->id)->spec->payload, "mine");
}

// The archive does not have it yet; the turn's own changes do.
TEST_F(MachineRows, AJobMayBeMadeAndRedrivenInOneTurn) {
  Rows others;
  base::Random same{1};
  Machine twin(others);
  const Turn made = twin.turn({batch()}, now_, same);
  const JobId id = std::get<SubmitAnswer>(made.answers.front()).results.front()->id;
  const Turn all = turn({batch(), CancelJob{id, false, {}}, RedriveJob{id}});
  EXPECT_TRUE(std::holds_alternative<JobAnswer>(all.answers[1]));
  const auto* copy = std::get_if<JobAnswer>(&all.answers[2]);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(rows_.find(copy->id)->redriven_from, id);
}

TEST_F(MachineRows, ATurnWithoutCommandsMovesDependents) {
  const JobId mortal = submit([](Submission& job) { job.timeouts.lifetime = base::seconds(10); });
  const JobId waits = submit(after({mortal}));
  now_ = now_ + base::seconds(10);
  turn({});
  EXPECT_EQ(state_of(waits), JobState::kDeadLetter);
}

TEST_F(MachineRows, TimersSayHowManyJobsChanged) {
  for (int i = 0; i < 3; ++i)
    submit([](Submission& job) { job.delay = base::seconds(10); });
  EXPECT_EQ(ask<TimersAnswer>(RunTimers{}).fired, 0);
  now_ = now_ + base::seconds(10);
  EXPECT_EQ(ask<TimersAnswer>(RunTimers{}).fired, 3);
  EXPECT_EQ(ask<TimersAnswer>(RunTimers{}).fired, 0);
}

TEST_F(MachineRows, AtLeastOneJobIsPruned) {
  submit();
  complete_next();
  now_ = now_ + base::days(365);
  EXPECT_EQ(ask<Error>(Prune{0}).code, Code::kBadRequest);
  EXPECT_EQ(ask<Pruned>(Prune{1}).deleted, 1);
}

// ---- What is kept of a job that waits ---------------------------------------------------------

TEST_F(MachineRows, WaitsAreKeptWithDepthAndCounts) {
  const JobId a = submit();
  const JobId b = submit();
  const JobId waits = submit(after({a, b}));
  EXPECT_EQ(waits_of(a), Waits{}) << "it waits for nobody";
  Waits expected{2, {{DependencyType::kAfter, false, 2, 0, JobState::kNone}}, {{a, 0}, {b, 0}}};
  EXPECT_EQ(waits_of(waits), expected);
  EXPECT_EQ(complete_next(), a);
  expected.groups[0].ended = 1;
  expected.open = {{b, 0}};
  EXPECT_EQ(waits_of(waits), expected);
  EXPECT_EQ(complete_next(), b);
  EXPECT_EQ(state_of(waits), JobState::kScheduled);
  EXPECT_EQ(waits_of(waits), Waits{}) << "nothing is left to wait for";
}

TEST_F(MachineRows, AnEndedDependencyIsOfNoDepth) {
  use_queue("papers", "document");
  submit();
  const JobId ended = complete_next();
  const Change draft = [&](Submission& job) {
    job.queue = "papers";
    job.draft = true;
    after({ended})(job);
  };
  EXPECT_EQ(waits_of(submit(draft)).depth, 1);
}

// Walking the chain is for those that would be refused.
TEST_F(MachineRows, DepthIsTakenFromWhatItWasAtTheSubmission) {
  const JobId a = submit();
  const JobId b = submit(after({a}));
  const JobId c = submit(after({b}));
  EXPECT_EQ(waits_of(c).depth, 3);
  EXPECT_EQ(complete_next(), a);
  EXPECT_EQ(waits_of(submit(after({c}))).depth, 4);
}

// Whether the store was opened again in between makes no difference.
TEST_F(MachineRows, AJobThatMayRunIsOfDepthOneWhateverElseItNamed) {
  JobId last = submit();
  for (int i = 1; i < 99; ++i)
    last = submit(after({last}));
  const JobId quick = submit([](Submission& job) { job.priority = Priority::kCritical; });
  const JobId any = submit(waits_for(DependencyType::kAfterAny, {last, quick}));
  EXPECT_EQ(complete_next(), quick);
  ASSERT_EQ(state_of(any), JobState::kScheduled);
  EXPECT_FALSE(ask<SubmitAnswer>(batch(after({any}))).refused);
  reopen();
  EXPECT_FALSE(ask<SubmitAnswer>(batch(after({any}))).refused);
  EXPECT_TRUE(ask<SubmitAnswer>(batch(after({submit(after({last}))}))).refused);
}

TEST_F(MachineRows, AFanInWaitsForChildrenThatItDoesNotName) {
  const JobId parent = submit();
  const JobId before = submit(fan_in({parent}));
  EXPECT_EQ(complete_next(2), parent);
  const auto children = rows_.find(parent)->children;
  ASSERT_EQ(children.size(), 2u);
  const std::vector<Wait> open = {{children[0], 0, false}, {children[1], 0, false}};
  EXPECT_EQ(waits_of(before).open, open);
  EXPECT_EQ(waits_of(submit(fan_in({parent}))).open, open);
}

TEST_F(MachineRows, AnEndingIsOverInItsOwnGroup) {
  const JobId a = submit();
  const JobId b = submit();
  const Change both = [&](Submission& job) {
    after({b})(job);
    after({b, a})(job);
  };
  const JobId waits = submit(both);
  EXPECT_EQ(complete_next(), a);
  EXPECT_EQ(waits_of(waits).open, (std::vector<Wait>{{b, 0}, {b, 1}}));
  EXPECT_EQ(complete_next(), b);
  EXPECT_EQ(state_of(waits), JobState::kScheduled);
}

// ---- What else is kept ------------------------------------------------------------------------

TEST_F(MachineRows, OnlyAReadyJobHasAPlaceAmongTheReady) {
  const JobId a = submit();
  const JobId b = submit();
  const JobId waits = submit(after({a}));
  EXPECT_GT(rows_.stored(a).ready, 0);
  EXPECT_GT(rows_.stored(b).ready, rows_.stored(a).ready);
  EXPECT_EQ(rows_.stored(waits).ready, 0);
  claim();
  EXPECT_EQ(rows_.stored(a).ready, 0);
}

TEST_F(MachineRows, AKeyIsKeptUntilTheJobGivesItBack) {
  use_queue("pictures", "generation");
  const Change keyed = [](Submission& job) { job.idempotency_key = "k"; };
  const Change freed = [](Submission& job) {
    job.idempotency_key = "f";
    job.queue = "pictures";
  };
  const JobId keeps = submit(keyed);
  const JobId frees = submit(freed);
  EXPECT_TRUE(rows_.stored(keeps).key.has_value());
  EXPECT_TRUE(rows_.stored(frees).key.has_value());
  turn({CancelJob{keeps, false, {}}, CancelJob{frees, false, {}}});
  EXPECT_TRUE(rows_.stored(keeps).key.has_value());
  EXPECT_FALSE(rows_.stored(frees).key.has_value());
}

TEST_F(MachineRows, ABareHeartbeatNeedNotBeDurable) {
  submit();
  const ClaimedJob claimed = claim();
  const auto durable = [&](const WorkCall& beat) {
    return change_of(turn({beat}), claimed.job)->durable;
  };
  WorkCall bare = call(CallKind::kHeartbeat, claimed);
  EXPECT_FALSE(durable(bare));
  WorkCall message = bare;
  std::get<HeartbeatCall>(message.call).message = "half way";
  EXPECT_TRUE(durable(message));
  WorkCall checkpoint = bare;
  std::get<HeartbeatCall>(checkpoint.call).checkpoint = "page 7";
  EXPECT_TRUE(durable(checkpoint));
}

TEST_F(MachineRows, QueuesAndAccountsAreKept) {
  QueueUpdate update;
  update.name = "slow";
  update.max_running = 3;
  ask<Queue>(update);
  EXPECT_EQ(rows_.queues().at("slow").max_running, 3);
  GrantCredits tier;
  tier.account = "ann";
  tier.tier = Tier::kPro;
  ask<Account>(tier);
  EXPECT_EQ(rows_.accounts().at("ann").tier, Tier::kPro);
  use_queue("pictures", "generation");
  const JobId job = submit([](Submission& one) {
    one.queue = "pictures";
    one.account = "ann";
  });
  EXPECT_EQ(rows_.accounts().at("ann").active_jobs, 1);
  turn({CancelJob{job, false, {}}});
  EXPECT_EQ(rows_.accounts().at("ann").active_jobs, 0);
}

TEST_F(MachineRows, OnlyModerationIsRecordedForAudits) {
  use_queue("pictures", "generation");
  const Change picture = [](Submission& one) {
    one.queue = "pictures";
    one.account = "ann";
    one.idempotency = Idempotency::kNone;
  };
  const JobId refused = submit(picture);
  const JobId left = submit(picture);
  turn({CancelJob{left, false, {}}, RejectJob{refused, "no"}});
  ASSERT_EQ(rows_.audit_log().size(), 1u);
  const AuditRecord& record = rows_.audit_log().front();
  EXPECT_EQ(record.action, "SAFE_BLOCK");
  EXPECT_EQ(record.job, refused);
  EXPECT_EQ(record.account, "ann");
  EXPECT_EQ(record.at, now_);
}

TEST_F(MachineRows, ADeletedJobIsNotListedAsEnded) {
  const auto ended = [this] {
    std::vector<std::size_t> sizes;
    const auto standings = rows_.standings({}, 10);
    for (const Standing& standing : *standings)
      sizes.push_back(rows_.ended(standing, {}, now_, 10).value().size());
    return sizes;
  };
  submit();
  const JobId good = complete_next();
  const JobId bad = submit();
  turn({CancelJob{bad, false, {}}});
  EXPECT_EQ(ended(), (std::vector<std::size_t>{1, 1}));
  turn({DeleteJob{good}, DeleteJob{bad}});
  EXPECT_EQ(ended(), (std::vector<std::size_t>{0, 0}));
}

// A change that comes from a log has only what changed.
TEST_F(MachineRows, AChangeLeavesWhatItDoesNotBring) {
  submit();
  const ClaimedJob claimed = claim();
  JobRecord record = *rows_.find(claimed.job);
  record.facts.not_before = Time{5};
  const lifecycle::JobFacts before = record.facts;
  JobChange change;
  change.id = claimed.job;
  change.facts = before;
  change.facts.execution = {};
  change.facts.not_before = {};
  change.facts.started_at = {};
  apply(record, change);
  EXPECT_EQ(record.facts, before);
}

TEST_F(MachineRows, KeysThatHaveEndedAreForgotten) {
  TermsTable terms;
  Core core(rows_, {}, terms);
  Turn first;
  core.begin(now_, random_, first);
  const Key key = make_key("work", "k");
  core.keys.hold(key, {make_job_id(random_), now_, now_ + base::seconds(1)});
  Turn second;
  core.begin(now_ + base::seconds(1), random_, second);
  EXPECT_EQ(core.keys.size(), 0u);
}

// ---- Another Machine goes on ------------------------------------------------------------------

TEST_F(MachineRows, AnotherMachineGoesOnFromThem) {
  use_queue("pictures", "generation");
  GrantCredits grant;
  grant.account = "ann";
  grant.amount = 10;
  ask<Account>(grant);
  const Change keyed = [](Submission& job) { job.idempotency_key = "k"; };
  const JobId first = submit(keyed);
  const JobId second = submit();
  const JobId paid = submit([](Submission& job) {
    job.queue = "pictures";
    job.account = "ann";
    job.cost = 4;
  });
  const JobId waits = submit(after({first, second}));
  const ClaimedJob held = claim();
  EXPECT_EQ(held.job, first);
  now_ = now_ + base::seconds(5);
  reopen();
  EXPECT_EQ(machine_->live_jobs(), 4);
  EXPECT_EQ(rows_.find(first)->facts.execution.lease_expires_at, now_ + held.facts.terms->lease)
      << "one full term";
  EXPECT_EQ(ask<SubmitAnswer>(batch(keyed)).results.front()->id, first);
  EXPECT_EQ(complete_next(), second);
  EXPECT_EQ(state_of(waits), JobState::kPending);
  ask<CallAnswer>(call(CallKind::kAck, held));
  EXPECT_EQ(state_of(waits), JobState::kScheduled);
  ask<CallAnswer>(call(CallKind::kAck, claim("pictures")));
  EXPECT_EQ(state_of(paid), JobState::kCompleted);
  EXPECT_EQ(ask<Account>(GetAccount{"ann"}).balance.captured, 4);
  EXPECT_EQ(rows_.entries("ann").back().seq, 3);
  EXPECT_GT(rows_.find(submit())->number, rows_.find(waits)->number);
}

// ---- The first turns ---------------------------------------------------------------------------

// All leases were renewed in one turn.
TEST_F(MachineRows, LeasesAreRenewedAFewInATurnAndNoneEndsBefore) {
  Tuning tuning;
  tuning.leases_per_turn = 3;
  std::vector<JobId> ids;
  for (int i = 0; i < 8; ++i) {
    submit([](Submission& job) { job.timeouts.lease = base::seconds(1); });
    ids.push_back(claim().job);
  }
  const JobId delayed = submit([](Submission& job) { job.delay = base::seconds(2); });
  now_ = now_ + base::seconds(10);
  take_up(tuning);
  // It dies in the middle: the next one renews all of them anew.
  rows_.apply(machine_->reopen(now_, random_).changes);
  EXPECT_TRUE(machine_->is_reopening());
  now_ = now_ + base::seconds(10);
  take_up(tuning);
  std::vector<std::size_t> counts;
  do {
    now_ = now_ + base::milliseconds(300);
    const Turn turn = machine_->reopen(now_, random_);
    std::size_t renewed = 0;
    for (const RowChange& row : turn.changes) {
      const auto& change = std::get<JobChange>(row);
      if (change.id == delayed) continue;
      EXPECT_EQ(change.facts.state, JobState::kRunning);
      EXPECT_EQ(change.facts.execution.lease_expires_at, now_ + base::seconds(1));
      ++renewed;
    }
    counts.push_back(renewed);
    rows_.apply(turn.changes);
    EXPECT_EQ(state_of(delayed) == JobState::kScheduled, !machine_->is_reopening());
    EXPECT_EQ(machine_->next_due().ms == now_.ms, machine_->is_reopening());
    EXPECT_EQ(machine_->audit(), std::vector<std::string>{});
  } while (machine_->is_reopening());
  EXPECT_EQ(counts, (std::vector<std::size_t>{3, 3, 2}));
}

}  // namespace
}  // namespace baton::store::local
