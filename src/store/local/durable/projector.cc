#include "store/local/durable/projector.h"

#include <chrono>
#include <utility>

#include "base/thread_name.h"
#include "store/local/machine/out_of_memory.h"

namespace baton::store::local {
namespace {

// How long the first change waits for more to go with it. The longer, the more jobs are written
// once, when they have ended, instead of at every step; whoever reads a list does not wait.
constexpr std::chrono::milliseconds kPause{100};

Error shutting_down() { return {Code::kShuttingDown, "the store is closing", {}, {}}; }

}  // namespace

Projector::Projector(DataDirectory& data) : data_(data) {
  thread_ = std::thread([this] {
    base::name_this_thread("baton-projector");
    run();
  });
}

void Projector::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Projector::has_enough() const {
  const Tuning& tuning = data_.tuning();
  return data_.recent().size() >= tuning.project_now ||
         data_.recent().bytes() >= tuning.project_bytes;
}

bool Projector::has_too_many() const {
  const Tuning& tuning = data_.tuning();
  return data_.recent().size() >= tuning.most_unprojected ||
         data_.recent().bytes() >= tuning.most_unprojected_bytes;
}

void Projector::kept() {
  const bool too_many = has_too_many();
  if (idle_ || too_many) {
    // It has either seen this turn, or waits already.
    const std::lock_guard lock(mutex_);
    wake_.notify_one();
  } else if (has_enough()) {
    wake_.notify_one();
  }
  if (!too_many) return;
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return stopped_ || !has_too_many(); });
}

void Projector::when_caught_up(Then then) {
  const std::uint64_t turn = data_.last_turn();
  bool stopped = false;
  {
    const std::lock_guard lock(mutex_);
    stopped = stopping_ || stopped_;
    if (!stopped && data_.applied_turn() < turn) {
      waiters_.emplace(turn, std::move(then));
      then = nullptr;
    }
  }
  if (!then) return wake_.notify_one();
  if (!stopped) return then(Ok{});
  then(data_.failure().value_or(shutting_down()));
}

// False when the thread is to stop.
bool Projector::wait_for_work() {
  std::unique_lock lock(mutex_);
  const auto at_once = [this] { return stopping_ || !waiters_.empty(); };
  idle_ = true;
  wake_.wait(lock, [&] { return at_once() || data_.recent().size() > 0; });
  idle_ = false;
  wake_.wait_for(lock, kPause, [&] { return at_once() || has_enough() || has_too_many(); });
  return !stopping_;
}

void Projector::run() {
  Status outcome = Ok{};
  while (outcome && wait_for_work()) {
    const auto projected = data_.project(data_.tuning().project_at_once);
    if (!projected) outcome = projected.error();
    release_waiters(outcome);
    tell_nearer();
  }
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  release_waiters(outcome ? shutting_down() : outcome);
}

// Lets go of those whose turn is there, or of all when it will not come.
void Projector::release_waiters(const Status& outcome) {
  room_.notify_all();
  const std::uint64_t applied = data_.applied_turn();
  while (true) {
    std::multimap<std::uint64_t, Then>::node_type first;
    {
      const std::lock_guard lock(mutex_);
      if (waiters_.empty() || (outcome && waiters_.begin()->first > applied)) return;
      first = waiters_.extract(waiters_.begin());
    }
    call_or_drop(first.mapped(), first.key() <= applied ? Ok{} : outcome);
  }
}

void Projector::when_nearer(std::function<void()> nearer) {
  const std::lock_guard lock(nearer_mutex_);
  nearer_ = std::move(nearer);
}

void Projector::tell_nearer() {
  const std::lock_guard lock(nearer_mutex_);
  if (nearer_) nearer_();
}

}  // namespace baton::store::local
