// The system under test as one object: the Machine, and the rows that its changes make. In memory
// the Machine looks into these rows. On a disk it looks into the store there, which dies and is
// opened again, and the rows are what that store must have. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/disk/disk_store.h"
#include "sim/world/earlier_rows.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/rows.h"

namespace baton::sim {
using store::local::Answer;
using store::local::Background;
using store::local::Command;
using store::local::Turn;

class Node {
 public:
  // `store`: nullptr for a node in memory; otherwise it is taken up by `start`.
  Node(DiskStore* store, const store::local::Tuning& tuning);

  // ---- Turns: first decided, then kept --------------------------------------------------------

  Turn decide(const std::vector<Command>& commands, Time now, base::Random& random,
              Time lease_horizon = {}, Background background = Background::kGoesOn);
  // One of the first turns of a machine that took up what a store has.
  Turn decide_reopening(Time now, base::Random& random);
  // The turn is in the rows when this succeeds. Otherwise nobody knows whether it happened.
  Status keep(Time now, const Turn& turn);

  const store::local::Rows& rows() const { return rows_; }
  // As the latest decision left the machine.
  Time next_due() const { return next_due_; }
  std::int64_t live_jobs() const { return live_jobs_; }
  // Whether that decision left work that the next turn is to do.
  bool has_work_left(Time now) const {
    return work_left_ || (next_due_.is_set() && next_due_ <= now);
  }
  // Whether it did not know all timers that are due, and applied none.
  bool is_collecting() const { return collecting_; }
  // Whether unfinished leases are still to be renewed.
  bool is_reopening() const { return reopening_; }
  // Whether the catalog is so far behind that what happens by itself gives way.
  bool is_behind() const { return store_ != nullptr && store_->data().is_behind(); }
  const store::local::Tuning& tuning() const { return tuning_; }
  std::vector<std::string> audit() const { return machine_->audit(); }
  // Ended jobs that a store on a disk does not find by their end yet: its catalog is behind.
  std::set<JobId> not_listed() const;

  // ---- On a disk only -------------------------------------------------------------------------

  // The machine is gone, and the store is closed as far as its disk lets it.
  void die();
  // Takes up what the store has.
  Status load(Time now);

  // Turns that were acknowledged, and those of them that nothing may lose.
  std::uint64_t acknowledged() const { return acknowledged_; }
  std::uint64_t durable() const { return durable_; }
  // After opening: the store has the turn after the acknowledged ones.
  void accept(const Turn& turn);
  // After opening: the store has forgotten what came after this turn, which were bare heartbeats.
  void forget_after(std::uint64_t turn);

  EarlierRows& earlier_rows() { return earlier_rows_; }
  DiskStore& store() { return *store_; }
  bool has_disk() const { return store_ != nullptr; }

 private:
  // Leases as they were before a turn that may be forgotten.
  struct Heartbeats {
    std::uint64_t turn = 0;
    std::map<JobId, Time> leases;
  };

  void look();
  Heartbeats leases_before(std::uint64_t number, const Turn& turn) const;

  store::local::Rows rows_;
  EarlierRows earlier_rows_;
  DiskStore* store_;
  const store::local::Tuning tuning_;
  std::unique_ptr<store::local::Machine> machine_;
  Time next_due_;
  bool work_left_ = false;
  bool collecting_ = false;
  bool reopening_ = false;
  std::int64_t live_jobs_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t durable_ = 0;
  std::vector<Heartbeats> forgettable_;      // after the last durable turn
  std::map<JobId, std::uint64_t> ended_in_;  // the turns in which jobs ended, lately
};

}  // namespace baton::sim
