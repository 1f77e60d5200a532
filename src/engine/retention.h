// Deletes jobs that were kept as long as their queues say: a bounded piece every minute, and the
// next one soon while there is more. Works on the alarm's thread. The store and the alarm must
// outlive it. A store that refuses is asked again at the next turn.
#pragma once

#include <condition_variable>
#include <mutex>

#include "engine/alarm.h"
#include "store/store.h"

namespace baton::engine {

class Retention {
 public:
  Retention(store::Store& store, Alarm& alarm);
  // As stop().
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  // Asks the store for nothing more, and waits for what it still has to answer.
  void stop();

 private:
  void prune();
  void answered(bool more);

  store::Store& store_;
  Alarm& alarm_;
  std::mutex mutex_;
  std::condition_variable idle_;
  bool asking_ = false;  // guarded by mutex_, as all below
  bool stopping_ = false;
  Alarm::Id next_ = 0;
};

}  // namespace baton::engine
