#include <algorithm>

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

// What can happen to a job by itself now. Both at once: what the machine did first is right.
struct Pending {
  ModelJob* job = nullptr;
  Due due = Due::kNothing;
  bool decided = false;  // its dependencies have
  std::size_t place = 0;
};

Pending pending_of(Scene& scene, ModelJob& job) {
  Pending pending{&job, what_is_due(job, scene.now), false, 0};
  if (job.state == JobState::kPending) {
    pending.decided = ruling_of(scene.state, job).verdict != Verdict::kWaiting;
  }
  if (pending.due == Due::kNothing && !pending.decided) return {};
  const SeenEntry* seen = scene.seen.entry(job.id, job.steps + 1);
  if (seen == nullptr) {
    mismatch("job " + shown(job.id) + " is " + shown(job.state) + ", something was due at " +
             shown(due_time(job)) + ", it is " + shown(scene.now) + ", and nothing happened");
  }
  pending.place = seen->place;
  const bool by_time = seen->entry.trigger == Trigger::kLifetime;
  if (pending.decided && pending.due != Due::kNothing) pending.decided = !by_time;
  return pending;
}

// Jobs fall due in the order of their times, then of their making.
void check_fire_order(const Scene& scene, const ModelJob& job) {
  for (const JobId& id : scene.state.live) {
    const ModelJob& other = scene.state.jobs.at(id);
    if (what_is_due(other, scene.now) == Due::kNothing) continue;
    const auto first = std::pair(due_time(other), other.number);
    if (first < std::pair(due_time(job), job.number)) {
      mismatch("job " + shown(job.id) + ", due at " + shown(due_time(job)) + ", moved before " +
               shown(other.id) + ", due at " + shown(due_time(other)));
    }
  }
}

}  // namespace

void restart(Scene& scene) {
  for (const JobId& id : scene.state.live) {
    ModelJob& job = scene.state.jobs.at(id);
    if (job.state != JobState::kRunning) continue;
    ModelExecution& execution = job.last();
    execution.lease_end = scene.now + execution.lease;
    // A commit has no deadline any more.
    if (!job.committed()) execution.lease_end = std::min(execution.lease_end, execution.deadline);
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

Time first_due_time(const Scene& scene) {
  Time first;
  for (const JobId& id : scene.state.live) {
    const Time due = due_time(scene.state.jobs.at(id));
    if (!due.is_set()) continue;
    if (due <= scene.now && !scene.set_overdue.contains(id)) {
      mismatch("job " + shown(id) + " was due at " + shown(due) + ", it is " + shown(scene.now) +
               ", and nothing happened");
    }
    if (!first.is_set() || due < first) first = due;
  }
  return first;
}

void fire_due(Scene& scene) {
  for (;;) {
    Pending next;
    for (const JobId& id : scene.state.live) {
      const Pending one = pending_of(scene, scene.state.jobs.at(id));
      if (one.job == nullptr) continue;
      if (next.job == nullptr || one.place < next.place) next = one;
    }
    if (next.job == nullptr) return;
    if (next.decided) {
      obey(scene, *next.job, ruling_of(scene.state, *next.job), Actor::kSystem);
    } else {
      check_fire_order(scene, *next.job);
      fire(scene, *next.job, next.due);
    }
  }
}

void fire_due(Scene& scene, ModelJob& job) {
  while (!is_end(job.state)) {
    const Due due = what_is_due(job, scene.now);
    if (due == Due::kNothing) break;
    fire(scene, job, due);
  }
  settle_dependents(scene);
}

}  // namespace baton::sim
