#include "lifecycle/states.h"

#include <algorithm>
#include <array>

namespace baton::lifecycle {
namespace {

struct StateClass {
  std::string_view name;
  bool terminal;
  bool waiting;
};

// In the order of JobState.
const std::array<StateClass, kJobStateCount> kStates = {{
    {"", false, false},
    {"CREATED", false, true},
    {"PENDING", false, true},
    {"DELAYED", false, true},
    {"SCHEDULED", false, true},
    {"RUNNING", false, false},
    {"RETRYING", false, true},
    {"COMPLETED", true, false},
    {"FAILED", true, false},
    {"DEAD_LETTER", true, false},
    {"CANCELLED", true, false},
    {"REJECTED", true, false},
}};

std::array<std::string_view, kJobStateCount> state_names() {
  std::array<std::string_view, kJobStateCount> all;
  std::transform(kStates.begin(), kStates.end(), all.begin(),
                 [](const StateClass& state) { return state.name; });
  return all;
}

const std::array<std::string_view, kExecutionStatusCount> kExecutionStatuses = {
    "LEASED", "IN_PROGRESS", "COMMITTED", "DONE", "ABORTED"};
const std::array<std::string_view, 5> kFailureCategories = {"TEMPORARY", "PERMANENT", "TIMEOUT",
                                                            "CANCELLED", "SYSTEM"};
const std::array<std::string_view, 2> kErrorTypes = {"RETRYABLE", "TERMINAL"};
const std::array<std::string_view, 2> kFailureIs = {"temporary", "terminal"};
const std::array<std::string_view, kPriorityCount> kPriorities = {"CRITICAL", "HIGH", "NORMAL",
                                                                  "LOW", "BULK"};
const std::array<std::string_view, 3> kActors = {"client", "worker", "system"};
const std::array<std::string_view, kTriggerCount> kTriggers = {
    "create",  "submit",  "ready",   "delay",      "due",       "claim",
    "done",    "failure", "timeout", "lease_lost", "permanent", "exhausted",
    "backoff", "reject",  "cancel",  "lifetime",   "dependency"};

const StateClass& class_of(JobState state) { return kStates[static_cast<std::size_t>(state)]; }

}  // namespace

bool is_terminal(JobState state) { return class_of(state).terminal; }

bool is_bad_ending(JobState state) { return is_terminal(state) && state != JobState::kCompleted; }

bool is_waiting(JobState state) { return class_of(state).waiting; }

bool is_before_schedule(JobState state) {
  return state == JobState::kCreated || state == JobState::kPending;
}

std::span<const std::string_view> names(JobState) {
  static const auto all = state_names();
  return all;
}
std::span<const std::string_view> names(ExecutionStatus) { return kExecutionStatuses; }
std::span<const std::string_view> names(FailureCategory) { return kFailureCategories; }
std::span<const std::string_view> names(ErrorType) { return kErrorTypes; }
std::span<const std::string_view> names(FailureIs) { return kFailureIs; }
std::span<const std::string_view> names(Priority) { return kPriorities; }
std::span<const std::string_view> names(Actor) { return kActors; }
std::span<const std::string_view> names(Trigger) { return kTriggers; }

}  // namespace baton::lifecycle
