// What a server does by itself, beside the requests: gives memory back after a burst, and notices
// when the store has failed. On the alarm's thread. The store and the alarm must outlive it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "engine/alarm.h"
#include "store/store.h"

namespace baton::server {

class Duties {
 public:
  // `failed` is called at most once, on any thread, when the store can no longer be used.
  Duties(store::Store& store, engine::Alarm& alarm, std::function<void(Error)> failed);
  // Waits for what is under way.
  ~Duties();
  Duties(const Duties&) = delete;
  Duties& operator=(const Duties&) = delete;

 private:
  void look();
  void give_memory_back();
  // Around each question to the store; false when it must not be asked any more.
  bool begin();
  void end(engine::Alarm::Id& next, Duration delay, void (Duties::*duty)());
  void notice(const Error& error);

  store::Store& store_;
  engine::Alarm& alarm_;
  std::function<void(Error)> failed_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int asking_ = 0;         // guarded by mutex_: questions that the store has not answered
  bool stopping_ = false;  // guarded by mutex_
  bool told_ = false;      // guarded by mutex_
  engine::Alarm::Id next_giving_ = 0;  // guarded by mutex_
  engine::Alarm::Id next_look_ = 0;    // guarded by mutex_
};

}  // namespace baton::server
