// What happens by itself gives way to commands while what was kept is not taken. Nobody takes it
// here unless the test says so, and everything is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "base/eventually.h"
#include "store/local/machine/machine_thread.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

using base::ManualClock;

constexpr std::size_t kChunk = 10;
constexpr std::size_t kEnough = 50;  // changes from which on what happens by itself gives way

class BackgroundWork : public testing::Test {
 protected:
  template <class Expected>
  Expected ask(Command command) {
    std::promise<Answer> answer;
    thread_.post(std::move(command), [&](Answer one) { answer.set_value(std::move(one)); });
    return std::get<Expected>(answer.get_future().get());
  }
  std::vector<JobId> submit(std::size_t count, const Submission& like) {
    SubmitBatch batch;
    batch.jobs.assign(count, std::make_shared<Submission>(like));
    std::vector<JobId> ids;
    for (const auto& made : ask<SubmitAnswer>(batch).results)
      ids.push_back(made->id);
    return ids;
  }
  static Submission job() {
    Submission job;
    job.type = "mail";
    return job;
  }
  static Submission delayed() {
    Submission one = job();
    one.delay = base::seconds(5);
    return one;
  }
  // The projector has brought everything, or something, into the catalog.
  void project_all() {
    unprojected_ = 0;
    thread_.came_nearer();
  }
  std::int64_t in(JobState state) {
    return ask<Stats>(GetStats{}).counts.at(static_cast<std::size_t>(state));
  }

  static Tuning tuning() {
    Tuning tuning;
    tuning.timers_per_turn = kChunk;
    tuning.dependents_per_turn = kChunk;
    return tuning;
  }

  ManualClock clock_{Time{1'700'000'000'000}};
  Rows rows_;
  Machine machine_{rows_, tuning()};
  std::atomic<std::size_t> unprojected_{0};
  std::atomic<std::size_t> turns_{0};
  MachineThread thread_{machine_,
                        {clock_, {}},
                        base::Random(1),
                        [this](Time, const std::vector<RowChange>& changes) {
                          rows_.apply(changes);
                          unprojected_ += changes.size();
                          ++turns_;
                          return Status(Ok{});
                        },
                        tuning(),
                        [this] { return unprojected_ > kEnough; }};
};

// The backlog used to fill what may be unprojected, and then every command waited for the
// projector.
TEST_F(BackgroundWork, CommandsGoThroughWhileABacklogOfTimersWaits) {
  submit(300, delayed());
  project_all();
  clock_.advance(base::seconds(5));
  // Until as much is unprojected as they may add.
  while (unprojected_ <= kEnough)
    ask<TimersAnswer>(RunTimers{});
  EXPECT_LE(unprojected_, kEnough + kChunk);
  const std::int64_t fired = in(JobState::kScheduled);
  EXPECT_LT(fired, 100);
  for (std::size_t i = 1; i <= 20; ++i) {
    submit(1, job());
    EXPECT_LE(unprojected_, kEnough + kChunk + 2 * i) << "nothing but the commands' own changes";
  }
  EXPECT_EQ(in(JobState::kScheduled), fired + 20);
  EXPECT_EQ(in(JobState::kDelayed), 300 - fired);
}

TEST_F(BackgroundWork, ABacklogThatWaitsTakesNoTurns) {
  submit(300, delayed());
  clock_.advance(base::seconds(5));
  ask<TimersAnswer>(RunTimers{});
  const std::size_t before = turns_;
  for (int i = 0; i < 20; ++i)
    ask<TimersAnswer>(RunTimers{});
  EXPECT_EQ(turns_ - before, 20u);
}

TEST_F(BackgroundWork, TheBacklogGoesOnAsTheProjectorComesNearer) {
  submit(300, delayed());
  clock_.advance(base::seconds(5));
  // So far behind that it stays behind: each time that it comes nearer, one turn's work is done.
  unprojected_ = 1'000'000;
  ask<TimersAnswer>(RunTimers{});
  EXPECT_EQ(in(JobState::kDelayed), 300);
  for (std::int64_t i = 1; i <= 5; ++i) {
    thread_.came_nearer();
    EXPECT_EQ(in(JobState::kDelayed), 300 - i * static_cast<std::int64_t>(kChunk));
    EXPECT_EQ(in(JobState::kDelayed), 300 - i * static_cast<std::int64_t>(kChunk));
  }
  int rounds = 0;
  for (; in(JobState::kDelayed) > 0 && rounds < 300; ++rounds)
    project_all();
  EXPECT_EQ(in(JobState::kScheduled), 300);
}

// Nobody asks for anything: the thread wakes up because of the projector alone.
TEST_F(BackgroundWork, TheProjectorWakesTheThread) {
  submit(40, delayed());
  unprojected_ = 1'000'000;
  clock_.advance(base::seconds(5));
  ask<TimersAnswer>(RunTimers{});
  const std::size_t before = turns_;
  unprojected_ = 0;
  thread_.came_nearer();
  ASSERT_TRUE(base::eventually([&] { return unprojected_ >= 40; }));
  EXPECT_GE(turns_ - before, 4u);
  EXPECT_EQ(in(JobState::kScheduled), 40);
}

TEST_F(BackgroundWork, DependentsWaitAndTheirJobCannotGoMeanwhile) {
  const JobId first = submit(1, job()).front();
  Submission after = job();
  after.depends_on = {{DependencyType::kAfter, {to_string(first)}, false}};
  submit(100, after);
  ClaimRequest request;
  request.queues = {"default"};
  request.worker = "w";
  const ClaimedJob claimed = ask<ClaimAnswer>(request).executions.at(0);
  unprojected_ = 1'000'000;
  WorkCall ack;
  ack.call = AckCall{};
  ack.execution = claimed.execution;
  ack.token = claimed.facts.execution.token;
  ask<CallAnswer>(ack);
  EXPECT_EQ(in(JobState::kPending), 100);
  EXPECT_EQ(ask<Error>(DeleteJob{first}).code, Code::kConflict);
  for (int rounds = 0; in(JobState::kPending) > 0 && rounds < 100; ++rounds)
    project_all();
  EXPECT_EQ(in(JobState::kScheduled), 100);
  ask<Deleted>(DeleteJob{first});
}

// A job that a command names is up to date all the same.
TEST_F(BackgroundWork, ACommandBringsItsOwnJobUpToDate) {
  const std::vector<JobId> ids = submit(30, delayed());
  unprojected_ = 1'000'000;
  clock_.advance(base::seconds(5));
  ask<TimersAnswer>(RunTimers{});
  EXPECT_EQ(ask<Explanation>(ExplainJob{ids.back()}).canonical_state, JobState::kScheduled);
  EXPECT_EQ(in(JobState::kDelayed), 29);
}

TEST_F(BackgroundWork, AThreadWithABacklogStops) {
  submit(300, delayed());
  unprojected_ = 1'000'000;
  clock_.advance(base::seconds(5));
  ask<TimersAnswer>(RunTimers{});
}

}  // namespace
}  // namespace baton::store::local
