#include "store/local/machine/machine_thread.h"

#include <gtest/gtest.h>

#include <future>

#include "store/local/local_store.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

using base::ManualClock;

std::shared_ptr<Submission> submission(Duration delay = {}) {
  auto spec = std::make_shared<Submission>();
  spec->type = "mail";
  if (delay > Duration{}) spec->delay = delay;
  return spec;
}

TEST(LocalTime, FollowsTheSteadyClockAndNotTheWallClock) {
  ManualClock clock(Time{5'000});
  const LocalTime time(clock, {});
  clock.advance(base::seconds(2));
  clock.jump_wall(Time{1});
  EXPECT_EQ(time.now(), Time{7'000});
}

TEST(LocalTime, NeverStartsBeforeTheLastStoredTime) {
  ManualClock clock(Time{5'000});
  const LocalTime time(clock, Time{9'000});
  EXPECT_EQ(time.now(), Time{9'000});
  clock.advance(base::milliseconds(1));
  EXPECT_EQ(time.now(), Time{9'001});
}

TEST(MachineThread, KeepsATurnBeforeItAnswers) {
  ManualClock clock(Time{1'000'000});
  Rows rows;
  Machine machine(rows);
  std::atomic<int> kept{0};
  std::promise<int> kept_at_answer;
  {
    MachineThread thread(machine, {clock, {}}, base::Random(1),
                         [&](Time, std::vector<RowChange> changes) {
                           rows.apply(changes);
                           kept += static_cast<int>(changes.size());
                           return Status(Ok{});
                         });
    SubmitBatch batch;
    batch.jobs = {submission()};
    thread.post(batch, [&](Answer answer) {
      EXPECT_TRUE(std::holds_alternative<SubmitAnswer>(answer));
      kept_at_answer.set_value(kept);
    });
    // The new queue and the new job.
    EXPECT_EQ(kept_at_answer.get_future().get(), 2);
  }
}

// A claim that waited for the job is made durable together with it, at the price of one write.
TEST(MachineThread, KeepsWhatWatchersAskForInTheSameTurn) {
  ManualClock clock(Time{1'000'000});
  Rows rows;
  Machine machine(rows);
  std::atomic<int> turns{0};
  std::promise<Answer> claimed;
  std::promise<void> submitted;
  MachineThread thread(machine, {clock, {}}, base::Random(1),
                       [&](Time, const std::vector<RowChange>& changes) {
                         rows.apply(changes);
                         ++turns;
                         return Status(Ok{});
                       });
  std::vector<std::string> made;  // the states, as they came
  std::vector<std::string> kept;
  const auto note = [](std::vector<std::string>& states, const std::vector<Happening>& happenings) {
    for (const Happening& one : happenings)
      states.emplace_back(name(one.step.to));
  };
  thread.watch({.kept = [&](const auto& happenings) { note(kept, happenings); },
                .made =
                    [&](const auto& happenings) {
                      note(made, happenings);
                      if (happenings.back().step.to != JobState::kScheduled) return;
                      ClaimRequest claim;
                      claim.queues = {"default"};
                      claim.worker = "w";
                      thread.post(claim, [&](Answer one) { claimed.set_value(std::move(one)); });
                    }});
  SubmitBatch batch;
  batch.jobs = {submission()};
  thread.post(batch, [&](const Answer&) { submitted.set_value(); });
  submitted.get_future().wait();
  const Answer answer = claimed.get_future().get();
  thread.watch({});
  EXPECT_EQ(std::get<ClaimAnswer>(answer).executions.size(), 1U);
  EXPECT_EQ(turns, 1);
  EXPECT_EQ(made, (std::vector<std::string>{"PENDING", "SCHEDULED", "RUNNING"}));
  EXPECT_EQ(kept, made);
}

Code code_of(const Answer& answer) { return std::get<Error>(answer).code; }

// What the Machine did in a turn that could not be kept must not be seen by anybody.
TEST(MachineThread, RefusesEverythingOnceATurnCouldNotBeKept) {
  ManualClock clock(Time{1'000'000});
  Rows rows;
  Machine machine(rows);
  std::atomic<int> turns{0};
  MachineThread thread(machine, {clock, {}}, base::Random(1),
                       [&](Time, const std::vector<RowChange>&) {
                         ++turns;
                         return Status(Error{Code::kStoreUnavailable, "no space left", {}, {}});
                       });
  for (int i = 0; i < 3; ++i) {
    std::promise<Answer> answer;
    SubmitBatch batch;
    batch.jobs = {submission()};
    thread.post(batch, [&](Answer one) { answer.set_value(std::move(one)); });
    EXPECT_EQ(code_of(answer.get_future().get()), Code::kStoreUnavailable);
  }
  EXPECT_EQ(turns, 1);
}

// Nothing asks; the thread wakes by itself when the delay is over.
TEST(MachineThread, FiresATimerWithoutBeingAsked) {
  base::SystemClock clock;
  Rows rows;
  Machine machine(rows);
  std::promise<void> scheduled;
  std::atomic<bool> done{false};
  MachineThread thread(machine, {clock, {}}, base::Random(1),
                       [&](Time, std::vector<RowChange> changes) {
                         rows.apply(changes);
                         for (const RowChange& row : changes) {
                           const auto* change = std::get_if<JobChange>(&row);
                           if (change != nullptr && change->facts.state == JobState::kScheduled &&
                               !done.exchange(true)) {
                             scheduled.set_value();
                           }
                         }
                         return Status(Ok{});
                       });
  SubmitBatch batch;
  batch.jobs = {submission(base::milliseconds(30))};
  thread.post(batch, [](Answer) {});
  EXPECT_EQ(scheduled.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(MemoryStore, AnswersAnEmptyListOfCallsAtOnce) {
  ManualClock clock(Time{1'000'000});
  const auto store = open_memory_store({&clock, 1});
  bool called = false;
  store->work({}, [&](auto result) {
    called = true;
    EXPECT_TRUE(result->empty());
  });
  EXPECT_TRUE(called);
}

// Whether a command comes before or after the end is a matter of luck; that it is answered is not.
TEST(MemoryStore, AnswersEveryCommandWhenItCloses) {
  ManualClock clock(Time{1'000'000});
  std::promise<void> entered;
  std::promise<void> leave;
  int answers = 0;
  auto store = open_memory_store({&clock, 1});
  SubmitBatch batch;
  batch.jobs = {submission()};
  store->submit(batch, [&](auto) {
    entered.set_value();
    leave.get_future().wait();
  });
  entered.get_future().wait();
  for (int i = 0; i < 10; ++i) {
    store->submit(batch, [&](auto result) {
      ++answers;
      if (!result) {
        EXPECT_EQ(result.error().code, Code::kShuttingDown);
      }
    });
  }
  std::thread closing([&] { store.reset(); });
  leave.set_value();
  closing.join();
  EXPECT_EQ(answers, 10);
}

// A machine thread that was told to stop before it ran refuses what waits.
TEST(MachineThread, RefusesWhatStillWaitsWhenItStops) {
  ManualClock clock(Time{1'000'000});
  Rows rows;
  Machine machine(rows);
  std::promise<void> entered;
  std::promise<void> leave;
  std::vector<Code> refused;
  std::thread stopper;
  {
    auto thread = std::make_unique<MachineThread>(machine, LocalTime(clock, {}), base::Random(1),
                                                  [&](Time, const std::vector<RowChange>& changes) {
                                                    rows.apply(changes);
                                                    return Status(Ok{});
                                                  });
    MachineThread& posts = *thread;
    SubmitBatch batch;
    batch.jobs = {submission()};
    posts.post(batch, [&](Answer) {
      entered.set_value();
      leave.get_future().wait();
    });
    entered.get_future().wait();
    stopper = std::thread([&] { thread.reset(); });
    // Posting goes on until the stop is seen; from then on every command is refused at once.
    while (refused.empty()) {
      posts.post(RunTimers{}, [&](Answer answer) {
        if (const auto* error = std::get_if<Error>(&answer)) refused.push_back(error->code);
      });
    }
    leave.set_value();
    stopper.join();
  }
  for (const Code code : refused)
    EXPECT_EQ(code, Code::kShuttingDown);
}

// With a timer that is far away, and without one, it sleeps: no turn but for a command.
TEST(MachineThread, TakesNoTurnWithoutAReason) {
  SubmitBatch batch;
  batch.jobs = {submission(base::hours(1))};
  for (const Command& command : {Command{batch}, Command{GetStats{}}}) {
    ManualClock clock(Time{1'000'000});
    Rows rows;
    Machine machine(rows);
    std::atomic<bool> quiet{false};
    std::promise<void> unasked;
    MachineThread thread(machine, {clock, {}}, base::Random(1),
                         [&](Time, const std::vector<RowChange>& changes) {
                           rows.apply(changes);
                           if (quiet.exchange(false)) unasked.set_value();
                           return Status(Ok{});
                         });
    std::promise<void> answered;
    thread.post(command, [&](const Answer&) {
      quiet = true;
      answered.set_value();
    });
    answered.get_future().wait();
    EXPECT_EQ(unasked.get_future().wait_for(std::chrono::milliseconds(50)),
              std::future_status::timeout)
        << command.index();
  }
}

TEST(MachineThread, RefusesWhatCameDuringATurnThatCouldNotBeKept) {
  ManualClock clock(Time{1'000'000});
  Rows rows;
  Machine machine(rows);
  std::promise<void> entered;
  std::promise<void> leave;
  MachineThread thread(machine, {clock, {}}, base::Random(1),
                       [&](Time, const std::vector<RowChange>&) {
                         entered.set_value();
                         leave.get_future().wait();
                         return Status(Error{Code::kStoreUnavailable, "no space left", {}, {}});
                       });
  std::promise<Answer> answers[2];
  thread.post(RunTimers{}, [&](Answer one) { answers[0].set_value(std::move(one)); });
  entered.get_future().wait();
  thread.post(RunTimers{}, [&](Answer one) { answers[1].set_value(std::move(one)); });
  leave.set_value();
  for (std::promise<Answer>& answer : answers) {
    auto future = answer.get_future();
    ASSERT_EQ(future.wait_for(std::chrono::seconds(30)), std::future_status::ready);
    EXPECT_EQ(code_of(future.get()), Code::kStoreUnavailable);
  }
}

TEST(MachineRandom, IsTheSameForASeedAndNeverWithoutOne) {
  for (const std::uint64_t seed : {1UL, 2UL}) {
    const LocalOptions options{nullptr, seed};
    EXPECT_EQ(random_of(options, 0).next(), random_of(options, 0).next());
  }
  const LocalOptions unseeded{nullptr, 0};
  EXPECT_NE(random_of(unseeded, 0).next(), random_of(unseeded, 0).next());
}

}  // namespace
}  // namespace baton::store::local
