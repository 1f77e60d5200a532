// Backups of a store on a disk while it goes on: turns, projections and kills come between the
// operations of the copy. The copy must open, have every turn that was durable when it began, and
// be what the store was after one of the turns since. One thread.
#pragma once

#include <functional>

#include "sim/world/dice.h"
#include "sim/world/outages.h"
#include "sim/world/witness.h"

namespace baton::sim {

class Backups {
 public:
  Backups(const RunPlan& plan, Node& node, Witness& witness, const Outages& outages)
      : plan_(plan), node_(node), witness_(witness), outages_(outages) {}

  // Perhaps takes a backup. `meanwhile` makes a turn with the dice that it gets.
  void perhaps_take(int step, const std::function<void(Dice&)>& meanwhile);

 private:
  void take(Dice& dice, const std::function<void(Dice&)>& meanwhile);
  void check(DiskStore& copy, std::uint64_t durable);

  const RunPlan& plan_;
  Node& node_;
  Witness& witness_;
  const Outages& outages_;
  int count_ = 0;
};

}  // namespace baton::sim
