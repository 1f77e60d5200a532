// One turn in the model's eyes: its state, what the turn wrote, and the time. Also the few moves
// from which every step of a job is put together. Each move checks that the machine made the same
// one; nothing is checked in a trial, where the model only asks itself what would happen.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "sim/model/observed.h"
#include "sim/model/state.h"

namespace baton::sim {

struct Scene {
  State& state;
  Observed& seen;
  Time now;
  bool trial = false;
  // Jobs to which a start of this turn gave a deadline that has passed. Nothing else leaves a
  // timer that is due, and the next turn begins with it.
  std::set<JobId> set_overdue = {};
  // Ended jobs that a prune does not find yet.
  std::set<JobId> not_listed = {};
  std::int64_t fired = 0;  // jobs that a timer has moved in this turn
};

struct ModelFailure {
  FailureCategory category = FailureCategory::kTemporary;
  std::string code;  // empty: not stated by the rules
};

// The job goes to `to`; the machine must have written the same entry.
void move(Scene& scene, ModelJob& job, JobState to, Trigger trigger, Actor actor);

// The job ends in a state that is not COMPLETED: credits, quota, failure.
void end_badly(Scene& scene, ModelJob& job, JobState to, Trigger trigger, Actor actor,
               const ModelFailure& failure);

// The running execution is over without a commit.
void abort_execution(Scene& scene, ModelJob& job);

// The running execution failed: cancelled, retried or buried, as the rules say.
struct ExecutionFailure {
  ModelFailure failure;
  Trigger cause = Trigger::kFailure;
  Actor actor = Actor::kWorker;
  Duration retry_after{};
};
void fail_execution(Scene& scene, ModelJob& job, const ExecutionFailure& how);

// The committed execution is done.
void complete(Scene& scene, ModelJob& job, Actor actor);

// DELAYED or RETRYING is over.
void wake(Scene& scene, ModelJob& job, Actor actor);

// Whether the job's account has a quota that counts it.
bool counts_quota(const ModelJob& job);

// Credits of the job's account.
void reserve(Scene& scene, ModelJob& job, Amount amount);
void capture(Scene& scene, ModelJob& job);

// ---- Dependencies ------------------------------------------------------------------------------

enum class Verdict { kWaiting, kReady, kBad };

struct Ruling {
  Verdict verdict = Verdict::kWaiting;
  std::vector<JobState> endings;  // kBad: how the bad dependencies ended
};

Ruling ruling_of(const State& state, const ModelJob& job);

// Moves a PENDING job as the ruling says.
void obey(Scene& scene, ModelJob& job, const Ruling& ruling, Actor actor);

// Moves everyone whose dependencies have decided, those who wait for them, and so on.
void settle_dependents(Scene& scene);

// The store was opened again: every unfinished lease has one full term, every rate a full burst.
void restart(Scene& scene);

// ---- Time --------------------------------------------------------------------------------------

// When the job moves by itself; unset when it never does.
Time due_time(const ModelJob& job);

// The first of these times among all jobs. A time that is past must be an overdue deadline.
Time first_due_time(const Scene& scene);

// Fires everything that is due, and what follows from it.
void fire_due(Scene& scene);
// The same for one job, before a command applies to it.
void fire_due(Scene& scene, ModelJob& job);

}  // namespace baton::sim
