// A work source that a test answers by hand. For tests only. Any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "baton/work_source.h"
#include "worker/claims.h"

namespace baton::worker {

class HandSource final : public WorkSource {
 public:
  struct Asked {
    Exchange exchange;
    Completion<ExchangeAnswer> done;

    // Every call succeeds.
    void answer(std::vector<Claimed> executions = {}, WorkAnswer each = {}) {
      ExchangeAnswer made{.executions = std::move(executions)};
      for (std::size_t i = 0; i < exchange.calls.size(); ++i)
        made.results.emplace_back(each);
      done(std::move(made));
    }
    void refuse_calls(Code code) {
      ExchangeAnswer made;
      for (std::size_t i = 0; i < exchange.calls.size(); ++i)
        made.results.emplace_back(Error{.code = code, .message = "no"});
      done(std::move(made));
    }
    const WorkCall& call() const { return exchange.calls.at(0); }
  };

  Pending<ExchangeAnswer> exchange(Exchange exchange) override {
    return Pending<ExchangeAnswer>::begun([&](Completion<ExchangeAnswer> done) {
      const std::lock_guard lock(mutex_);
      asked_.push_back({std::move(exchange), answered_at_last(std::move(done))});
      came_.notify_all();
    });
  }

  // The next exchange that carries calls, or that only claims.
  Asked next_calls() {
    return next([](const Exchange& exchange) { return !exchange.calls.empty(); });
  }
  Asked next_claim() {
    return next([](const Exchange& exchange) { return exchange.calls.empty(); });
  }

 private:
  // What a test leaves unanswered is refused when it goes: every exchange is answered once.
  static Completion<ExchangeAnswer> answered_at_last(Completion<ExchangeAnswer> done) {
    const auto refuse = [](Completion<ExchangeAnswer>* last) {
      if (*last) (*last)(Error{.code = Code::kShuttingDown, .message = "the test is over"});
      delete last;
    };
    const std::shared_ptr<Completion<ExchangeAnswer>> kept(
        new Completion<ExchangeAnswer>(std::move(done)), refuse);
    return
        [kept](Result<ExchangeAnswer> answer) { std::exchange(*kept, nullptr)(std::move(answer)); };
  }

  template <class Wanted>
  Asked next(Wanted wanted) {
    std::unique_lock lock(mutex_);
    auto found = asked_.end();
    const bool came = came_.wait_for(lock, std::chrono::seconds(60), [&] {
      found = std::find_if(asked_.begin(), asked_.end(),
                           [&](const Asked& asked) { return wanted(asked.exchange); });
      return found != asked_.end();
    });
    if (!came) throw std::runtime_error("the worker did not ask");
    Asked asked = std::move(*found);
    asked_.erase(found);
    return asked;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Asked> asked_;
};

}  // namespace baton::worker
