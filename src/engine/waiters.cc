#include "engine/waiters.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace baton::engine {
namespace {

// Between two looks: at least the first, so that a busy store is not asked without end; twice as
// long after each look in vain, up to the last.
constexpr std::chrono::milliseconds kShortestPause{1};
constexpr std::chrono::milliseconds kLongestPause{50};

}  // namespace

struct Waiters::Entry {
  std::unique_ptr<Waiting> waiting;
  base::Duration end;  // on the monotonic clock
  std::stop_token stop;
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

void Waiters::add(std::unique_ptr<Waiting> waiting, base::Duration end, std::stop_token stop) {
  auto entry = std::make_shared<Entry>();
  entry->waiting = std::move(waiting);
  entry->end = end;
  entry->stop = stop;
  // It may run at once, on this thread, so it comes before the lock.
  entry->on_stop.emplace(std::move(stop), [this] { poke(); });
  bool refused = false;
  {
    const std::lock_guard lock(mutex_);
    refused = closed_;
    if (!refused) {
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
      entries_.push_back(entry);
      idle_rounds_ = 0;
    }
  }
  if (refused) return entry->waiting->give_up(Waiting::End::kClosed);
  changed_.notify_all();
}

void Waiters::poke() {
  const std::lock_guard lock(mutex_);
  if (entries_.empty() && looking_ == 0) return;
  poked_ = true;
  changed_.notify_all();
}

void Waiters::close() {
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    thread.swap(thread_);
  }
  changed_.notify_all();
  if (thread.joinable()) thread.join();
}

std::chrono::milliseconds Waiters::pause() const {
  auto left = std::min(kShortestPause * (1 << std::min(idle_rounds_, 10)), kLongestPause);
  const base::Duration now = clock_.monotonic();
  for (const auto& entry : entries_) {
    left = std::min(left,
                    std::chrono::milliseconds(std::max<std::int64_t>(entry->end.ms - now.ms, 0)));
  }
  return left;
}

void Waiters::run() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    changed_.wait(lock, [this] { return closed_ || !entries_.empty(); });
    changed_.wait_for(lock, pause(), [this] { return closed_ || poked_; });
    if (closed_) break;
    idle_rounds_ = std::exchange(poked_, false) ? 0 : idle_rounds_ + 1;
    const std::vector<std::shared_ptr<Entry>> round = std::exchange(entries_, {});
    looking_ = static_cast<int>(round.size());
    lock.unlock();
    settle(round);
    lock.lock();
    changed_.wait(lock, [this] { return looking_ == 0; });
    changed_.wait_for(lock, kShortestPause, [this] { return closed_; });
  }
  const std::vector<std::shared_ptr<Entry>> left = std::exchange(entries_, {});
  lock.unlock();
  for (const auto& entry : left)
    entry->waiting->give_up(Waiting::End::kClosed);
}

// Looks for each of them, or ends its wait.
void Waiters::settle(const std::vector<std::shared_ptr<Entry>>& entries) {
  const base::Duration now = clock_.monotonic();
  for (const auto& entry : entries) {
    const bool stopped = entry->stop.stop_requested();
    if (!stopped && now < entry->end) {
      entry->waiting->look([this, entry](bool answered) { finish_look(entry, answered); });
      continue;
    }
    entry->waiting->give_up(stopped ? Waiting::End::kStopped : Waiting::End::kTimeout);
    finish_look(entry, true);
  }
}

void Waiters::finish_look(const std::shared_ptr<Entry>& entry, bool answered) {
  // Not under the lock: the callback may be under way on another thread, and wants it.
  if (answered) entry->on_stop.reset();
  const std::lock_guard lock(mutex_);
  if (!answered) entries_.push_back(entry);
  --looking_;
  changed_.notify_all();
}

}  // namespace baton::engine
