// Calls back at given moments, on one thread of its own that starts with the first of them and
// sleeps in between. For what a request waits for at most: a long poll's end, the next look, a
// stream's next sign of life. Moments are on the monotonic clock. Any thread may call; callbacks
// must not block.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.h"

namespace baton::engine {

class Alarm {
 public:
  using Id = std::uint64_t;

  explicit Alarm(const base::Clock& clock) : clock_(clock) {}
  // As stop().
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Calls once, at the moment or soon after it; those of one moment in the order of the calls.
  Id at(Duration moment, std::function<void()> call);
  Id after(Duration delay, std::function<void()> call);
  // False when it was called already, or is being called.
  bool cancel(Id id);

  // Waits for the callback that is under way, if there is one, and calls none after it. For whoever
  // takes away what callbacks use. Not from a callback.
  void stop();

  // The clock was turned by hand.
  void look() { wake_.notify_one(); }

 private:
  using Key = std::pair<Duration, Id>;

  void begin();
  void run();

  const base::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Key, std::function<void()>> calls_;  // guarded by mutex_, as all below
  std::map<Id, Duration> moments_;
  Id last_id_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace baton::engine
