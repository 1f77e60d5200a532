// Exchanges that do not block their caller: each runs on a thread of this object's pool until the
// server has answered. There are as many threads as were ever needed at once, up to a limit; an
// exchange beyond it waits for a thread. Any thread may call exchange().
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "baton/work_source.h"
#include "client/caller.h"

namespace baton::client {

class Exchanger {
 public:
  // The caller must outlive it.
  explicit Exchanger(Caller& caller) : caller_(caller) {}
  // Interrupts what waits, and returns when every exchange was answered.
  ~Exchanger();
  Exchanger(const Exchanger&) = delete;
  Exchanger& operator=(const Exchanger&) = delete;

  // Never waits. `done` runs on a thread of the pool and must not throw.
  void exchange(Exchange exchange, Completion<ExchangeAnswer> done);

 private:
  struct Task {
    Exchange exchange;
    Completion<ExchangeAnswer> done;
  };

  void work();
  Result<ExchangeAnswer> run(const Exchange& exchange);

  Caller& caller_;
  std::stop_source closing_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Task> tasks_;
  std::size_t idle_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace baton::client
