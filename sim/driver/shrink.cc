#include "sim/driver/shrink.h"

#include <algorithm>
#include <vector>

#include "sim/driver/isolate.h"

namespace baton::sim {
namespace {

class Shrinker {
 public:
  Shrinker(const RunPlan& plan, const Violation& violation, int attempts)
      : best_(plan), invariant_(violation.invariant), attempts_(attempts) {
    best_.count = false;
  }

  RunPlan run() {
    cut_steps();
    for (std::size_t size = left_in().size() / 2; size > 0 && attempts_ > 0; size /= 2)
      leave_out(size);
    return best_;
  }

 private:
  bool still_fails(const RunPlan& plan) {
    if (attempts_ <= 0) return false;
    --attempts_;
    const RunReport report = run_apart(plan);
    return report.violation && report.violation->invariant == invariant_;
  }

  // The fewest steps, looked for by halves.
  void cut_steps() {
    int low = 0;
    int high = best_.steps;
    while (low < high) {
      RunPlan plan = best_;
      plan.steps = low + (high - low) / 2;
      if (still_fails(plan)) {
        high = plan.steps;
        best_ = plan;
      } else {
        low = plan.steps + 1;
      }
    }
  }

  std::vector<int> left_in() const {
    std::vector<int> steps;
    for (int step = 1; step <= best_.steps; ++step) {
      if (!best_.skipped.contains(step)) steps.push_back(step);
    }
    return steps;
  }

  // Leaves out runs of `size` steps, from the last to the first, wherever that changes nothing.
  void leave_out(std::size_t size) {
    const std::vector<int> steps = left_in();
    for (std::size_t end = steps.size(); end > 0 && attempts_ > 0;) {
      const std::size_t begin = end > size ? end - size : 0;
      RunPlan plan = best_;
      for (std::size_t i = begin; i < end; ++i)
        plan.skipped.insert(steps[i]);
      if (still_fails(plan)) best_ = plan;
      end = begin;
    }
  }

  RunPlan best_;
  std::string invariant_;
  int attempts_;
};

}  // namespace

RunPlan shrink(const RunPlan& plan, const Violation& violation, int attempts) {
  return Shrinker(plan, violation, attempts).run();
}

}  // namespace baton::sim
