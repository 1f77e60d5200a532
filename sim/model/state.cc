#include "sim/model/state.h"

#include "sim/model/mismatch.h"

namespace baton::sim {

bool is_end(JobState state) { return state == JobState::kCompleted || is_bad_end(state); }

bool is_bad_end(JobState state) {
  return state == JobState::kFailed || state == JobState::kDeadLetter ||
         state == JobState::kCancelled || state == JobState::kRejected;
}

bool is_waiting_state(JobState state) {
  return state == JobState::kCreated || state == JobState::kPending ||
         state == JobState::kDelayed || state == JobState::kScheduled ||
         state == JobState::kRetrying;
}

bool ModelJob::committed() const {
  return !executions.empty() &&
         (last().status == ExecutionStatus::kCommitted || last().status == ExecutionStatus::kDone);
}

ModelJob* State::find(const JobId& id) {
  const auto found = jobs.find(id);
  return found == jobs.end() || found->second.deleted ? nullptr : &found->second;
}

const ModelJob& State::any(const JobId& id) const {
  const auto found = jobs.find(id);
  if (found == jobs.end()) mismatch("job " + shown(id) + " is unknown to the model");
  return found->second;
}

const ModelJob& State::newest_copy(const JobId& id) const {
  const ModelJob* job = &any(id);
  while (!job->deleted && !job->redriven_to.is_nil())
    job = &any(job->redriven_to);
  return *job;
}

std::int64_t State::count(const std::string& queue, bool (*which)(JobState)) const {
  std::int64_t sum = 0;
  for (const JobId& id : live) {
    const ModelJob& job = jobs.at(id);
    if (job.queue == queue && which(job.state)) ++sum;
  }
  return sum;
}

std::int64_t State::running(const std::string& queue) const {
  return count(queue, [](JobState state) { return state == JobState::kRunning; });
}

}  // namespace baton::sim
