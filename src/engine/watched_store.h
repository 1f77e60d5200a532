// A store in memory with a clock that stands still, and what waits on it. For tests only.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/alarm.h"
#include "store/local/local_store.h"

namespace baton::engine {

class WatchedStore {
 public:
  WatchedStore() : store_(store::local::open_memory_store({.clock = &clock_, .seed = 7})) {}
  ~WatchedStore() { stop(); }

  // No alarm is heard and no watcher told any more.
  void stop() {
    alarm_.stop();
    store_->watch({});
  }
  // Ends a test: when it returns, nothing calls the listener any more.
  template <class Listener>
  void part_from(Listener& listener) {
    stop();
    listener.close();
    run_timers();  // comes after whatever the store still had to answer
  }

  store::Store& store() { return *store_; }
  base::ManualClock& clock() { return clock_; }
  Alarm& alarm() { return alarm_; }

  // Hands what happens to `listener.happened`.
  template <class Listener>
  void watch(Listener& listener, store::Watcher store::Watchers::*when = &store::Watchers::kept) {
    store::Watchers watchers;
    watchers.*when = [&listener](const std::vector<store::Happening>& happenings) {
      listener.happened(happenings);
    };
    store_->watch(std::move(watchers));
  }

  // The clock moves on; alarms and timers that fall due are heard.
  void advance(Duration by) {
    clock_.advance(by);
    run_timers();
    alarm_.look();
  }

  void run_timers() {
    ask<store::TimersAnswer>([&](auto done) { store_->run_timers(std::move(done)); });
  }

  template <class Answer, class Verb>
  Answer ask(Verb verb) {
    std::promise<Result<Answer>> promise;
    verb(store::Done<Answer>([&](Result<Answer> answer) { promise.set_value(std::move(answer)); }));
    return std::move(promise.get_future().get()).value();
  }

  JobId submit(const std::string& type = "mail", const std::string& queue = "default",
               Duration delay = {}) {
    auto job = std::make_shared<Submission>();
    job->type = type;
    job->queue = queue;
    job->payload = "{}";
    if (delay.ms > 0) job->delay = delay;
    return ask<store::SubmitAnswer>(
               [&](auto done) { store_->submit({.jobs = {job}}, std::move(done)); })
        .results.front()
        ->id;
  }

  // Jobs of one turn.
  struct Wanted {
    std::string type;
    std::string queue;
  };
  void submit_all(const std::vector<Wanted>& wanted) {
    store::SubmitBatch batch;
    for (const Wanted& one : wanted) {
      auto job = std::make_shared<Submission>();
      job->type = one.type;
      job->queue = one.queue;
      job->payload = "{}";
      batch.jobs.push_back(std::move(job));
    }
    ask<store::SubmitAnswer>([&](auto done) { store_->submit(batch, std::move(done)); });
  }

  void cancel(const JobId& id) {
    ask<store::JobAnswer>([&](auto done) { store_->cancel({id, false, ""}, std::move(done)); });
  }

  void set_paused(const std::string& queue, bool paused) {
    QueueUpdate update;
    update.name = queue;
    update.paused = paused;
    ask<Queue>([&](auto done) { store_->set_queue(update, std::move(done)); });
  }

 private:
  base::ManualClock clock_{Time{1'700'000'000'000}};
  Alarm alarm_{clock_};
  std::unique_ptr<store::Store> store_;
};

}  // namespace baton::engine
