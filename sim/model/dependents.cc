#include <algorithm>

#include "sim/model/mismatch.h"
#include "sim/model/scene.h"

namespace baton::sim {
namespace {

Ruling ruling_of(const State& state, const ModelGroup& group) {
  std::size_t ended = 0;
  std::size_t members = 0;
  std::vector<JobState> bad;
  for (const JobId& id : members_of(state, group)) {
    const JobState ending = state.any(id).state;
    ++members;
    if (is_end(ending)) ++ended;
    if (is_bad_end(ending)) bad.push_back(ending);
  }
  Ruling waiting{Verdict::kWaiting, {}};
  Ruling ready{Verdict::kReady, {}};
  switch (group.type) {
    case DependencyType::kAfter:
      if (!bad.empty()) return {Verdict::kBad, bad};
      return ended == members ? ready : waiting;
    case DependencyType::kAfterAny:
      return ended > 0 ? ready : waiting;
    case DependencyType::kFanIn:
      if (ended < members) return waiting;
      return bad.empty() || group.allow_failures ? ready : Ruling{Verdict::kBad, bad};
  }
  return waiting;
}

// The job that the machine moved first because it told it of an end; nullptr when there is none
// left. Those whose dependencies have decided and who are not told in this turn are told in
// another.
ModelJob* next_told(Scene& scene) {
  ModelJob* next = nullptr;
  std::size_t place = 0;
  for (const JobId& id : scene.state.live) {
    ModelJob& job = scene.state.jobs.at(id);
    if (job.state != JobState::kPending) continue;
    const SeenEntry* seen = scene.seen.entry(job.id, job.steps + 1);
    if (seen == nullptr || seen->told == nullptr) continue;
    if (!is_end(scene.state.any(seen->told->ended).state)) continue;
    const bool by_time = seen->entry.trigger == Trigger::kLifetime;
    if (!by_time && ruling_of(scene.state, job).verdict == Verdict::kWaiting) continue;
    if (next == nullptr || seen->place < place) {
      next = &job;
      place = seen->place;
    }
  }
  return next;
}

// Whether a waiting job names this one and does not know that it ended.
bool is_untold(const State& state, const ModelJob& ended) {
  for (const JobId& id : state.live) {
    const ModelJob& job = state.jobs.at(id);
    const bool waits = job.state == JobState::kPending || job.state == JobState::kCreated;
    if (!waits || state.told.contains({id, ended.id})) continue;
    for (const ModelGroup& group : job.groups) {
      if (std::find(group.jobs.begin(), group.jobs.end(), ended.id) != group.jobs.end())
        return true;
    }
  }
  return false;
}

}  // namespace

std::vector<JobId> members_of(const State& state, const ModelGroup& group) {
  std::vector<JobId> members = group.jobs;
  if (group.type != DependencyType::kFanIn) return members;
  for (const JobId& parent : group.jobs) {
    const auto fixed = group.children.find(parent);
    const auto& children =
        fixed != group.children.end() ? fixed->second : state.any(parent).children;
    members.insert(members.end(), children.begin(), children.end());
  }
  return members;
}

void fix_children(const State& state, ModelGroup& group, const JobId& parent) {
  if (group.type != DependencyType::kFanIn || group.children.contains(parent)) return;
  if (std::find(group.jobs.begin(), group.jobs.end(), parent) == group.jobs.end()) return;
  std::vector<JobId>& children = group.children[parent];
  for (const JobId& made : state.any(parent).children) {
    const ModelJob& child = state.newest_copy(made);
    if (!child.deleted) children.push_back(child.id);
  }
}

Ruling ruling_of(const State& state, const ModelJob& job) {
  Ruling all{Verdict::kReady, {}};
  for (const ModelGroup& group : job.groups) {
    const Ruling one = ruling_of(state, group);
    if (one.verdict == Verdict::kBad) {
      all.verdict = Verdict::kBad;
      all.endings.insert(all.endings.end(), one.endings.begin(), one.endings.end());
    } else if (one.verdict == Verdict::kWaiting && all.verdict == Verdict::kReady) {
      all.verdict = Verdict::kWaiting;
    }
  }
  return all;
}

void obey(Scene& scene, ModelJob& job, const Ruling& ruling, Actor actor) {
  if (ruling.verdict == Verdict::kWaiting) return;
  if (ruling.verdict == Verdict::kReady) {
    if (job.not_before > scene.now) {
      const Time until = job.not_before;
      move(scene, job, JobState::kDelayed, Trigger::kDelay, actor);
      job.run_at = until;
    } else {
      move(scene, job, JobState::kScheduled, Trigger::kReady, actor);
    }
    return;
  }
  // Several bad endings at once: the rules do not say which one counts.
  JobState to = dependent_end(*job.promise.rules, ruling.endings.front());
  const SeenEntry* seen = scene.seen.entry(job.id, job.steps + 1);
  for (const JobState ending : ruling.endings) {
    const JobState possible = dependent_end(*job.promise.rules, ending);
    if (!scene.trial && seen != nullptr && seen->entry.to == possible) to = possible;
  }
  end_badly(scene, job, to, Trigger::kDependency, actor,
            {FailureCategory::kPermanent, "dependency_failed"});
}

void settle_dependents(Scene& scene) {
  if (scene.trial) return;
  while (ModelJob* job = next_told(scene)) {
    const SeenEntry* seen = scene.seen.entry(job->id, job->steps + 1);
    if (seen->entry.trigger == Trigger::kLifetime) {
      fire_lifetime(scene, *job);
    } else {
      obey(scene, *job, ruling_of(scene.state, *job), Actor::kSystem);
    }
  }
}

bool must_be_told(const State& state, const ModelJob& job) {
  return is_untold(state, job) || of_parent_must_be_told(state, job);
}

bool of_parent_must_be_told(const State& state, const ModelJob& job) {
  if (job.parent.is_nil()) return false;
  const ModelJob& parent = state.any(job.parent);
  return is_end(parent.state) && is_untold(state, parent);
}

bool may_be_told(const State& state, const ModelJob& job) {
  return state.lately_ended.contains(job.id) || state.lately_ended.contains(job.parent);
}

}  // namespace baton::sim
