#include "server/duties.h"

#include <malloc.h>

#include <utility>

namespace baton::server {
namespace {

constexpr Duration kLookEvery = base::seconds(1);
// The allocator keeps what was freed in the middle of its memory. That much may stay there.
constexpr Duration kGiveEvery = base::seconds(5);
constexpr std::size_t kMostKept = std::size_t{32} << 20;

}  // namespace

Duties::Duties(store::Store& store, engine::Alarm& alarm, std::function<void(Error)> failed)
    : store_(store), alarm_(alarm), failed_(std::move(failed)) {
  const std::lock_guard lock(mutex_);
  next_look_ = alarm_.after(kLookEvery, [this] { look(); });
  next_giving_ = alarm_.after(kGiveEvery, [this] { give_memory_back(); });
}

Duties::~Duties() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  alarm_.cancel(next_look_);
  alarm_.cancel(next_giving_);
  idle_.wait(lock, [this] { return asking_ == 0; });
}

bool Duties::begin() {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  ++asking_;
  return true;
}

// The store has answered; the duty comes again after `delay`.
void Duties::end(engine::Alarm::Id& next, Duration delay, void (Duties::*duty)()) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) next = alarm_.after(delay, [this, duty] { (this->*duty)(); });
  --asking_;
  idle_.notify_all();
}

void Duties::look() {
  if (!begin()) return;
  store_.run_timers([this](const Result<store::TimersAnswer>& answer) {
    if (!answer) notice(answer.error());
    end(next_look_, kLookEvery, &Duties::look);
  });
}

void Duties::give_memory_back() {
  if (!begin()) return;
  if (::mallinfo2().fordblks > kMostKept) ::malloc_trim(0);
  end(next_giving_, kGiveEvery, &Duties::give_memory_back);
}

void Duties::notice(const Error& error) {
  if (error.code != Code::kStoreUnavailable) return;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(told_, true)) return;
  }
  failed_(error);
}

}  // namespace baton::server
