// The thread that owns a Machine. It takes the commands that wait, as many as one turn may have,
// applies them together with those that watchers ask for when they hear what the turn made, hands
// the turn's changes on to be kept, and then completes the commands in their order. Under load a
// turn grows by itself up to that bound; idle, it sleeps until a command comes or a timer falls
// due. When a turn cannot be kept, its commands and all later ones are refused: what the Machine
// holds from then on was never kept, so it is asked nothing any more. The same happens when memory
// lacks in a turn, because it may have left half of a change in the Machine.
//
// What happens by itself gives way to commands while whoever takes what was kept is behind: then a
// turn does none of it, but for one turn each time that he has come nearer, so that it never stands
// still.
//
// Before leases end it lets the server hand over the calls that have reached it (see
// Store::before_leases_end), and goes on with turns meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/local/machine/command_size.h"
#include "store/local/machine/lease_horizon.h"
#include "store/local/machine/local_time.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/tuning.h"
#include "store/store.h"

namespace baton::store::local {

class MachineThread {
 public:
  using Complete = std::function<void(Answer)>;
  // Keeps the changes of one turn; called on the thread, before the turn's answers are given.
  using Keep = std::function<Status(Time at, std::vector<RowChange> changes)>;
  // Whether so much of what was kept is still to be taken that only commands may add to it; called
  // on the thread, before each turn.
  using IsBehind = std::function<bool()>;

  // The machine must outlive the thread. Without `is_behind` nothing gives way.
  MachineThread(Machine& machine, LocalTime time, base::Random random, Keep keep,
                const Tuning& tuning = {}, IsBehind is_behind = {});
  // Refuses what still waits with shutting_down, and joins.
  ~MachineThread();
  MachineThread(const MachineThread&) = delete;
  MachineThread& operator=(const MachineThread&) = delete;

  // Any thread. `complete` is called once, on this thread.
  void post(Command command, Complete complete);

  // Some of what was kept has been taken. Any thread; called whenever `is_behind` may have changed.
  void came_nearer();

  // As Store::watch and Store::before_leases_end.
  void watch(Watchers watchers);
  void before_leases_end(CatchUp catch_up);

 private:
  struct Waiting {
    Command command;
    Complete complete;
    Time posted;
    CommandSize size;
  };
  // What one turn takes from those that wait.
  struct Taken {
    std::vector<Command> commands;
    std::vector<Complete> completions;
    CommandSize size{0, 0};
  };
  // What a turn needs to know about time.
  struct Moment {
    Time now;
    Time lease_horizon;
    Time calls_came_before;  // set: the thread was held up, and calls count as from before this
    Background background = Background::kGoesOn;
  };

  void run();
  bool take_turn(Taken& taken);
  void close(Error why);
  std::optional<Complete> take_completion();
  void tell(Watcher Watchers::*whom, const std::vector<Happening>& happenings);
  std::vector<Command> take_more(const std::vector<Happening>& made, const Moment& moment,
                                 Taken& taken);
  bool wait_for_work(Moment& moment, Taken& taken);
  bool has_work() const;
  Moment moment_of_turn(Time was_due);
  void take(const Moment& moment, Taken& taken);
  void ask_for_calls();
  void caught_up(std::uint64_t question);

  Machine& machine_;
  LocalTime time_;
  base::Random random_;
  Keep keep_;
  const Tuning tuning_;
  const IsBehind is_behind_;
  Error no_memory_;        // made while there is some
  bool gave_way_ = false;  // the last turn left work for when somebody has come nearer

  std::mutex watcher_mutex_;
  Watchers watchers_;  // guarded by watcher_mutex_

  std::mutex catch_up_mutex_;  // before mutex_
  CatchUp catch_up_;           // guarded by catch_up_mutex_

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> waiting_;      // guarded by mutex_
  LeaseHorizon::Commands commands_;  // guarded by mutex_
  LeaseHorizon horizon_;             // guarded by mutex_
  bool asks_ = false;                // guarded by mutex_; there is somebody to ask for calls
  std::uint64_t question_ = 0;       // guarded by mutex_; the number of the latest one
  Time asked_at_;                    // guarded by mutex_; unset: no question is open
  bool nearer_ = false;              // guarded by mutex_; since the last turn
  std::optional<Error> closed_;      // guarded by mutex_; why nothing is taken any more
  std::thread thread_;
};

}  // namespace baton::store::local
