#include "client/crew.h"

#include <utility>

namespace baton::client {
namespace {

constexpr std::size_t kMostThreads = 128;

}  // namespace

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  came_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void Crew::run(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (tasks_.size() > idle_ && threads_.size() < kMostThreads) {
    threads_.emplace_back([this] { work(); });
  } else {
    came_.notify_one();
  }
}

void Crew::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    came_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace baton::client
