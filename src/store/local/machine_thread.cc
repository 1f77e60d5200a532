#include "store/local/machine_thread.h"

#include <chrono>

namespace baton::store::local {
namespace {

base::Error shutting_down() {
  return {base::Code::kShuttingDown, "the store is closing; nothing was changed", {}, {}};
}

}  // namespace

MachineThread::MachineThread(Machine& machine, const base::Clock& clock, std::uint64_t seed,
                             Keep keep)
    : machine_(machine), time_(clock, {}), random_(seed), keep_(std::move(keep)) {
  thread_ = std::thread([this] { run(); });
}

MachineThread::~MachineThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void MachineThread::post(Command command, Complete complete) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      commands_.push_back(std::move(command));
      completions_.push_back(std::move(complete));
      complete = nullptr;
    }
  }
  if (complete) {
    complete(shutting_down());
  } else {
    wake_.notify_one();
  }
}

// Takes everything that waits; false when the thread is to stop. Returns with nothing taken when a
// timer is due.
bool MachineThread::wait_for_work(std::vector<Command>& commands,
                                  std::vector<Complete>& completions) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return stopping_ || !commands_.empty(); };
  const Time due = machine_.next_due();
  if (due.is_set()) {
    const base::Duration left = due - time_.now();
    wake_.wait_for(lock, std::chrono::milliseconds(std::max<std::int64_t>(left.ms, 0)), has_work);
  } else {
    wake_.wait(lock, has_work);
  }
  commands.swap(commands_);
  completions.swap(completions_);
  return !stopping_;
}

void MachineThread::run() {
  while (true) {
    std::vector<Command> commands;
    std::vector<Complete> completions;
    const bool going_on = wait_for_work(commands, completions);
    if (!going_on) {
      for (Complete& complete : completions)
        complete(shutting_down());
      return;
    }
    Turn turn = machine_.turn(std::move(commands), time_.now(), random_);
    keep_(turn.changes);
    for (std::size_t i = 0; i < completions.size(); ++i) {
      completions[i](std::move(turn.answers[i]));
    }
  }
}

}  // namespace baton::store::local
