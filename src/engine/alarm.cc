#include "engine/alarm.h"

#include <chrono>

#include "base/thread_name.h"

namespace baton::engine {

Alarm::~Alarm() { stop(); }

void Alarm::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Alarm::Id Alarm::at(Duration moment, std::function<void()> call) {
  bool first = false;
  Id id = 0;
  {
    const std::lock_guard lock(mutex_);
    begin();
    id = ++last_id_;
    const auto place = calls_.emplace(Key{moment, id}, std::move(call)).first;
    moments_.emplace(id, moment);
    first = place == calls_.begin();
  }
  if (first) wake_.notify_one();
  return id;
}

void Alarm::begin() {
  if (thread_.joinable() || stopping_) return;
  thread_ = std::thread([this] {
    base::name_this_thread("baton-alarm");
    run();
  });
}

Alarm::Id Alarm::after(Duration delay, std::function<void()> call) {
  return at(clock_.monotonic() + delay, std::move(call));
}

bool Alarm::cancel(Id id) {
  std::function<void()> dropped;  // declared first, so that it goes when the lock is open again
  const std::lock_guard lock(mutex_);
  const auto moment = moments_.find(id);
  if (moment == moments_.end()) return false;
  const auto call = calls_.find(Key{moment->second, id});
  dropped = std::move(call->second);
  calls_.erase(call);
  moments_.erase(moment);
  return true;
}

void Alarm::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (calls_.empty()) {
      wake_.wait(lock);
      continue;
    }
    const auto next = calls_.begin();
    const std::int64_t left = next->first.first.ms - clock_.monotonic().ms;
    if (left > 0) {
      wake_.wait_for(lock, std::chrono::milliseconds(left));
      continue;
    }
    std::function<void()> call = std::move(next->second);
    moments_.erase(next->first.second);
    calls_.erase(next);
    lock.unlock();
    call();
    call = nullptr;
    lock.lock();
  }
}

}  // namespace baton::engine
