// An invariant that must hold whatever happens. A checker sees every step and keeps what it needs
// to remember; it knows nothing of the model and of the other checkers. Cheap checks run at every
// step, those that walk over all rows only now and then and at the end. One thread.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/findings.h"
#include "sim/world/step_view.h"

namespace baton::sim {

class Checker {
 public:
  virtual ~Checker() = default;

  // The invariant in a few words; it stands before every violation.
  virtual std::string_view name() const = 0;
  virtual void each_step(const StepView& /*step*/, Findings& /*findings*/) {}
  virtual void now_and_then(const StepView& /*step*/, Findings& /*findings*/) {}
};

using Checkers = std::vector<std::unique_ptr<Checker>>;

// One of each, fresh.
Checkers all_checkers();

}  // namespace baton::sim
