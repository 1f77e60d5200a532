// The reference model: told every turn of the machine, it works out from the rules alone what each
// answer had to be and how each job has to stand afterwards, and says where the machine differs.
// It shares plain data types with the core and none of its decisions. Where the rules leave
// something open (random waits, ids, the order among jobs that one event moves) it takes over what
// the machine did after checking that it may. One thread; slow on purpose.
#pragma once

#include <string>

#include "sim/findings.h"
#include "sim/model/state.h"
#include "sim/world/step_view.h"

namespace baton::sim {

class Reference {
 public:
  // Checks one turn. After a finding the model is out of step and must not be used again.
  void check(const StepView& step, Findings& findings);

  // Compares every job, queue and account with the rows.
  void compare_all(const StepView& step, Findings& findings) const;

  const State& state() const { return state_; }

 private:
  State state_;
};

}  // namespace baton::sim
