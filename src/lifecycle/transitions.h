// The canonical state machine as a table, one labelled row for every transition. decide() moves a
// job only along a row of it. Pure data: read it from any thread.
#pragma once

#include <span>
#include <string_view>

#include "lifecycle/states.h"

namespace baton::lifecycle {

struct Transition {
  JobState from;
  JobState to;
  Trigger trigger;
  std::string_view label;  // what happens, in a sentence for a person
};

std::span<const Transition> transitions();

// The row, or nullptr when the machine has no such step.
const Transition* find_transition(JobState from, JobState to, Trigger trigger);

}  // namespace baton::lifecycle
