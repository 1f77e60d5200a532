#include "store/local/durable/reader_pool.h"

#include "base/thread_name.h"
#include "store/local/machine/out_of_memory.h"

namespace baton::store::local {

ReaderPool::ReaderPool(std::vector<std::unique_ptr<CatalogReader>> readers)
    : readers_(std::move(readers)) {
  for (const auto& reader : readers_)
    threads_.emplace_back([this, &reader] {
      base::name_this_thread("baton-reader");
      run(*reader);
    });
}

ReaderPool::~ReaderPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void ReaderPool::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void ReaderPool::post_urgent(Task task) {
  {
    const std::lock_guard lock(mutex_);
    urgent_.push_back(std::move(task));
  }
  wake_.notify_one();
}

// The next task; there is one. Under the lock.
ReaderPool::Task ReaderPool::take() {
  std::deque<Task>& from = urgent_.empty() ? tasks_ : urgent_;
  Task task = std::move(from.front());
  from.pop_front();
  return task;
}

void ReaderPool::run(CatalogReader& reader) {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !urgent_.empty() || !tasks_.empty(); });
    if (urgent_.empty() && tasks_.empty()) return;
    const Task task = take();
    lock.unlock();
    call_or_drop(task, reader);
    lock.lock();
  }
}

}  // namespace baton::store::local
