#include "client/call_pool.h"

namespace baton::client {
namespace {

constexpr std::size_t kMostThreads = 128;

}  // namespace

CallPool::~CallPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_.request_stop();
  }
  came_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void CallPool::post(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (tasks_.size() > idle_ && threads_.size() < kMostThreads) {
    threads_.emplace_back([this] { work(); });
  } else {
    came_.notify_one();
  }
}

void CallPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    came_.wait(lock, [this] { return closing_.stop_requested() || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task(closing_.get_token());
    task = nullptr;
    lock.lock();
  }
}

}  // namespace baton::client
