// An Engine on a store in memory whose clock stands still until a test turns it. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "baton/engine.h"
#include "engine/impl.h"
#include "store/local/local_store.h"
#include "store/work_call.h"

namespace baton::engine {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

inline constexpr Time kStart{1'700'000'000'000};

inline Duration squares(int retry, Duration initial, Duration) {
  return Duration(initial.ms * retry * retry);
}

class DrivenEngine {
 public:
  DrivenEngine() {
    auto store = store::local::open_memory_store(
        {.clock = &clock_, .seed = 42, .functions = {{"squares", squares}}});
    store_ = store.get();
    engine_ = EngineAccess::make(std::move(store), clock_);
    alarm_ = &EngineAccess::running(*engine_).alarm();
  }

  Engine* operator->() { return engine_.get(); }
  Engine& operator*() { return *engine_; }
  void close() { engine_.reset(); }
  const base::Clock& clock() const { return clock_; }

  Time now() const { return clock_.wall(); }
  // Time passes, and what falls due in it happens.
  void advance(Duration by) {
    clock_.advance(by);
    std::promise<void> fired;
    store_->run_timers([&](const auto&) { fired.set_value(); });
    fired.get_future().wait();
    alarm_->look();
  }

  // The one job that waits.
  Claimed claim(const std::string& queue = "default") {
    auto claimed = engine_->claim({.queues = {queue}, .worker = "w1"}).get().value();
    if (claimed.size() != 1) throw std::runtime_error("there was no job to claim");
    return std::move(claimed.front());
  }
  Result<WorkAnswer> work(WorkCall call) {
    return std::move(engine_->work({std::move(call)}).get().value().at(0));
  }
  static WorkCall call_of(CallKind kind, const Claimed& claimed) {
    return {
        .execution = claimed.execution, .token = claimed.token, .call = store::blank_call(kind)};
  }
  // Runs the one job that waits to its end.
  void complete(const std::string& result = "{}") {
    WorkCall ack = call_of(CallKind::kAck, claim());
    std::get<AckCall>(ack.call).result = Outcome{.bytes = result};
    work(std::move(ack)).value();
  }

 private:
  base::ManualClock clock_{kStart};
  store::Store* store_ = nullptr;
  Alarm* alarm_ = nullptr;
  std::unique_ptr<Engine> engine_;
};

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "ok" : std::string(name(result.error().code));
}

}  // namespace baton::engine
