// The thread that owns a Machine. It takes every command that waits, applies them as one turn,
// hands the turn's changes on to be kept, and then completes the commands in their order. Under
// load a turn grows by itself; idle, it sleeps until a command comes or a timer falls due.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/local/local_time.h"
#include "store/local/machine.h"

namespace baton::store::local {

class MachineThread {
 public:
  using Complete = std::function<void(Answer)>;
  // Keeps the changes of one turn; called on the thread, before the turn's answers are given.
  using Keep = std::function<void(const std::vector<RowChange>&)>;

  // All three must outlive the thread.
  MachineThread(Machine& machine, const base::Clock& clock, std::uint64_t seed, Keep keep);
  // Refuses what still waits with shutting_down, and joins.
  ~MachineThread();
  MachineThread(const MachineThread&) = delete;
  MachineThread& operator=(const MachineThread&) = delete;

  // Any thread. `complete` is called once, on this thread.
  void post(Command command, Complete complete);

 private:
  void run();
  bool wait_for_work(std::vector<Command>& commands, std::vector<Complete>& completions);

  Machine& machine_;
  LocalTime time_;
  base::Random random_;
  Keep keep_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Command> commands_;      // guarded by mutex_
  std::vector<Complete> completions_;  // guarded by mutex_
  bool stopping_ = false;              // guarded by mutex_
  std::thread thread_;
};

}  // namespace baton::store::local
