// The thread that owns a Machine. It takes every command that waits, applies them as one turn
// together with those that watchers ask for when they hear what the turn made, hands the turn's
// changes on to be kept, and then completes the commands in their order. Under load a turn grows by
// itself; idle, it sleeps until a command comes or a timer falls due. When a turn cannot be kept,
// its commands and all later ones are refused: what the Machine holds from then on was never kept,
// so it is asked nothing any more.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/local/local_time.h"
#include "store/local/machine.h"
#include "store/store.h"

namespace baton::store::local {

class MachineThread {
 public:
  using Complete = std::function<void(Answer)>;
  // Keeps the changes of one turn; called on the thread, before the turn's answers are given.
  using Keep = std::function<base::Status(Time at, std::vector<RowChange> changes)>;

  // The machine must outlive the thread.
  MachineThread(Machine& machine, LocalTime time, base::Random random, Keep keep);
  // Refuses what still waits with shutting_down, and joins.
  ~MachineThread();
  MachineThread(const MachineThread&) = delete;
  MachineThread& operator=(const MachineThread&) = delete;

  // Any thread. `complete` is called once, on this thread.
  void post(Command command, Complete complete);

  // As Store::watch.
  void watch(Watchers watchers);

 private:
  void run();
  void close(const base::Error& why);
  void tell(Watcher Watchers::*whom, const std::vector<Happening>& happenings);
  std::vector<Command> take_more(const std::vector<Happening>& made,
                                 std::vector<Complete>& completions);
  bool wait_for_work(std::vector<Command>& commands, std::vector<Complete>& completions);

  Machine& machine_;
  LocalTime time_;
  base::Random random_;
  Keep keep_;

  std::mutex watcher_mutex_;
  Watchers watchers_;  // guarded by watcher_mutex_

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Command> commands_;      // guarded by mutex_
  std::vector<Complete> completions_;  // guarded by mutex_
  std::optional<base::Error> closed_;  // guarded by mutex_; why nothing is taken any more
  std::thread thread_;
};

}  // namespace baton::store::local
