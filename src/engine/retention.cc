#include "engine/retention.h"

namespace baton::engine {
namespace {

constexpr Duration kEvery = base::minutes(1);
// A store with much to delete is asked in pieces, so that others get their turns.
constexpr std::int64_t kAtOnce = 500;
constexpr Duration kAgain = base::milliseconds(20);

}  // namespace

Retention::Retention(store::Store& store, Alarm& alarm) : store_(store), alarm_(alarm) {
  const std::lock_guard lock(mutex_);
  next_ = alarm_.after(kEvery, [this] { prune(); });
}

Retention::~Retention() { stop(); }

void Retention::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  alarm_.cancel(next_);
  idle_.wait(lock, [this] { return !asking_; });
}

void Retention::prune() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    asking_ = true;
  }
  store_.prune({kAtOnce},
               [this](const Result<Pruned>& pruned) { answered(pruned && pruned->more); });
}

void Retention::answered(bool more) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) next_ = alarm_.after(more ? kAgain : kEvery, [this] { prune(); });
  asking_ = false;
  idle_.notify_all();
}

}  // namespace baton::engine
