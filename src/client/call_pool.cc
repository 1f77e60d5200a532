#include "client/call_pool.h"

#include <algorithm>

namespace baton::client {

CallPool::~CallPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_.request_stop();
  }
  came_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void CallPool::post(Takes takes, Task task) {
  const std::lock_guard lock(mutex_);
  (takes == Takes::kLong ? long_ : short_).push_back(std::move(task));
  if (runnable() > idle_ && threads_.size() < kMostThreads) {
    threads_.emplace_back([this] { work(); });
  } else {
    came_.notify_one();
  }
}

// Those that closing refuses wait for nothing.
std::size_t CallPool::runnable() const {
  const std::size_t room = closing_.stop_requested() ? long_.size() : kMostLong - long_running_;
  return short_.size() + std::min(long_.size(), room);
}

void CallPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    came_.wait(lock, [this] { return closing_.stop_requested() || runnable() > 0; });
    --idle_;
    if (runnable() == 0) return;
    const bool is_long = short_.empty();
    std::deque<Task>& from = is_long ? long_ : short_;
    Task task = std::move(from.front());
    from.pop_front();
    if (is_long) ++long_running_;
    lock.unlock();
    task(closing_.get_token());
    task = nullptr;
    lock.lock();
    if (is_long) --long_running_;
  }
}

}  // namespace baton::client
