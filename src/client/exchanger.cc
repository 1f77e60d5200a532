#include "client/exchanger.h"

#include <utility>

#include "client/deliver.h"

namespace baton::client {
namespace {

constexpr std::size_t kMostThreads = 128;

Error closed() { return {.code = Code::kShuttingDown, .message = "the client is being closed"}; }

}  // namespace

Exchanger::~Exchanger() {
  {
    const std::lock_guard lock(mutex_);
    closing_.request_stop();
  }
  came_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void Exchanger::exchange(Exchange exchange, Completion<ExchangeAnswer> done) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back({std::move(exchange), std::move(done)});
  if (tasks_.size() > idle_ && threads_.size() < kMostThreads) {
    threads_.emplace_back([this] { work(); });
  } else {
    came_.notify_one();
  }
}

void Exchanger::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    came_.wait(lock, [this] { return closing_.stop_requested() || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task.done(run(task.exchange));
    lock.lock();
  }
}

Result<ExchangeAnswer> Exchanger::run(const Exchange& exchange) {
  if (closing_.stop_requested()) return closed();
  Interrupt interrupt;
  const auto fire = [&interrupt] { interrupt.fire(); };
  Result<ExchangeAnswer> answer = [&] {
    const std::stop_token stop = exchange.claim ? exchange.claim->stop : std::stop_token();
    const std::stop_callback stopped(stop, fire);
    const std::stop_callback closing(closing_.get_token(), fire);
    return deliver(caller_, exchange, interrupt);
  }();
  // A claim that the closing interrupted is answered with why nothing came.
  const bool nothing = answer && answer->results.empty() && answer->executions.empty();
  if (nothing && closing_.stop_requested()) return closed();
  return answer;
}

}  // namespace baton::client
