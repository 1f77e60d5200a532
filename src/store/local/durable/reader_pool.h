// Threads that read the catalog, each on a connection of its own. What is urgent is done before all
// that waits otherwise. A task answers for a lack of memory itself; one that does not is dropped,
// and its thread goes on. Any thread may post.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/local/catalog/catalog.h"

namespace baton::store::local {

class ReaderPool {
 public:
  using Task = std::function<void(CatalogReader&)>;

  // One thread for each reader.
  explicit ReaderPool(std::vector<std::unique_ptr<CatalogReader>> readers);
  // Does what was posted, and joins.
  ~ReaderPool();
  ReaderPool(const ReaderPool&) = delete;
  ReaderPool& operator=(const ReaderPool&) = delete;

  void post(Task task);
  void post_urgent(Task task);

 private:
  void run(CatalogReader& reader);
  Task take();

  std::vector<std::unique_ptr<CatalogReader>> readers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> urgent_;  // guarded by mutex_
  std::deque<Task> tasks_;   // guarded by mutex_
  bool stopping_ = false;    // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace baton::store::local
