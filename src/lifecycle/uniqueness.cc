#include "lifecycle/uniqueness.h"

namespace baton::lifecycle {

bool holds_unique(UniqueWhile held_while, const JobFacts& job) {
  if (is_terminal(job.state)) return false;
  return held_while == UniqueWhile::kActive || job.attempt == 0;
}

// Work that is under way is not taken from its worker.
bool can_be_replaced(JobState holder) { return holder != JobState::kRunning; }

}  // namespace baton::lifecycle
