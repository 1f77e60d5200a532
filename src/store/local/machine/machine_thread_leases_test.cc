// What the thread does before leases end, and when it was held up.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <utility>

#include "store/local/command_verbs.h"
#include "store/local/local_store.h"
#include "store/local/machine/machine_thread.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

using base::ManualClock;
using base::milliseconds;
using base::seconds;

class ThreadWithLeases : public testing::Test {
 protected:
  ~ThreadWithLeases() override { thread_.before_leases_end({}); }

  template <class Expected>
  Expected ask(Command command) {
    std::promise<Answer> answer;
    thread_.post(std::move(command), [&](Answer one) { answer.set_value(std::move(one)); });
    return std::get<Expected>(answer.get_future().get());
  }
  // The store is asked through its thread, because it alone may look at the rows.
  JobState state(const JobId& id) { return ask<Explanation>(ExplainJob{id}).canonical_state; }
  void run_timers() { ask<TimersAnswer>(RunTimers{}); }

  ClaimedJob running() {
    auto job = std::make_shared<Submission>();
    job->type = "mail";
    job->timeouts.lease = seconds(1);
    SubmitBatch batch;
    batch.jobs = {std::move(job)};
    ask<SubmitAnswer>(batch);
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "w";
    return ask<ClaimAnswer>(request).executions.at(0);
  }
  static WorkBatch heartbeat(const ClaimedJob& claimed, Duration waited = {}) {
    WorkCall call;
    call.call = HeartbeatCall{};
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    call.waited = waited;
    return {{call}};
  }
  bool beats(const ClaimedJob& claimed, Duration waited = {}) {
    return ask<WorkBatchAnswer>(heartbeat(claimed, waited)).results.at(0).ok();
  }
  // Questions are kept until the test answers them.
  void listen() {
    thread_.before_leases_end([this](std::function<void()> caught_up) {
      const std::lock_guard lock(mutex_);
      questions_.push_back(std::move(caught_up));
    });
  }
  std::size_t asked() {
    const std::lock_guard lock(mutex_);
    return questions_.size();
  }
  void answer() {
    std::function<void()> caught_up;
    {
      const std::lock_guard lock(mutex_);
      caught_up = questions_.back();
    }
    caught_up();
  }

  ManualClock clock_{Time{1'700'000'000'000}};
  Rows rows_;
  Machine machine_{rows_};
  std::mutex mutex_;
  std::vector<std::function<void()>> questions_;
  MachineThread thread_{
      machine_, {clock_, {}}, base::Random(1), [this](Time, const std::vector<RowChange>& changes) {
        rows_.apply(changes);
        return Status(Ok{});
      }};
};

TEST_F(ThreadWithLeases, AsksOnceAndEndsNoLeaseBeforeTheAnswer) {
  listen();
  const ClaimedJob claimed = running();
  clock_.advance(seconds(1));
  run_timers();
  run_timers();
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(state(claimed.job), JobState::kRunning);
  answer();
  run_timers();
  EXPECT_EQ(state(claimed.job), JobState::kScheduled);
}

TEST_F(ThreadWithLeases, ACallThatIsHandedOverBeforeTheAnswerKeepsItsLease) {
  listen();
  const ClaimedJob claimed = running();
  clock_.advance(seconds(1));
  run_timers();
  EXPECT_TRUE(beats(claimed, milliseconds(1)));
  answer();
  run_timers();
  EXPECT_EQ(state(claimed.job), JobState::kRunning);
}

TEST_F(ThreadWithLeases, CallsThatAreFoundAfterAStallCountAsFromBefore) {
  listen();
  const ClaimedJob claimed = running();
  clock_.advance(seconds(60));  // nobody did anything meanwhile
  EXPECT_TRUE(beats(claimed));
  EXPECT_EQ(state(claimed.job), JobState::kRunning);
}

TEST_F(ThreadWithLeases, ACallThatComesLateWithoutAStallIsStale) {
  listen();
  const ClaimedJob claimed = running();
  clock_.advance(seconds(1));
  run_timers();
  clock_.advance(milliseconds(1));
  EXPECT_FALSE(beats(claimed));
}

TEST_F(ThreadWithLeases, WithNobodyToAskACallIsJudgedByItsOwnArrival) {
  const ClaimedJob claimed = running();
  clock_.advance(seconds(60));
  EXPECT_FALSE(beats(claimed));
}

TEST_F(ThreadWithLeases, WhoeverIsNoLongerThereIsNotWaitedFor) {
  listen();
  const ClaimedJob claimed = running();
  clock_.advance(seconds(1));
  run_timers();
  thread_.before_leases_end({});
  run_timers();
  EXPECT_EQ(state(claimed.job), JobState::kScheduled);
  answer();  // of the former one: it changes nothing
  run_timers();
}

TEST(LeaseHorizon, HoldsFromTheTurnThatTakesTheLastCommand) {
  LeaseHorizon horizon(Time{10});
  horizon.announce(Time{20}, 5);
  EXPECT_EQ(horizon.at_turn({.posted = 6, .taken = 4}), Time{10});
  horizon.announce(Time{30}, 6);  // too early
  EXPECT_EQ(horizon.at_turn({.posted = 6, .taken = 5}), Time{20});
  EXPECT_FALSE(horizon.is_announced());
}

// However many wait, a turn takes so many jobs and calls.
TEST(MachineThreadTurns, TakeABoundedNumberOfCommands) {
  ManualClock clock(Time{1'700'000'000'000});
  Rows rows;
  Tuning tuning;
  tuning.commands_per_turn = 4;
  Machine machine(rows, tuning);
  std::promise<void> entered;
  std::promise<void> leave;
  std::vector<std::size_t> made;
  bool first = true;
  constexpr int kBatches = 9;
  std::promise<void> all;
  int answered = 0;
  {
    MachineThread thread(
        machine, {clock, {}}, base::Random(1),
        [&](Time, const std::vector<RowChange>& changes) {
          rows.apply(changes);
          if (std::exchange(first, false)) {
            entered.set_value();
            leave.get_future().wait();
          } else {
            made.push_back(static_cast<std::size_t>(
                std::count_if(changes.begin(), changes.end(), [](const RowChange& change) {
                  return std::holds_alternative<JobChange>(change);
                })));
          }
          return Status(Ok{});
        },
        tuning);
    thread.post(RunTimers{}, [](const Answer&) {});
    entered.get_future().wait();
    for (int i = 0; i < kBatches; ++i) {
      auto job = std::make_shared<Submission>();
      job->type = "mail";
      SubmitBatch batch;
      batch.jobs = {job, job};
      thread.post(batch, [&](const Answer&) {
        if (++answered == kBatches) all.set_value();
      });
    }
    leave.set_value();
    all.get_future().wait();
  }
  EXPECT_EQ(made, (std::vector<std::size_t>{4, 4, 4, 4, 2}));
}

// The verbs of a local store alone, on a thread whose turns are not kept.
class VerbsOnly final : public CommandVerbs {
 public:
  explicit VerbsOnly(MachineThread& thread) : thread_(thread) {}
  void claim(ClaimRequest, Done<ClaimAnswer>) override {}
  void entries(EntriesPage, Done<std::vector<LedgerEntry>>) override {}
  void get(JobId, Done<std::shared_ptr<const JobRecord>>) override {}
  void list(ListJobs, Done<JobList>) override {}
  void prune(Prune, Done<Pruned>) override {}

 private:
  MachineThread& thread() override { return thread_; }
  MachineThread& thread_;
};

// One answer, complete, for each batch of calls, whoever refuses it and on whichever thread. What
// broke: its calls were refused one by one, some here and some on the store's thread, and the one
// list of their answers was written by both.
TEST(MachineThreadTurns, ABatchOfCallsIsAnsweredOnceWhenTheStoreFails) {
  ManualClock clock(Time{1'700'000'000'000});
  Rows rows;
  Machine machine(rows);
  std::atomic<int> answers{0};
  constexpr int kThreads = 4;
  constexpr int kBatches = 200;
  {
    MachineThread thread(machine, {clock, {}}, base::Random(1),
                         [&](Time, const std::vector<RowChange>&) {
                           return Status(Error{Code::kStoreUnavailable, "no space left", {}, {}});
                         });
    VerbsOnly verbs(thread);
    std::vector<std::thread> posters;
    posters.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      posters.emplace_back([&] {
        for (int k = 0; k < kBatches; ++k) {
          verbs.work(std::vector<WorkCall>(20), [&](const auto& answer) {
            EXPECT_FALSE(answer.ok()) << "there is one refusal of all of them";
            ++answers;
          });
        }
      });
    }
    for (std::thread& poster : posters)
      poster.join();
    std::promise<void> last;
    thread.post(RunTimers{}, [&](const Answer&) { last.set_value(); });
    last.get_future().wait();
  }
  EXPECT_EQ(answers, kThreads * kBatches);
}

}  // namespace
}  // namespace baton::store::local
