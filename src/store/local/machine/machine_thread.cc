#include "store/local/machine/machine_thread.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/thread_name.h"
#include "store/local/machine/out_of_memory.h"

namespace baton::store::local {
namespace {

Error shutting_down() {
  return {Code::kShuttingDown, "the store is closing; nothing was changed", {}, {}};
}

// A call has waited since it was posted, too. One that was found when the thread had been held up
// came before what fell due meanwhile.
void set_arrival(WorkCall& call, Duration since_post, Time now, Time came_before) {
  call.waited = std::max(call.waited, Duration{}) + since_post;
  if (came_before.is_set()) {
    call.waited = std::max(call.waited, now - came_before + base::milliseconds(1));
  }
}

void refuse(const std::vector<MachineThread::Complete>& completions, const Error& error) {
  for (const auto& complete : completions)
    call_or_drop(complete, error);
}

}  // namespace

MachineThread::MachineThread(Machine& machine, LocalTime time, base::Random random, Keep keep,
                             const Tuning& tuning, IsBehind is_behind)
    : machine_(machine),
      time_(time),
      random_(std::move(random)),
      keep_(std::move(keep)),
      tuning_(tuning),
      is_behind_(std::move(is_behind)),
      no_memory_(out_of_memory()),
      horizon_(time.now()) {
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
  Waiting waiting{std::move(command), std::move(complete), {}, {}};
  waiting.size = size_of(waiting.command);
  std::unique_lock lock(mutex_);
  if (closed_) {
    const Error closed = *closed_;
    lock.unlock();
    return waiting.complete(closed);
  }
  waiting.posted = time_.now();
  waiting_.push_back(std::move(waiting));
  ++commands_.posted;
  lock.unlock();
  wake_.notify_one();
}

void MachineThread::came_nearer() {
  {
    const std::lock_guard lock(mutex_);
    nearer_ = true;
  }
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

// ---- Calls that have not been handed over yet ---------------------------------------------------

void MachineThread::before_leases_end(CatchUp catch_up) {
  const std::lock_guard asking(catch_up_mutex_);
  catch_up_ = std::move(catch_up);
  {
    const std::lock_guard lock(mutex_);
    asks_ = static_cast<bool>(catch_up_);
    ++question_;  // whoever was asked need not answer any more
    asked_at_ = {};
  }
  wake_.notify_one();
}

void MachineThread::ask_for_calls() {
  const std::lock_guard asking(catch_up_mutex_);
  std::uint64_t question = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!asks_ || asked_at_.is_set() || horizon_.is_announced()) return;
    asked_at_ = time_.now();
    question = ++question_;
  }
  catch_up_([this, question] { caught_up(question); });
}

void MachineThread::caught_up(std::uint64_t question) {
  {
    const std::lock_guard lock(mutex_);
    if (question != question_ || !asked_at_.is_set()) return;
    horizon_.announce(asked_at_, commands_.posted);
    asked_at_ = {};
  }
  wake_.notify_one();
}

// ---- Turns --------------------------------------------------------------------------------------

// Takes from the front of those that wait, at least one. The lock is held.
void MachineThread::take(const Moment& moment, Taken& taken) {
  while (!waiting_.empty()) {
    Waiting& first = waiting_.front();
    const bool full = taken.size.count + first.size.count > tuning_.commands_per_turn ||
                      taken.size.bytes + first.size.bytes > tuning_.command_bytes_per_turn;
    if (full && taken.size.count > 0) return;
    taken.size.count += first.size.count;
    taken.size.bytes += first.size.bytes;
    const Duration waited = std::max(moment.now - first.posted, Duration{});
    if (auto* call = std::get_if<WorkCall>(&first.command)) {
      set_arrival(*call, waited, moment.now, moment.calls_came_before);
    } else if (auto* batch = std::get_if<WorkBatch>(&first.command)) {
      for (WorkCall& one : batch->calls)
        set_arrival(one, waited, moment.now, moment.calls_came_before);
    }
    taken.commands.push_back(std::move(first.command));
    taken.completions.push_back(std::move(first.complete));
    waiting_.pop_front();
    ++commands_.taken;
  }
}

// What watchers want because of what was made, and whatever else has come meanwhile.
std::vector<Command> MachineThread::take_more(const std::vector<Happening>& made,
                                              const Moment& moment, Taken& taken) {
  tell(&Watchers::made, made);
  const std::lock_guard lock(mutex_);
  if (closed_) return {};
  taken.commands.clear();
  take(moment, taken);
  return std::exchange(taken.commands, {});
}

bool MachineThread::has_work() const {
  return closed_ || !waiting_.empty() || horizon_.is_announced() || (gave_way_ && nearer_);
}

// The lock is held, and what the turn takes is known. `was_due`: when it should have come at last.
MachineThread::Moment MachineThread::moment_of_turn(Time was_due) {
  Moment moment{time_.now(), {}, {}};
  const bool nearer = std::exchange(nearer_, false);
  if (!nearer && is_behind_ && is_behind_()) moment.background = Background::kGivesWay;
  if (!asks_) return moment;
  // Without anybody to ask, nobody has calls that were not handed over.
  for (const Time due : {was_due, machine_.first_held()}) {
    const bool late = due.is_set() && moment.now - due > tuning_.late;
    if (!late) continue;
    moment.calls_came_before =
        moment.calls_came_before.is_set() ? std::min(moment.calls_came_before, due) : due;
  }
  return moment;
}

// Takes what one turn may have; false when the thread is to stop. Returns with nothing taken when a
// timer is due.
bool MachineThread::wait_for_work(Moment& moment, Taken& taken) {
  std::unique_lock lock(mutex_);
  const Time due = machine_.next_due();
  if (due.is_set()) {
    const Duration left = due - time_.now();
    wake_.wait_for(lock, std::chrono::milliseconds(std::max<std::int64_t>(left.ms, 0)),
                   [this] { return has_work(); });
  } else {
    wake_.wait(lock, [this] { return has_work(); });
  }
  moment = moment_of_turn(due);
  if (closed_) {
    for (Waiting& one : std::exchange(waiting_, {}))
      taken.completions.push_back(std::move(one.complete));
    return false;
  }
  take(moment, taken);
  if (!asks_) horizon_.announce(moment.now, commands_.posted);
  moment.lease_horizon = horizon_.at_turn(commands_);
  return true;
}

// The end of the thread, before it was told to stop. What is needed for it is there already, also
// when memory lacks.
void MachineThread::close(Error why) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) closed_ = std::move(why);
  }
  // Nothing is added any more, and nobody changes the reason.
  while (const auto complete = take_completion())
    call_or_drop(*complete, *closed_);
}

std::optional<MachineThread::Complete> MachineThread::take_completion() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::optional<Complete> complete(std::move(waiting_.front().complete));
  waiting_.pop_front();
  return complete;
}

void MachineThread::run() {
  while (true) {
    Taken taken;
    try {
      if (!take_turn(taken)) return;
    } catch (const std::bad_alloc&) {
      // Nobody knows how much of the turn the Machine has.
      refuse(taken.completions, no_memory_);
      return close(std::move(no_memory_));
    }
  }
}

// False when there is to be no other one. Throws before any of the commands was answered.
bool MachineThread::take_turn(Taken& taken) {
  Moment moment;
  if (!wait_for_work(moment, taken)) {
    refuse(taken.completions, shutting_down());
    return false;
  }
  std::size_t told = 0;
  const std::vector<Command> commands = std::exchange(taken.commands, {});
  const More more = [&](const std::vector<Happening>& made) {
    told = made.size();
    return take_more(made, moment, taken);
  };
  Turn turn =
      machine_.turn(commands, moment.now, random_, more, moment.lease_horizon, moment.background);
  gave_way_ = moment.background == Background::kGivesWay && machine_.has_work_left();
  if (machine_.first_held().is_set()) ask_for_calls();
  tell(&Watchers::made,
       {turn.happenings.begin() + static_cast<std::ptrdiff_t>(told), turn.happenings.end()});
  const Status kept = keep_(moment.now, std::move(turn.changes));
  if (!kept) {
    refuse(taken.completions, kept.error());
    close(kept.error());
    return false;
  }
  tell(&Watchers::kept, turn.happenings);
  for (std::size_t i = 0; i < taken.completions.size(); ++i)
    call_or_drop(taken.completions[i], std::move(turn.answers[i]));
  return true;
}

}  // namespace baton::store::local
