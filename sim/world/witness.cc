#include "sim/world/witness.h"

#include "sim/world/trace.h"

namespace baton::sim {

void Witness::see(const Step& step, const Node& node) {
  const StepView view = view_of(step, node);
  digest_.add(step.turn);
  if (plan_.count) tally_.add(view);
  if (plan_.trace) plan_.trace(describe(view));
  reference_.check(view, findings_);
  for (const auto& checker : checkers_)
    checker->each_step(view, findings_);
}

void Witness::look_at_all(const Step& step, const Node& node) {
  if (findings_.any()) return;
  const StepView view = view_of(step, node);
  reference_.compare_all(view, findings_);
  for (const auto& checker : checkers_)
    checker->now_and_then(view, findings_);
}

void Witness::note(const std::string& what) {
  if (plan_.count) ++notes_["disk: " + what];
  if (plan_.trace) plan_.trace({"  -- " + what});
}

RunReport Witness::report() const {
  RunReport report;
  if (findings_.any()) report.violation = findings_.all().front();
  for (const Violation& violation : findings_.all()) {
    if (is_sought(violation, plan_.sought)) report.violation = violation;
  }
  report.digest = digest_.value();
  report.jobs = static_cast<std::int64_t>(reference_.state().jobs.size());
  report.counts = tally_.counts();
  report.counts.insert(notes_.begin(), notes_.end());
  return report;
}

}  // namespace baton::sim
