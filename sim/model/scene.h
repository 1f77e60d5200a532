// One turn in the model's eyes: its state, what the turn wrote, and the time. Also the few moves
// from which every step of a job is put together. Each move checks that the machine made the same
// one; nothing is checked in a trial, where the model only asks itself what would happen.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "sim/model/observed.h"
#include "sim/model/state.h"
#include "store/local/machine/tuning.h"

namespace baton::sim {

struct Scene {
  State& state;
  Observed& seen;
  Time now;
  bool trial = false;
  Time lease_horizon = now;  // timers of running jobs that fell due later do not apply
  store::local::Tuning tuning = {};
  bool gives_way = false;  // what happens by itself waits for another turn
  // A call of this turn left a timer that is due: it set a deadline that has passed, or came in
  // time and does not extend the lease.
  bool set_overdue = false;
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
// The worker gives the job back.
void release_execution(Scene& scene, ModelJob& job, Duration delay);

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

// The jobs that a group waits for: those that it names, and of a FAN_IN their children.
std::vector<JobId> members_of(const State& state, const ModelGroup& group);
// The parent has ended: of its children these count for the group, each by its newest copy.
void fix_children(const State& state, ModelGroup& group, const JobId& parent);

// Moves a PENDING job as the ruling says.
void obey(Scene& scene, ModelJob& job, const Ruling& ruling, Actor actor);

// Moves everyone whose dependencies have decided, those who wait for them, and so on.
void settle_dependents(Scene& scene);

// The store was opened again: unfinished leases get one full term, as many as one turn may renew
// after the first `renewed`, and every rate has a full burst.
void restart(Scene& scene, std::size_t renewed);

// ---- Time --------------------------------------------------------------------------------------

// When the job moves by itself; unset when it never does.
Time due_time(const ModelJob& job);

bool is_due(const ModelJob& job, Time at);

// What there is to do by itself once the turn is over.
struct Ahead {
  bool left = false;  // something is due, or somebody has still to be told of an end
  bool held = false;  // a timer of a running job is due and must wait
  Time next;          // the first time that is ahead; unset when there is none
};
Ahead look_ahead(const Scene& scene);

// When a call arrived.
Time arrival_of(const Scene& scene, const WorkCall& call);

// Fires what is due, as much as one turn may, and what follows from it.
void fire_due(Scene& scene);
// What was due for one job when a command for it came; unset: as of now.
void fire_due(Scene& scene, ModelJob& job, Time arrived = {});

// The lifetime of a waiting job is over, and that shows when it is told of an end.
void fire_lifetime(Scene& scene, ModelJob& job);

// Whether somebody has certainly, or perhaps, still to be told how the job or its parent ended.
bool must_be_told(const State& state, const ModelJob& job);
bool may_be_told(const State& state, const ModelJob& job);
// The same of its parent alone.
bool of_parent_must_be_told(const State& state, const ModelJob& job);

}  // namespace baton::sim
