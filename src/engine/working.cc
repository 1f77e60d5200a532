// The worker's side of Engine: calls on executions, and claims that may wait for a job to come.
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "baton/engine.h"
#include "engine/blocking.h"
#include "engine/convert.h"
#include "engine/parts.h"

namespace baton {
namespace engine {
namespace {

constexpr std::size_t kMaxCalls = 1000;
constexpr Duration kMaxWait = std::chrono::minutes(1);

using CallResults = std::vector<Result<WorkAnswer>>;
using StoreResults = std::vector<Result<store::CallAnswer>>;

// Claims, and waits if there is nothing to claim yet.
void claim(Engine::Parts& parts, ClaimRequest request, std::stop_token stop,
           store::Done<store::ClaimAnswer> done) {
  const Duration wait = request.wait;
  parts.claims.claim({.request = to_store(std::move(request)),
                      .wait = wait,
                      .stop = std::move(stop),
                      .done = [&parts, done = std::move(done)](Result<store::ClaimAnswer> answer) {
                        if (answer && answer->executions.empty() && parts.closing) {
                          return done(Error{Code::kShuttingDown, "the engine is closing", {}, {}});
                        }
                        done(std::move(answer));
                      }});
}

// The calls as the store takes them, and the refusals of those that it need not see.
struct Prepared {
  std::vector<WorkCall> calls;
  std::vector<std::optional<Error>> refused;  // one for each call, in their order
};

Prepared prepare(std::vector<WorkCall> calls, const BackoffFunctions& functions) {
  Prepared prepared;
  for (WorkCall& call : calls) {
    auto inner = to_store(std::move(call), functions);
    prepared.refused.push_back(inner ? std::nullopt : std::optional(inner.error()));
    if (inner) prepared.calls.push_back(*std::move(inner));
  }
  return prepared;
}

CallResults merge(const StoreResults& answers, const std::vector<std::optional<Error>>& refused) {
  CallResults merged;
  merged.reserve(refused.size());
  std::size_t next = 0;
  for (const auto& error : refused) {
    if (error) {
      merged.emplace_back(*error);
      continue;
    }
    const auto& one = answers[next++];
    merged.push_back(one ? Result<WorkAnswer>(from_store(*one)) : one.error());
  }
  return merged;
}

// One call to the store, or none when there is nothing to call.
void work(Engine::Parts& parts, std::vector<WorkCall> calls, Completion<CallResults> done) {
  if (calls.empty()) return done(CallResults{});
  Prepared prepared = prepare(std::move(calls), parts.backoff);
  parts.store->work(std::move(prepared.calls),
                    [refused = std::move(prepared.refused),
                     done = std::move(done)](Result<StoreResults> answers) {
                      if (!answers) return done(answers.error());
                      done(merge(*answers, refused));
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
      answer_.executions = from_store(*answer);
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
  if (exchange.calls.size() > kMaxCalls) {
    return Error{.code = Code::kBadRequest,
                 .message = "at most " + std::to_string(kMaxCalls) + " calls at once",
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
  engine::work(*parts_, std::move(exchange.calls),
               [joined](Result<engine::CallResults> results) { joined->take(std::move(results)); });
  if (!exchange.claim) return joined->take(store::ClaimAnswer{});
  engine::claim(*parts_, *std::move(exchange.claim), std::move(exchange.stop),
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
