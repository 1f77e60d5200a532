// Watching: every change of state is told, once, in its order, when it is durable.
#include <atomic>
#include <future>
#include <mutex>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

// What a watcher was told, as "queue/type FROM>TO".
class Told {
 public:
  Watcher watcher() {
    return [this](const std::vector<Happening>& happenings) {
      const std::lock_guard lock(mutex_);
      for (const Happening& one : happenings) {
        lines_.push_back(std::string(one.queue) + "/" + std::string(one.type) + " " +
                         std::string(name(one.step.from)) + ">" + std::string(name(one.step.to)));
        all_.push_back(one);
      }
    };
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::vector<Happening> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::vector<Happening> all_;
};

TEST_P(Watching, ALifeIsToldStepByStep) {
  Told told;
  store().watch({.kept = told.watcher(), .made = {}});
  const JobId id = make(Spec("mail").queue("out"));
  const ClaimedJob claim = claim_one("out");
  ASSERT_EQ(code_of(nack(claim)), "ok");
  store().watch({});
  EXPECT_EQ(told.lines(),
            (std::vector<std::string>{"out/mail >PENDING", "out/mail PENDING>SCHEDULED",
                                      "out/mail SCHEDULED>RUNNING", "out/mail RUNNING>RETRYING"}));
  for (const Happening& one : told.all()) {
    EXPECT_EQ(one.job, id);
    ASSERT_NE(one.profile, nullptr);
    EXPECT_EQ(one.profile->name, "standard");
  }
  EXPECT_EQ(told.all().back().step, get(id)->history.back());
  EXPECT_EQ(told.all().back().version, get(id)->facts.version);
}

TEST_P(Watching, TellsHowLongAJobWaitedAndRan) {
  make();
  advance(seconds(3));
  Told told;
  store().watch({.kept = told.watcher(), .made = {}});
  const ClaimedJob claim = claim_one();
  advance(seconds(2));
  ASSERT_EQ(code_of(ack(claim)), "ok");
  store().watch({});
  ASSERT_EQ(told.lines(), (std::vector<std::string>{"default/work SCHEDULED>RUNNING",
                                                    "default/work RUNNING>COMPLETED"}));
  EXPECT_EQ(told.all()[0].step.at - told.all()[0].since, seconds(3));
  EXPECT_EQ(told.all()[1].step.at - told.all()[1].since, seconds(2));
}

TEST_P(Watching, WhatTimersDoIsToldToo) {
  make(Spec("late").delay(seconds(5)));
  Told told;
  store().watch({.kept = told.watcher(), .made = {}});
  advance(seconds(5));
  run_timers();
  store().watch({});
  EXPECT_EQ(told.lines(), (std::vector<std::string>{"default/late DELAYED>SCHEDULED"}));
}

TEST_P(Watching, ARefusalIsNotTold) {
  const JobId id = completed();
  Told told;
  store().watch({.kept = told.watcher(), .made = {}});
  EXPECT_EQ(code_of(cancel(id)), "invalid_transition");
  store().watch({});
  EXPECT_TRUE(told.lines().empty());
}

TEST_P(Watching, WhatIsMadeIsToldBeforeItIsKept) {
  Told made;
  Told kept;
  std::atomic<bool> kept_first = false;
  const auto tell_made = made.watcher();
  store().watch({.kept = kept.watcher(), .made = [&](const std::vector<Happening>& happenings) {
                   if (kept.lines().size() > made.lines().size()) kept_first = true;
                   tell_made(happenings);
                 }});
  make();
  ASSERT_EQ(code_of(ack(claim_one())), "ok");
  make(Spec("late").delay(seconds(5)));
  advance(seconds(5));
  run_timers();
  store().watch({});
  EXPECT_EQ(made.lines().size(), 7U);
  EXPECT_EQ(made.lines(), kept.lines());
  EXPECT_FALSE(kept_first);
}

// A claim that is made because of a job that was just made.
TEST_P(Watching, AClaimCanFollowTheJobThatItIsFor) {
  end_watch();  // the job has gone on when its submission is answered
  std::promise<Result<ClaimAnswer>> claimed;
  std::atomic<int> asked = 0;
  store().watch({.kept = {}, .made = [&](const std::vector<Happening>& happenings) {
                   if (happenings.back().step.to != JobState::kScheduled || asked++ > 0) return;
                   ClaimRequest request;
                   request.queues = {"default"};
                   request.worker = "w";
                   store().claim(request,
                                 [&](auto answer) { claimed.set_value(std::move(answer)); });
                 }});
  const JobId id = make();
  const auto answer = claimed.get_future().get();
  store().watch({});
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ(answer->executions.size(), 1U);
  EXPECT_EQ(answer->executions.front().job, id);
  ASSERT_NE(answer->executions.front().record, nullptr);
  EXPECT_EQ(get(id)->facts.state, JobState::kRunning);
}

TEST_P(Watching, OnlyTheLatestWatcherIsTold) {
  Told first;
  Told second;
  store().watch({.kept = first.watcher(), .made = {}});
  make();
  store().watch({.kept = second.watcher(), .made = {}});
  make();
  store().watch({});
  make();
  EXPECT_EQ(first.lines().size(), 2U);
  EXPECT_EQ(second.lines().size(), 2U);
}

}  // namespace
}  // namespace baton::store::conformance
