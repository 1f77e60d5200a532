// One step of a run as the model and the checkers see it: what was asked, what was answered, what
// changed, and the rows as they are now. Borrowed; valid during the step only.
#pragma once

#include <set>
#include <vector>

#include "sim/world/node.h"

namespace baton::sim {

// A turn that was decided, with what led to it.
struct Step {
  int number = 0;
  Time now;
  std::vector<Command> commands;
  bool reopens = false;        // one of the first turns of a store that was opened again
  std::set<JobId> not_listed;  // as Node::not_listed had it before the turn
  Turn turn;
  Time lease_horizon = {};  // unset: now
  Background background = Background::kGoesOn;
  std::size_t renewed = 0;  // `reopens`: leases that the turns before it have renewed
};

struct StepView {
  int number = 0;
  Time now;
  const std::vector<Command>& commands;
  const Turn& turn;
  const Node& node;
  bool reopens = false;
  std::set<JobId> not_listed = {};
  Time lease_horizon = now;
  Background background = Background::kGoesOn;
  std::size_t renewed = 0;
};

inline StepView view_of(const Step& step, const Node& node) {
  return {step.number,
          step.now,
          step.commands,
          step.turn,
          node,
          step.reopens,
          step.not_listed,
          step.lease_horizon.is_set() ? step.lease_horizon : step.now,
          step.background,
          step.renewed};
}

}  // namespace baton::sim
