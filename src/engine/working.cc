// The worker's side of Engine: calls on executions, and claims that may wait for a job to come.
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "baton/engine.h"
#include "engine/impl.h"
#include "store/show.h"

namespace baton {
namespace engine {
namespace {

constexpr Duration kMaxWait = std::chrono::minutes(1);

using CallResults = std::vector<Result<WorkAnswer>>;

// Claims, and waits if there is nothing to claim yet.
void claim(RunningStore& running, ClaimRequest request, store::Done<store::ClaimAnswer> done) {
  running.claims().claim(
      {.request = std::move(request),
       .done = [&running, done = std::move(done)](Result<store::ClaimAnswer> answer) {
         if (answer && answer->executions.empty() && running.closed()) {
           return done(Error{Code::kShuttingDown, "the engine is closing", {}, {}});
         }
         done(std::move(answer));
       }});
}

CallResults shown(const std::vector<Result<store::CallAnswer>>& answers) {
  CallResults results;
  results.reserve(answers.size());
  for (const auto& answer : answers)
    results.push_back(answer ? Result<WorkAnswer>(store::show(*answer)) : answer.error());
  return results;
}

// One call to the store, or none when there is nothing to call.
void work(RunningStore& running, std::vector<WorkCall> calls, Completion<CallResults> done) {
  if (calls.empty()) return done(CallResults{});
  running.store().work(std::move(calls),
                       [&running, done = std::move(done)](
                           const Result<std::vector<Result<store::CallAnswer>>>& answers) {
                         if (!answers) return done(answers.error());
                         running.workers().called(*answers);
                         done(shown(*answers));
                       });
}

// The two parts of an exchange, until both are answered. Each comes on a thread of its own.
class Joined {
 public:
  Joined(std::size_t calls, Completion<ExchangeAnswer> done)
      : calls_(calls), done_(std::move(done)) {}

  // A failure of all calls is one of each: the claim may have brought something all the same.
  void take(Result<CallResults> results) {
    answer_.results =
        results ? *std::move(results) : CallResults(calls_, Result<WorkAnswer>(results.error()));
    finish_part();
  }
  void take(const Result<store::ClaimAnswer>& answer) {
    if (answer) {
      for (const store::ClaimedJob& claimed : answer->executions) {
        if (claimed.record) answer_.executions.push_back(store::show(claimed));
      }
    } else {
      answer_.claim_error = answer.error();
    }
    finish_part();
  }

 private:
  void finish_part() {
    if (parts_left_.fetch_sub(1) == 1) done_(std::move(answer_));
  }

  const std::size_t calls_;
  const Completion<ExchangeAnswer> done_;
  ExchangeAnswer answer_;
  std::atomic<int> parts_left_{2};
};

std::optional<Error> refusal_of(const Exchange& exchange) {
  if (exchange.calls.size() > kMaxBatch) {
    return Error{.code = Code::kBadRequest,
                 .message = "at most " + std::to_string(kMaxBatch) + " calls at once",
                 .field = "calls"};
  }
  if (exchange.claim && (exchange.claim->wait < Duration(0) || exchange.claim->wait > kMaxWait)) {
    return Error{
        .code = Code::kBadRequest, .message = "wait must be from 0 to a minute", .field = "wait"};
  }
  return std::nullopt;
}

// Both parts are under way at once, so that a store makes them durable together; it applies them
// in this order.
void exchange(RunningStore& running, Exchange exchange, Completion<ExchangeAnswer> done) {
  if (const auto refused = refusal_of(exchange)) return done(*refused);
  auto joined = std::make_shared<Joined>(exchange.calls.size(), std::move(done));
  work(running, std::move(exchange.calls),
       [joined](Result<CallResults> results) { joined->take(std::move(results)); });
  if (!exchange.claim) return joined->take(store::ClaimAnswer{});
  claim(running, *std::move(exchange.claim),
        [joined](const Result<store::ClaimAnswer>& answer) { joined->take(answer); });
}

}  // namespace
}  // namespace engine

Pending<ExchangeAnswer> Engine::exchange(Exchange exchange) {
  return Pending<ExchangeAnswer>::begun([&](Completion<ExchangeAnswer> done) {
    engine::exchange(impl_->running, std::move(exchange), std::move(done));
  });
}

Pending<std::vector<Claimed>> Engine::claim(ClaimRequest request) {
  return Pending<std::vector<Claimed>>::begun([&](Completion<std::vector<Claimed>> done) {
    engine::exchange(impl_->running, {.claim = std::move(request)},
                     [done = std::move(done)](Result<ExchangeAnswer> answer) {
                       if (!answer) return done(answer.error());
                       if (answer->claim_error) return done(*answer->claim_error);
                       done(std::move(answer->executions));
                     });
  });
}

Pending<std::vector<Result<WorkAnswer>>> Engine::work(std::vector<WorkCall> calls) {
  return Pending<engine::CallResults>::begun([&](Completion<engine::CallResults> done) {
    engine::exchange(impl_->running, {.calls = std::move(calls)},
                     [done = std::move(done)](Result<ExchangeAnswer> answer) {
                       if (!answer) return done(answer.error());
                       done(std::move(answer->results));
                     });
  });
}

}  // namespace baton
