// Calls that wait for something to happen in the store: a job to end, a job to claim. A store does
// not tell by itself when that is so, therefore one thread asks: at once after poke(), which the
// engine calls whenever a command changed something, and otherwise now and then, for what timers
// do. A store that tells will call poke() as well, and the asking can become rare.
//
// Any thread may call. The thread starts with the first call that waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace baton::engine {

// A call that waits. One thread at a time uses it.
class Waiting {
 public:
  enum class End { kTimeout, kStopped, kClosed };

  virtual ~Waiting() = default;
  // Asks the store, and answers the caller if what it waits for is there. Then calls `finished`
  // exactly once, on any thread, with whether it answered.
  virtual void look(std::function<void(bool answered)> finished) = 0;
  // Answers the caller without having what it waits for.
  virtual void give_up(End end) = 0;
};

class Waiters {
 public:
  explicit Waiters(const base::Clock& clock) : clock_(clock) {}
  ~Waiters() { close(); }
  Waiters(const Waiters&) = delete;
  Waiters& operator=(const Waiters&) = delete;

  // The moment, on the monotonic clock, when a wait that begins now is over.
  base::Duration end_of(base::Duration timeout) const { return clock_.monotonic() + timeout; }
  // Looks again and again until it is answered, that moment has come or `stop` is requested.
  void add(std::unique_ptr<Waiting> waiting, base::Duration end, std::stop_token stop);

  // Something changed that somebody may wait for.
  void poke();

  // Gives up on all that wait and on all that will be added. Looks that are under way are waited
  // for, so the store must still answer.
  void close();

 private:
  struct Entry;

  void run();
  void settle(const std::vector<std::shared_ptr<Entry>>& entries);
  void finish_look(const std::shared_ptr<Entry>& entry, bool answered);
  std::chrono::milliseconds pause() const;

  const base::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Entry>> entries_;  // guarded by mutex_, as all below
  int looking_ = 0;                              // looks that have not come back
  int idle_rounds_ = 0;                          // since something changed
  bool poked_ = false;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace baton::engine
