#include "lifecycle/states.h"

namespace baton::lifecycle {

bool is_waiting(JobState state) {
  return state != JobState::kNone && state != JobState::kRunning && !is_terminal(state);
}

bool is_before_schedule(JobState state) {
  return state == JobState::kCreated || state == JobState::kPending;
}

}  // namespace baton::lifecycle
