// The system under test as one object: the Machine and the rows that its changes make. Everything
// that the simulator knows about the store goes through here, so that a log on a faulty disk can
// stand between the two later. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "store/local/machine.h"
#include "store/local/rows.h"

namespace baton::sim {

using base::Duration;
using base::Time;
using store::local::Answer;
using store::local::Command;
using store::local::Turn;

class Node {
 public:
  Node() : machine_(rows_) {}

  // One turn of the machine; its changes are in the rows when this returns.
  Turn turn(std::vector<Command> commands, Time now, base::Random& random) {
    Turn turn = machine_.turn(std::move(commands), now, random);
    rows_.apply(turn.changes);
    return turn;
  }

  const store::local::Rows& rows() const { return rows_; }
  Time next_due() const { return machine_.next_due(); }
  std::int64_t live_jobs() const { return machine_.live_jobs(); }
  std::vector<std::string> audit() const { return machine_.audit(); }

 private:
  store::local::Rows rows_;
  store::local::Machine machine_;
};

}  // namespace baton::sim
