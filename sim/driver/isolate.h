// Runs in processes of their own, so that a machine that stops at one of its own assertions is a
// finding like any other. Several can go on at once. Call from a process with one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/world/run.h"

namespace baton::sim {

struct SeedReport {
  RunPlan plan;
  RunReport report;
};

struct Campaign {
  std::vector<RunPlan> plans;
  int processes = 1;
  bool quiet_errors = false;                  // what the machine prints goes nowhere
  std::function<void(std::size_t)> finished;  // called with the number of runs that ended
};

// Runs the plans until all are done or one has the violation that its plan seeks, or any where
// it seeks none. Gives the reports of those that ended; that violation, if there is one, stands
// last.
std::vector<SeedReport> run_apart(const Campaign& campaign);

// One plan by itself.
RunReport run_apart(const RunPlan& plan);

}  // namespace baton::sim
