// Claims that wait for a job to come, without a thread, and without asking while there is nothing
// for them. They stand in line in the order of their arrival, and keep their place until they get
// something. When the store tells that a job was made ready, the first in line that takes its queue
// and type asks; the store then gives the job away in the same durable step. When a job ends in a
// queue that may run only so many, the first asks for whom a ready job may be there. What the store
// does not tell (a rate that allows the next job, a queue that goes on) is found by asking now and
// then, but only for claims to which the store has said that a job is held back, once for all that
// ask for the same, and for a few of these at a time.
//
// Any thread may call. What it is made with must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/alarm.h"
#include "engine/worker_registry.h"
#include "store/store.h"

namespace baton::engine {

struct WaitingClaim {
  ClaimRequest request;
  // Called exactly once; with no executions when the wait is over, stopped, or the line closed.
  store::Done<store::ClaimAnswer> done;
};

class ClaimLine {
 public:
  // `workers` learns who claims, and who gets what.
  ClaimLine(store::Store& store, Alarm& alarm, WorkerRegistry& workers, const base::Clock& clock);
  // Nothing may be under way: close() it, and let the store answer.
  ~ClaimLine();
  ClaimLine(const ClaimLine&) = delete;
  ClaimLine& operator=(const ClaimLine&) = delete;

  void claim(WaitingClaim claim);

  // What the store tells its watcher of what was made (Watchers::made).
  void happened(const std::vector<store::Happening>& happenings);

  // Answers all that wait with nothing. From now on nobody waits, and nobody gets anything.
  void close();

  std::size_t waiting() const;

 private:
  struct Chance;
  struct Entry;
  struct Shape;
  using EntryPtr = std::shared_ptr<Entry>;
  using ShapePtr = std::shared_ptr<Shape>;
  using ShapeKey = std::pair<std::vector<std::string>, std::vector<std::string>>;  // queues, types
  using Woken = std::vector<EntryPtr>;

  void ask(const EntryPtr& entry);
  void ask_all(const Woken& woken);
  void answered(const EntryPtr& entry, Result<store::ClaimAnswer> answer);
  void finish(const EntryPtr& entry, Result<store::ClaimAnswer> answer);
  void look_around();
  void end_wait(std::uint64_t number);

  // Under the lock.
  void join(const EntryPtr& entry);
  void leave(const EntryPtr& entry);
  bool may_wait(const Entry& entry) const;
  void stand(const EntryPtr& entry);
  void begin_asking(const EntryPtr& entry);
  bool take_kept_chance(const EntryPtr& entry);
  EntryPtr first_for(const Chance& chance) const;
  void offer(Chance chance, Woken& woken);
  void offer_next_of(const Shape& shape, Woken& woken);
  void hand_on(Chance chance, const Entry& entry, const Result<store::ClaimAnswer>& answer,
               Woken& woken);
  void drop_kept_chances();
  void note_ready(const Chance& chance);

  store::Store& store_;
  Alarm& alarm_;
  WorkerRegistry& workers_;
  const base::Clock& clock_;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, EntryPtr> line_;  // guarded by mutex_, as all below; by arrival
  std::set<std::pair<std::uint64_t, std::uint64_t>> asking_;  // when, and who
  std::map<ShapeKey, ShapePtr> shapes_;
  std::unordered_map<std::string, std::set<Shape*>> by_queue_;
  std::map<std::uint64_t, Chance> kept_chances_;  // for those that ask just now
  std::uint64_t news_ = 0;                        // counts chances
  std::uint64_t arrivals_ = 0;
  bool closed_ = false;
  Alarm::Id look_ = 0;
  ShapeKey looked_last_;
};

}  // namespace baton::engine
