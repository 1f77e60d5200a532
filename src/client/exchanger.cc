#include "client/exchanger.h"

#include <stop_token>
#include <utility>

#include "client/deliver.h"

namespace baton::client {
namespace {

Error closed() { return {.code = Code::kShuttingDown, .message = "the client is being closed"}; }

}  // namespace

Exchanger::~Exchanger() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  for (Interrupt* interrupt : under_way_)
    interrupt->fire();
}

void Exchanger::exchange(Exchange exchange, Completion<ExchangeAnswer> done) {
  crew_.run(
      [this, exchange = std::move(exchange), done = std::move(done)] { done(run(exchange)); });
}

Result<ExchangeAnswer> Exchanger::run(const Exchange& exchange) {
  Interrupt interrupt;
  if (!enter(interrupt)) return closed();
  Result<ExchangeAnswer> answer = [&] {
    const std::stop_token stop = exchange.claim ? exchange.claim->stop : std::stop_token();
    const std::stop_callback stopped(stop, [&interrupt] { interrupt.fire(); });
    return deliver(caller_, exchange, interrupt);
  }();
  const bool open = leave(interrupt);
  // Whoever waits for a claim is told that none will come any more.
  if (answer && !open && answer->results.empty() && answer->executions.empty()) return closed();
  return answer;
}

bool Exchanger::enter(Interrupt& interrupt) {
  const std::lock_guard lock(mutex_);
  if (!closing_) under_way_.insert(&interrupt);
  return !closing_;
}

bool Exchanger::leave(Interrupt& interrupt) {
  const std::lock_guard lock(mutex_);
  under_way_.erase(&interrupt);
  return !closing_;
}

}  // namespace baton::client
