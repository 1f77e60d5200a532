#include "store/local/machine_thread.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "base/thread_name.h"

namespace baton::store::local {
namespace {

base::Error shutting_down() {
  return {base::Code::kShuttingDown, "the store is closing; nothing was changed", {}, {}};
}

void refuse(const std::vector<MachineThread::Complete>& completions, const base::Error& error) {
  for (const auto& complete : completions)
    complete(error);
}

}  // namespace

MachineThread::MachineThread(Machine& machine, LocalTime time, base::Random random, Keep keep)
    : machine_(machine), time_(time), random_(std::move(random)), keep_(std::move(keep)) {
  thread_ = std::thread([this] {
    base::name_this_thread("baton-machine");
    run();
  });
}

MachineThread::~MachineThread() {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) closed_ = shutting_down();
  }
  wake_.notify_one();
  thread_.join();
}

void MachineThread::post(Command command, Complete complete) {
  std::unique_lock lock(mutex_);
  if (closed_) {
    const base::Error closed = *closed_;
    lock.unlock();
    return complete(closed);
  }
  commands_.push_back(std::move(command));
  completions_.push_back(std::move(complete));
  lock.unlock();
  wake_.notify_one();
}

void MachineThread::watch(Watchers watchers) {
  const std::lock_guard lock(watcher_mutex_);
  watchers_ = std::move(watchers);
}

void MachineThread::tell(Watcher Watchers::*whom, const std::vector<Happening>& happenings) {
  if (happenings.empty()) return;
  const std::lock_guard lock(watcher_mutex_);
  if (watchers_.*whom) (watchers_.*whom)(happenings);
}

// What watchers want because of what was made, and whatever else has come meanwhile.
std::vector<Command> MachineThread::take_more(const std::vector<Happening>& made,
                                              std::vector<Complete>& completions) {
  tell(&Watchers::made, made);
  const std::lock_guard lock(mutex_);
  if (closed_) return {};
  std::move(completions_.begin(), completions_.end(), std::back_inserter(completions));
  completions_.clear();
  return std::exchange(commands_, {});
}

// Takes everything that waits; false when the thread is to stop. Returns with nothing taken when a
// timer is due.
bool MachineThread::wait_for_work(std::vector<Command>& commands,
                                  std::vector<Complete>& completions) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return closed_ || !commands_.empty(); };
  const Time due = machine_.next_due();
  if (due.is_set()) {
    const base::Duration left = due - time_.now();
    wake_.wait_for(lock, std::chrono::milliseconds(std::max<std::int64_t>(left.ms, 0)), has_work);
  } else {
    wake_.wait(lock, has_work);
  }
  commands.swap(commands_);
  completions.swap(completions_);
  return !closed_;
}

// The end of the thread, before it was told to stop.
void MachineThread::close(const base::Error& why) {
  std::vector<Complete> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) closed_ = why;
    waiting.swap(completions_);
    commands_.clear();
  }
  refuse(waiting, why);
}

void MachineThread::run() {
  while (true) {
    std::vector<Command> commands;
    std::vector<Complete> completions;
    const bool going_on = wait_for_work(commands, completions);
    if (!going_on) return refuse(completions, shutting_down());
    const Time now = time_.now();
    std::size_t told = 0;
    Turn turn = machine_.turn(commands, now, random_, [&](const auto& made) {
      told = made.size();
      return take_more(made, completions);
    });
    tell(&Watchers::made,
         {turn.happenings.begin() + static_cast<std::ptrdiff_t>(told), turn.happenings.end()});
    const base::Status kept = keep_(now, std::move(turn.changes));
    if (!kept) {
      refuse(completions, kept.error());
      return close(kept.error());
    }
    tell(&Watchers::kept, turn.happenings);
    for (std::size_t i = 0; i < completions.size(); ++i) {
      completions[i](std::move(turn.answers[i]));
    }
  }
}

}  // namespace baton::store::local
