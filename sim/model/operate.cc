#include <algorithm>

#include "sim/model/verbs.h"

namespace baton::sim {
namespace {
using store::JobAnswer;

// The job that a command names, with its timers applied; nullptr when the answer is not_found.
ModelJob* named(Scene& scene, const JobId& id, const Answer& answer, const std::string& what) {
  ModelJob* job = scene.state.find(id);
  if (job == nullptr) {
    refused({Code::kNotFound}, error_of(answer), what);
    return nullptr;
  }
  fire_due(scene, *job);
  return job;
}

void check_job_answer(Scene& scene, const ModelJob& job, const Answer& answer,
                      const std::string& what) {
  const JobAnswer& done = answer_as<JobAnswer>(answer, what);
  expect_equal(what + " id", job.id, done.id);
  compare_facts(job, done.facts, what);
  settle_dependents(scene);
}

Refusals cancel_refusals(const ModelJob& job) {
  if (job.state == JobState::kCancelled) return {};
  if (is_end(job.state)) return {Code::kInvalidTransition};
  // The rules say that cancel does not apply after a commit, not how it is refused.
  if (job.committed()) return {Code::kAlreadyCommitted, Code::kInvalidTransition};
  return {};
}

// A copy as the rules list its parts.
Spec copy_of(const ModelJob& job) {
  auto copy = std::make_shared<Submission>();
  copy->type = job.spec->type;
  copy->queue = job.spec->queue;
  copy->payload = job.spec->payload;
  copy->content_type = job.spec->content_type;
  copy->priority = job.priority;
  copy->retry = job.spec->retry;
  copy->timeouts = job.spec->timeouts;
  copy->timeout_is = job.spec->timeout_is;
  copy->system_is = job.spec->system_is;
  copy->tags = job.labels.tags;
  copy->correlation_id = job.labels.correlation_id;
  copy->callback_url = job.labels.callback_url;
  copy->account = job.spec->account;
  copy->cost = job.spec->cost;
  copy->idempotency = Idempotency::kNone;
  copy->unique = job.spec->unique;
  return copy;
}

void forget(Scene& scene, ModelJob& job) {
  job.deleted = true;
  std::erase_if(scene.state.keys, [&](const ModelKey& key) { return key.job == job.id; });
}

}  // namespace

void check_cancel(Scene& scene, const CancelJob& command, const Answer& answer) {
  const std::string what = "cancel of " + shown(command.id);
  ModelJob* job = named(scene, command.id, answer, what);
  if (job == nullptr || refused(cancel_refusals(*job), error_of(answer), what)) return;
  const ModelFailure failure{FailureCategory::kCancelled, {}};
  if (!is_end(job->state) && !job->cancel_requested) job->cancel_reason = command.reason;
  if (is_waiting_state(job->state)) {
    end_badly(scene, *job, JobState::kCancelled, Trigger::kCancel, Actor::kClient, failure);
  } else if (job->state == JobState::kRunning && command.force) {
    abort_execution(scene, *job);
    end_badly(scene, *job, JobState::kCancelled, Trigger::kCancel, Actor::kClient, failure);
  } else if (job->state == JobState::kRunning) {
    job->cancel_requested = true;
  }
  check_job_answer(scene, *job, answer, what);
}

void check_reject(Scene& scene, const RejectJob& command, const Answer& answer) {
  const std::string what = "reject of " + shown(command.id);
  ModelJob* job = named(scene, command.id, answer, what);
  if (job == nullptr) return;
  const bool possible = job->state == JobState::kPending || job->state == JobState::kDelayed ||
                        job->state == JobState::kScheduled;
  Refusals refusals;
  if (!job->promise.rules->moderation) refusals.push_back(Code::kNotInProfile);
  if (!possible) refusals.push_back(Code::kInvalidTransition);
  if (refused(refusals, error_of(answer), what)) return;
  end_badly(scene, *job, JobState::kRejected, Trigger::kReject, Actor::kClient,
            {FailureCategory::kPermanent, {}});
  check_job_answer(scene, *job, answer, what);
}

void check_draft(Scene& scene, const store::SubmitDraft& command, const Answer& answer) {
  const std::string what = "submit of draft " + shown(command.id);
  ModelJob* job = named(scene, command.id, answer, what);
  if (job == nullptr) return;
  Refusals refusals;
  if (job->state != JobState::kCreated) refusals.push_back(Code::kInvalidTransition);
  const bool drains = settings_of(scene, job->queue).draining;
  if (job->state == JobState::kCreated && drains) refusals.push_back(Code::kConflict);
  const bool too_late = scene.now + job->delay >= job->lifetime_end();
  if (job->state == JobState::kCreated && too_late) refusals.push_back(Code::kInvalidJob);
  if (refused(refusals, error_of(answer), what)) return;
  move(scene, *job, JobState::kPending, Trigger::kSubmit, Actor::kClient);
  if (job->delay.ms > 0) job->not_before = scene.now + job->delay;
  // What it has not been told yet does not count yet.
  const SeenEntry* next = scene.seen.entry(job->id, job->steps + 1);
  const bool at_once =
      next != nullptr && next->change == scene.seen.entry(job->id, job->steps)->change;
  if (at_once) obey(scene, *job, ruling_of(scene.state, *job), Actor::kClient);
  check_job_answer(scene, *job, answer, what);
}

namespace {

Refusals time_refusals(const ModelJob& job, Time run_at) {
  const bool backs_off = job.state == JobState::kRetrying;
  if (job.state != JobState::kDelayed && !backs_off) return {Code::kInvalidTransition};
  Refusals refusals;
  if (backs_off && job.promise.rules->pinned) refusals.push_back(Code::kInvalidTransition);
  if (run_at >= job.lifetime_end()) refusals.push_back(Code::kInvalidJob);
  return refusals;
}

void reschedule(Scene& scene, ModelJob& job, Time run_at) {
  if (run_at <= scene.now) return wake(scene, job, Actor::kClient);
  job.run_at = run_at;
}

}  // namespace

void check_patch(Scene& scene, const PatchJob& command, const Answer& answer) {
  const std::string what = "patch of " + shown(command.id);
  ModelJob* job = named(scene, command.id, answer, what);
  if (job == nullptr) return;
  Refusals refusals;
  // The version itself is the machine's; the world only ever sends one that cannot be right.
  if (command.version) refusals.push_back(Code::kConflict);
  if (is_end(job->state)) refusals.push_back(Code::kInvalidTransition);
  if (command.priority && !is_waiting_state(job->state)) {
    refusals.push_back(Code::kInvalidTransition);
  }
  if (command.run_at) {
    const Refusals more = time_refusals(*job, *command.run_at);
    refusals.insert(refusals.end(), more.begin(), more.end());
  }
  if (refused(refusals, error_of(answer), what)) return;
  if (command.priority) job->priority = *command.priority;
  if (command.run_at) reschedule(scene, *job, *command.run_at);
  if (command.tags) job->labels.tags = *command.tags;
  if (command.correlation_id) job->labels.correlation_id = *command.correlation_id;
  if (command.callback_url) job->labels.callback_url = *command.callback_url;
  check_job_answer(scene, *job, answer, what);
}

namespace {

// What the copy waits for: nobody when it is to drop its dependencies or they were met, else the
// newest copies of whatever ended badly. nullopt when one of those is gone.
std::optional<std::vector<ModelGroup>> copied_groups(const State& state, const ModelJob& job) {
  std::vector<ModelGroup> groups;
  for (const ModelGroup& named : job.groups) {
    ModelGroup group{named.type, named.allow_failures, {}};
    for (const JobId& id : named.jobs) {
      const ModelJob& newest = state.newest_copy(id);
      if (newest.deleted) return std::nullopt;
      const bool known =
          std::find(group.jobs.begin(), group.jobs.end(), newest.id) != group.jobs.end();
      if (!known) group.jobs.push_back(newest.id);
    }
    groups.push_back(group);
  }
  return groups;
}

std::vector<Dependency> named_by(const std::vector<ModelGroup>& groups) {
  std::vector<Dependency> named;
  for (const ModelGroup& group : groups) {
    Dependency one{group.type, {}, group.allow_failures};
    for (const JobId& id : group.jobs)
      one.jobs.push_back(to_string(id));
    named.push_back(one);
  }
  return named;
}

// A FAN_IN whose parent has ended counts its children now: none of them may be gone.
bool misses_children(const State& state, const std::vector<ModelGroup>& groups) {
  for (const ModelGroup& group : groups) {
    if (group.type != DependencyType::kFanIn) continue;
    for (const JobId& parent : group.jobs) {
      if (!is_end(state.any(parent).state)) continue;
      for (const JobId& child : state.any(parent).children) {
        if (state.newest_copy(child).deleted) return true;
      }
    }
  }
  return false;
}

bool would_end_at_once(const State& state, std::vector<ModelGroup> groups) {
  ModelJob probe;
  probe.groups = std::move(groups);
  for (ModelGroup& group : probe.groups) {
    for (const JobId& id : group.jobs) {
      if (is_end(state.any(id).state)) fix_children(state, group, id);
    }
  }
  return ruling_of(state, probe).verdict == Verdict::kBad;
}

// Why a copy of a job that ended badly cannot be made, besides what refuses any submission.
Refusals redrive_refusals(const Scene& scene, const ModelJob& job, const RedriveJob& command,
                          const Answer& answer) {
  Refusals refusals;
  if (!job.redriven_to.is_nil() && !command.again) refusals.push_back(Code::kConflict);
  const bool perhaps = scene.state.lately_ended.contains(job.parent) && error_of(answer) != nullptr;
  if (perhaps || of_parent_must_be_told(scene.state, job)) refusals.push_back(Code::kConflict);
  return refusals;
}

}  // namespace

void check_redrive(Scene& scene, const RedriveJob& command, const Answer& answer) {
  const std::string what = "retry of " + shown(command.id);
  ModelJob* job = named(scene, command.id, answer, what);
  if (job == nullptr) return;
  if (!is_bad_end(job->state)) {
    refused({Code::kInvalidTransition}, error_of(answer), what);
    return;
  }
  Refusals refusals = redrive_refusals(scene, *job, command, answer);
  MakeRequest request;
  auto copy = std::make_shared<Submission>(*copy_of(*job));
  const bool waits = !command.drop_dependencies && !job->left_pending;
  const auto groups = waits ? copied_groups(scene.state, *job) : std::vector<ModelGroup>{};
  if (!groups) refusals.push_back(Code::kConflict);
  if (groups) request.groups = *groups;
  copy->depends_on = named_by(request.groups);
  const ModelJob* parent = scene.state.find(job->parent);
  const bool spawns = parent != nullptr && !is_end(parent->state);
  if (groups && refusals.empty()) {
    bring_up_to_date(scene, {copy}, job->parent);
    // Whatever the job asked for, a copy never gives way to another holder, nor replaces it.
    auto judged = std::make_shared<Submission>(*copy);
    if (judged->unique) judged->unique->on_conflict = OnConflict::kRefuse;
    const auto tried = try_batch(scene, {{judged}, true, false}, spawns ? job->parent : JobId{});
    if (const auto found = tried.find(0); found != tried.end()) refusals = found->second;
    const bool refused_by_others = misses_children(scene.state, request.groups) ||
                                   would_end_at_once(scene.state, request.groups);
    if (refused_by_others) refusals.push_back(Code::kConflict);
  }
  if (refused(refusals, error_of(answer), what)) return;
  request.spec = copy;
  request.priority = priority_of(scene.state, *copy, request.groups);
  request.with_key = false;
  request.parent = job->parent;
  request.redriven_from = job->id;
  const JobAnswer& made = answer_as<JobAnswer>(answer, what);
  job->redriven_to = made.id;
  check_job_answer(scene, make_job(scene, request, made.id), answer, what);
}

void check_delete(Scene& scene, const store::DeleteJob& command, const Answer& answer) {
  const std::string what = "delete of " + shown(command.id);
  ModelJob* job = named(scene, command.id, answer, what);
  if (job == nullptr) return;
  Refusals refusals = is_end(job->state) ? Refusals{} : Refusals{Code::kInvalidTransition};
  // Whoever waits for it must be told how it ended.
  const bool perhaps = may_be_told(scene.state, *job) && error_of(answer) != nullptr;
  if (refusals.empty() && (perhaps || must_be_told(scene.state, *job))) {
    refusals.push_back(Code::kConflict);
  }
  if (refused(refusals, error_of(answer), what)) return;
  answer_as<store::Deleted>(answer, what);
  forget(scene, *job);
}

void check_prune(Scene& scene, const store::Prune& command, const Answer& answer) {
  refused({}, error_of(answer), "prune");
  const Pruned& pruned = answer_as<Pruned>(answer, "prune");
  const auto is_over = [&](const ModelJob& job) {
    if (job.deleted || !is_end(job.state) || scene.not_listed.contains(job.id)) return false;
    const auto& settings = scene.state.queues.at(job.queue).settings;
    const bool completed = job.state == JobState::kCompleted;
    const Duration keep = completed ? settings.keep_completed : settings.keep_failed;
    // A job's record outlives its key.
    if (job.completed_at + keep > scene.now || holds_key(scene, job)) return false;
    return !must_be_told(scene.state, job);
  };
  std::int64_t possible = 0;
  std::int64_t perhaps = 0;
  for (const auto& [id, job] : scene.state.jobs) {
    if (!is_over(job)) continue;
    ++possible;
    if (may_be_told(scene.state, job)) ++perhaps;
  }
  const bool enough = pruned.deleted >= std::min(possible - perhaps, command.limit);
  if (!enough) expect_equal("pruned", std::min(possible, command.limit), pruned.deleted);
  expect(pruned.deleted <= std::min(possible, command.limit), "more was pruned than could be");
  expect_equal("more to prune", pruned.deleted == command.limit, pruned.more);
  // Deletions stand in the order in which they happened: the next ones are this command's.
  std::int64_t left = pruned.deleted;
  for (const JobId& id : scene.seen.gone()) {
    ModelJob& job = scene.state.jobs.at(id);
    if (job.deleted || left == 0) continue;
    expect(is_over(job), "job " + shown(id) + " was pruned before its time");
    forget(scene, job);
    --left;
  }
}

}  // namespace baton::sim
