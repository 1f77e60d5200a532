// The threads of a worker: one that sends what the courier decides, at the times it says, and as
// many as there are handlers at once. Answers come in on threads of the source. One mutex guards
// the courier and all that is held; handlers and callbacks of the embedding program run without it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "baton/worker.h"
#include "worker/courier.h"

namespace baton::worker {

class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  // Source and clock must outlive the runtime's work: until drain() or stop() has returned.
  Runtime(WorkSource& source, WorkerOptions options, const base::Clock& clock, std::uint64_t seed);

  void add(const std::string& type, Handler handler);
  void add_any(Handler handler);
  Status start();
  void drain();
  bool stop(Duration grace);
  WorkerStats stats() const;
  // The clock was turned by hand: look at it again.
  void wake();

  // What a Context does.
  void progress(Held& held, int percent, std::string message);
  Status save_checkpoint(Held& held, std::string bytes);
  std::string checkpoint(const Held& held) const;
  void spawn(Held& held, Submission child);
  Duration time_left(const Held& held) const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  Status check() const;
  Instant now() const { return Instant(clock_.monotonic().ms); }
  void run_courier();
  void run_handlers();
  void sleep(Lock& lock);
  void look_at_grace();
  void take_overdue();
  void send(Lock& lock, Parcel parcel);
  void answered(const Parcel& parcel, Result<ExchangeAnswer> answer);
  void tell(Lock& lock);
  void work_on(Lock& lock, const std::shared_ptr<Held>& held);
  void begin_drain();
  void join();

  WorkSource& source_;
  const WorkerOptions options_;
  const base::Clock& clock_;
  const std::uint64_t seed_;

  mutable std::mutex mutex_;
  std::condition_variable courier_wakes_;
  std::condition_variable handlers_wake_;
  std::condition_variable changed_;          // a checkpoint was answered; the worker is idle
  std::map<std::string, Handler> handlers_;  // fixed once started; guarded by mutex_, as all below
  Handler any_;                              // for types without one; fixed likewise
  std::optional<Courier> courier_;           // there once started
  std::deque<std::shared_ptr<Held>> ready_;  // claimed, and no handler has it yet
  HeldList to_stop_;                         // contexts to be cancelled, without the lock
  std::vector<Error> errors_;                // to be told, without the lock
  std::optional<Instant> grace_end_;
  int running_ = 0;
  bool look_again_ = false;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace baton::worker
