#include <algorithm>
#include <map>
#include <utility>

#include "sim/model/mismatch.h"
#include "sim/model/scene.h"

namespace baton::sim {
namespace {

enum class Due { kNothing, kLifetime, kDeadline, kLease, kWake };

Due what_is_due(const ModelJob& job, Time now) {
  if (is_end(job.state)) return Due::kNothing;
  const bool runs = job.state == JobState::kRunning;
  const bool committed = runs && job.committed();
  if (!committed && now >= job.lifetime_end()) return Due::kLifetime;
  if (runs && !committed && now >= job.last().deadline) return Due::kDeadline;
  if (runs && now >= job.last().lease_end) return Due::kLease;
  if (job.run_at.is_set() && now >= job.run_at) return Due::kWake;
  return Due::kNothing;
}

void fire(Scene& scene, ModelJob& job, Due due) {
  ++scene.fired;
  switch (due) {
    case Due::kNothing:
      break;
    case Due::kLifetime:
      if (job.state == JobState::kRunning) abort_execution(scene, job);
      end_badly(scene, job, job.promise.rules->exhausted, Trigger::kLifetime, Actor::kSystem,
                {FailureCategory::kTimeout, "lifetime_exceeded"});
      break;
    case Due::kDeadline:
      fail_execution(scene, job,
                     {{FailureCategory::kTimeout, {}}, Trigger::kTimeout, Actor::kSystem, {}});
      break;
    case Due::kLease:
      if (job.committed()) {
        complete(scene, job, Actor::kSystem);
      } else {
        fail_execution(
            scene, job,
            {{FailureCategory::kSystem, "lease_lost"}, Trigger::kLeaseLost, Actor::kSystem, {}});
      }
      break;
    case Due::kWake:
      wake(scene, job, Actor::kSystem);
      break;
  }
}

Time judged_at(const Scene& scene, const ModelJob& job) {
  return job.state == JobState::kRunning ? scene.lease_horizon : scene.now;
}

// Jobs fall due in the order of their times, then of their making.
ModelJob* first_due_job(Scene& scene) {
  ModelJob* first = nullptr;
  for (const JobId& id : scene.state.live) {
    ModelJob& job = scene.state.jobs.at(id);
    if (!is_due(job, judged_at(scene, job))) continue;
    const bool earlier = first == nullptr || std::pair(due_time(job), job.number) <
                                                 std::pair(due_time(*first), first->number);
    if (earlier) first = &job;
  }
  return first;
}

// The times of a job at which it moves by itself.
std::vector<Time> times_of(const ModelJob& job) {
  const bool runs = job.state == JobState::kRunning;
  const bool committed = runs && job.committed();
  std::vector<Time> times;
  if (!committed) times.push_back(job.lifetime_end());
  if (runs && !committed) times.push_back(std::min(job.last().lease_end, job.last().deadline));
  if (committed) times.push_back(job.last().lease_end);
  if (job.run_at.is_set()) times.push_back(job.run_at);
  return times;
}

}  // namespace

void restart(Scene& scene, std::size_t renewed) {
  std::map<std::int64_t, ModelJob*> running;  // by their numbers
  for (const JobId& id : scene.state.live) {
    ModelJob& job = scene.state.jobs.at(id);
    if (job.state == JobState::kRunning) running.emplace(job.number, &job);
  }
  std::size_t place = 0;
  for (const auto& [number, job] : running) {
    ++place;
    if (place <= renewed || place > renewed + scene.tuning.leases_per_turn) continue;
    ModelExecution& execution = job->last();
    execution.lease_end = scene.now + execution.lease;
    // A commit has no deadline any more.
    if (!job->committed()) execution.lease_end = std::min(execution.lease_end, execution.deadline);
  }
  for (auto& [name, queue] : scene.state.queues) {
    if (!queue.settings.rate) continue;
    queue.bucket = {queue.settings.rate->burst * kToken, scene.now};
  }
}

Time due_time(const ModelJob& job) {
  if (is_end(job.state)) return {};
  Time due;
  const auto consider = [&due](Time time) {
    if (time.is_set() && (!due.is_set() || time < due)) due = time;
  };
  const bool runs = job.state == JobState::kRunning;
  const bool committed = runs && job.committed();
  if (!committed) consider(job.lifetime_end());
  if (runs && !committed) consider(job.last().deadline);
  if (runs) consider(job.last().lease_end);
  consider(job.run_at);
  return due;
}

bool is_due(const ModelJob& job, Time at) { return what_is_due(job, at) != Due::kNothing; }

Time arrival_of(const Scene& scene, const WorkCall& call) {
  return Time{scene.now.ms - call.waited.ms};
}

Ahead look_ahead(const Scene& scene) {
  Ahead ahead;
  for (const JobId& id : scene.state.live) {
    const ModelJob& job = scene.state.jobs.at(id);
    for (const Time time : times_of(job)) {
      if (time > scene.now) {
        if (!ahead.next.is_set() || time < ahead.next) ahead.next = time;
      } else if (time <= judged_at(scene, job)) {
        ahead.left = true;
      } else {
        ahead.held = true;
      }
    }
    if (job.state != JobState::kPending) continue;
    if (ruling_of(scene.state, job).verdict != Verdict::kWaiting) ahead.left = true;
  }
  return ahead;
}

void fire_due(Scene& scene) {
  for (std::size_t i = 0; i < scene.tuning.timers_per_turn; ++i) {
    ModelJob* job = first_due_job(scene);
    if (job == nullptr) break;
    fire(scene, *job, what_is_due(*job, scene.now));
  }
  settle_dependents(scene);
}

void fire_due(Scene& scene, ModelJob& job, Time arrived) {
  if (!is_due(job, arrived.is_set() ? arrived : judged_at(scene, job))) return;
  fire(scene, job, what_is_due(job, scene.now));
  settle_dependents(scene);
}

void fire_lifetime(Scene& scene, ModelJob& job) {
  if (what_is_due(job, scene.now) == Due::kLifetime) return fire(scene, job, Due::kLifetime);
  mismatch("job " + shown(job.id) + " ended by its lifetime before its time");
}

}  // namespace baton::sim
