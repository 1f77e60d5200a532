#include "store/local/reader_pool.h"

#include "base/thread_name.h"

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

void ReaderPool::run(CatalogReader& reader) {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task(reader);
    lock.lock();
  }
}

}  // namespace baton::store::local
