// The worker's side of Engine: calls on executions, and claims that may wait for a job to come.
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "baton/engine.h"
#include "engine/blocking.h"
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
  running.store().work(
      std::move(calls),
      [done = std::move(done)](const Result<std::vector<Result<store::CallAnswer>>>& answers) {
        if (!answers) return done(answers.error());
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
    if (parts_left_.fetch_sub(1) == 1) complete<ExchangeAnswer>(done_, std::move(answer_));
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

}  // namespace
}  // namespace engine

// Both parts are under way at once, so that a store makes them durable together; it applies them
// in this order.
void Engine::exchange(Exchange exchange, Completion<ExchangeAnswer> done) {
  if (const auto refused = engine::refusal_of(exchange)) {
    return engine::complete<ExchangeAnswer>(done, *refused);
  }
  auto joined = std::make_shared<engine::Joined>(exchange.calls.size(), std::move(done));
  engine::work(impl_->running, std::move(exchange.calls),
               [joined](Result<engine::CallResults> results) { joined->take(std::move(results)); });
  if (!exchange.claim) return joined->take(store::ClaimAnswer{});
  engine::claim(impl_->running, *std::move(exchange.claim),
                [joined](const Result<store::ClaimAnswer>& answer) { joined->take(answer); });
}

void Engine::claim_async(ClaimRequest request, Completion<std::vector<Claimed>> done) {
  exchange({.claim = std::move(request)}, [done = std::move(done)](Result<ExchangeAnswer> answer) {
    if (!answer) return done(answer.error());
    if (answer->claim_error) return done(*answer->claim_error);
    done(std::move(answer->executions));
  });
}

Result<std::vector<Claimed>> Engine::claim(ClaimRequest request) {
  return engine::await<std::vector<Claimed>>(
      [&](auto done) { claim_async(std::move(request), std::move(done)); });
}

void Engine::work_async(std::vector<WorkCall> calls,
                        Completion<std::vector<Result<WorkAnswer>>> done) {
  exchange({.calls = std::move(calls)}, [done = std::move(done)](Result<ExchangeAnswer> answer) {
    if (!answer) return done(answer.error());
    done(std::move(answer->results));
  });
}

Result<std::vector<Result<WorkAnswer>>> Engine::work(std::vector<WorkCall> calls) {
  return engine::await<std::vector<Result<WorkAnswer>>>(
      [&](auto done) { work_async(std::move(calls), std::move(done)); });
}

}  // namespace baton
