// Calls that do not block their caller: each runs on a thread of this pool until the server has
// answered. There are as many threads as were ever needed at once, up to a limit; a call beyond it
// waits for a thread. Calls that wait on purpose leave some threads to the others, so that a
// worker's heartbeats never stand behind them. Any thread may begin one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "baton/pending.h"

namespace baton::client {

// What a call is answered with that the closing kept from being made, or from waiting on.
inline Error closing_error() {
  return {.code = Code::kShuttingDown, .message = "the client is being closed"};
}

// Whether the server may keep a call waiting on purpose.
enum class Takes { kShort, kLong };

class CallPool {
 public:
  static constexpr std::size_t kMostThreads = 128;
  static constexpr std::size_t kMostLong = 112;  // of these calls at once

  CallPool() = default;
  // Returns when every call was answered. Those that have not begun are refused.
  ~CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  // Runs `call`, which gives a Result<T> and is handed a token that asks it to wait no longer.
  // Never waits. Completions run on a thread of the pool.
  template <class T, class Call>
  Pending<T> begin(Takes takes, Call call) {
    return Pending<T>::begun([&](Completion<T> done) {
      post(takes, [call = std::move(call), done = std::move(done)](const std::stop_token& closing) {
        done(closing.stop_requested() ? Result<T>(closing_error()) : call(closing));
      });
    });
  }

 private:
  using Task = std::function<void(const std::stop_token& closing)>;

  void post(Takes takes, Task task);
  void work();
  // The lock is held.
  std::size_t runnable() const;

  std::stop_source closing_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Task> short_;  // guarded by mutex_, as all below
  std::deque<Task> long_;
  std::size_t long_running_ = 0;
  std::size_t idle_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace baton::client
