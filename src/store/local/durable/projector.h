// The thread that brings kept turns into the catalog, many at a time: it waits a moment for more
// unless somebody waits for it, and sleeps while there are none. A lack of memory is a failure of
// the store like any other. Any thread may call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "store/local/durable/data_directory.h"

namespace baton::store::local {

class Projector {
 public:
  using Then = std::function<void(Status)>;

  // `data` must outlive the projector.
  explicit Projector(DataDirectory& data);
  ~Projector() { stop(); }
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  // Refuses those who still wait with shutting_down, and those who come later, and joins. What is
  // not projected stays so.
  void stop();

  // A turn was kept. Returns when the projector is not too far behind any more.
  void kept();
  // Calls `then` once the catalog has all turns that are kept now, or will not get them: at once,
  // or on the projector's thread.
  void when_caught_up(Then then);
  // Called on the projector's thread whenever it has brought something into the catalog, from now
  // on; it must stay valid until `stop` has returned.
  void when_nearer(std::function<void()> nearer);

 private:
  void run();
  bool has_enough() const;    // to wait no longer for more
  bool has_too_many() const;  // for more to come
  bool wait_for_work();
  void release_waiters(const Status& outcome);
  void tell_nearer();

  DataDirectory& data_;
  std::mutex mutex_;
  std::condition_variable wake_;                // there may be something to do
  std::condition_variable room_;                // the projector came nearer
  std::multimap<std::uint64_t, Then> waiters_;  // guarded by mutex_; by the turn they wait for
  bool stopping_ = false;                       // guarded by mutex_
  bool stopped_ = false;                        // guarded by mutex_; after a failure, too
  std::atomic<bool> idle_{false};               // it sleeps until something is kept
  std::mutex nearer_mutex_;
  std::function<void()> nearer_;  // guarded by nearer_mutex_
  std::thread thread_;
};

}  // namespace baton::store::local
