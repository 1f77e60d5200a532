#include <algorithm>

#include "sim/model/mismatch.h"
#include "sim/model/verbs.h"

namespace baton::sim {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kMinuteMs = 60'000;

std::int64_t quota_of(Tier tier) {
  switch (tier) {
    case Tier::kGuest:
      return 5;
    case Tier::kUser:
      return 50;
    case Tier::kPro:
      return 500;
  }
  return 0;
}

bool wants_made_key(const Submission& spec, const ProfileRules& rules) {
  if (spec.idempotency_key) return false;
  if (spec.idempotency == Idempotency::kAuto) return true;
  return spec.idempotency == Idempotency::kByProfile && rules.auto_key;
}

// Of what a made key is made, besides the minute.
std::string made_text(const Submission& spec) {
  return std::to_string(spec.account.size()) + "/" + spec.account + "/" + spec.payload;
}

bool still_answers(const ModelJob& job) {
  if (!job.promise.rules->failing_frees_key) return true;
  return !is_bad_end(job.state) || job.state == JobState::kRejected;
}

bool same_key(const ModelKey& key, const Submission& spec, const ProfileRules& rules, Time now) {
  if (key.type != spec.type) return false;
  if (spec.idempotency_key) return key.key == *spec.idempotency_key;
  if (!wants_made_key(spec, rules) || key.made != made_text(spec)) return false;
  const std::int64_t minute = now.ms / kMinuteMs;
  if (key.minute == minute) return true;
  return key.minute == minute - 1 && now.ms - key.created_at.ms < kMinuteMs;
}

bool over_quota(const ModelAccount& account, Time now) {
  const std::int64_t limit = quota_of(account.tier);
  const auto recent = std::count_if(account.submissions.begin(), account.submissions.end(),
                                    [&](Time time) { return now.ms < time.ms + kHourMs; });
  return account.active >= limit || recent >= limit;
}

void take_key(Scene& scene, const ModelJob& job, const QueueSettings& queue) {
  const Submission& spec = *job.spec;
  const bool made = wants_made_key(spec, *job.promise.rules);
  if (!made && !spec.idempotency_key) return;
  ModelKey key;
  key.type = spec.type;
  if (spec.idempotency_key) key.key = *spec.idempotency_key;
  if (made) {
    key.made = made_text(spec);
    key.minute = scene.now.ms / kMinuteMs;
  }
  key.job = job.id;
  key.created_at = scene.now;
  key.ends_at = scene.now + queue.idempotency_window;
  // Who takes a key takes it from whoever had it.
  std::erase_if(scene.state.keys, [&](const ModelKey& other) {
    return other.type == key.type && other.key == key.key && other.made == key.made &&
           other.minute == key.minute;
  });
  scene.state.keys.push_back(key);
}

void check_made(const ModelJob& job, const store::local::JobChange& change) {
  const std::string of = "new job " + shown(job.id) + " ";
  expect_equal(of + "parent", job.parent, change.parent);
  expect_equal(of + "redriven_from", job.redriven_from, change.redriven_from);
  expect_equal(of + "payload", job.spec->payload, change.made->payload);
  expect_equal(of + "type", job.spec->type, change.made->type);
  expect_equal(of + "queue", job.spec->queue, change.made->queue);
}

}  // namespace

const ModelJob* duplicate_of(const Scene& scene, const Submission& spec) {
  const QueueSettings settings = settings_of(scene, spec.queue);
  const ProfileRules& rules = rules_of(settings.profile);
  for (const ModelKey& key : scene.state.keys) {
    if (scene.now >= key.ends_at || !same_key(key, spec, rules, scene.now)) continue;
    const ModelJob& job = scene.state.any(key.job);
    if (!job.deleted && still_answers(job)) return &job;
  }
  return nullptr;
}

const ModelJob* unique_holder(const Scene& scene, const Submission& spec) {
  if (!spec.unique) return nullptr;
  for (const JobId& id : scene.state.live) {
    const ModelJob& job = scene.state.any(id);
    if (job.type != spec.type || !job.spec->unique || job.spec->unique->key != spec.unique->key) {
      continue;
    }
    const bool until_claim = job.spec->unique->held_while == UniqueWhile::kWaiting;
    if (!until_claim || job.executions.empty()) return &job;
  }
  return nullptr;
}

bool holds_key(const Scene& scene, const ModelJob& job) {
  return still_answers(job) &&
         std::any_of(scene.state.keys.begin(), scene.state.keys.end(), [&](const ModelKey& key) {
           return key.job == job.id && scene.now < key.ends_at;
         });
}

Refusals limits_against(const Scene& scene, const Submission& spec, const ModelJob* replaced) {
  Refusals refusals;
  const QueueSettings settings = settings_of(scene, spec.queue);
  if (settings.draining) refusals.push_back(Code::kConflict);
  std::int64_t waiting = scene.state.count(spec.queue, is_waiting_state);
  if (replaced != nullptr && replaced->queue == spec.queue) --waiting;
  if (settings.max_pending && waiting >= *settings.max_pending) {
    refusals.push_back(Code::kQueueFull);
  }
  const auto found = scene.state.accounts.find(spec.account);
  ModelAccount account = found == scene.state.accounts.end() ? ModelAccount{} : found->second;
  if (replaced != nullptr && replaced->spec->account == spec.account) {
    account.available += replaced->held;
    if (counts_quota(*replaced)) --account.active;
  }
  const bool counted = !spec.account.empty() && rules_of(settings.profile).quota;
  const bool over = counted && over_quota(account, scene.now);
  if (over) refusals.push_back(Code::kQuotaExceeded);
  // The quota comes before the credits.
  if (!over && spec.cost.value_or(0) > account.available) {
    refusals.push_back(Code::kInsufficientCredits);
  }
  return refusals;
}

ModelQueue& queue_for(Scene& scene, const std::string& name) { return scene.state.queues[name]; }

QueueSettings settings_of(const Scene& scene, const std::string& name) {
  const auto found = scene.state.queues.find(name);
  return found == scene.state.queues.end() ? QueueSettings{} : found->second.settings;
}

ModelJob& make_job(Scene& scene, const MakeRequest& request, const JobId& id) {
  expect(!scene.state.jobs.contains(id), "the new id " + shown(id) + " was given before");
  const Submission& spec = *request.spec;
  const QueueSettings settings = queue_for(scene, spec.queue).settings;
  ModelJob& job = scene.state.jobs[id];
  scene.state.live.insert(id);
  job.id = id;
  job.spec = request.spec;
  job.queue = spec.queue;
  job.type = spec.type;
  job.promise = promise_of(spec, settings);
  job.priority = request.priority;
  job.parent = request.parent;
  job.redriven_from = request.redriven_from;
  job.groups = request.groups;
  job.created_at = scene.now;
  job.labels = {spec.tags, spec.correlation_id, spec.callback_url};
  const bool copied = !request.redriven_from.is_nil();
  if (!copied && spec.delay) job.delay = *spec.delay;
  if (!copied && spec.run_at) job.not_before = *spec.run_at;
  reserve(scene, job, spec.cost.value_or(0));
  if (counts_quota(job)) {
    ModelAccount& account = scene.state.accounts[spec.account];
    ++account.active;
    account.submissions.push_back(scene.now);
  }
  if (request.with_key) take_key(scene, job, settings);
  if (!scene.trial) {
    const store::local::JobChange* change = scene.seen.made(id);
    if (change == nullptr) mismatch("no change makes job " + shown(id));
    job.number = change->number;
    expect(job.number > scene.state.last_number, "the number of a new job does not rise");
    scene.state.last_number = job.number;
    check_made(job, *change);
  }
  for (ModelGroup& group : job.groups) {
    for (const JobId& other : group.jobs) {
      if (!is_end(scene.state.any(other).state)) continue;
      scene.state.told.insert({id, other});
      fix_children(scene.state, group, other);
    }
  }
  const bool drafts = job.promise.rules->drafts;
  if (drafts) move(scene, job, JobState::kCreated, Trigger::kCreate, Actor::kClient);
  if (drafts && spec.draft && request.may_be_draft) return job;
  move(scene, job, JobState::kPending, drafts ? Trigger::kSubmit : Trigger::kCreate,
       Actor::kClient);
  if (job.delay.ms > 0) job.not_before = scene.now + job.delay;
  obey(scene, job, ruling_of(scene.state, job), Actor::kClient);
  return job;
}

}  // namespace baton::sim
