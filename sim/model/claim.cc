#include <algorithm>
#include <cmath>

#include "sim/model/verbs.h"

namespace baton::sim {
namespace {
using store::ClaimAnswer;

Refusals refusals_of(const ClaimRequest& request) {
  Refusals refusals;
  if (request.max < 1 || request.max > 1000) refusals.push_back(Code::kBadRequest);
  if (request.queues.empty()) refusals.push_back(Code::kBadRequest);
  if (request.worker.empty()) refusals.push_back(Code::kBadRequest);
  if (request.lease && (request.lease->ms < 100 || request.lease->ms > 3'600'000)) {
    refusals.push_back(Code::kInvalidJob);
  }
  if (request.lease && request.max_lease) refusals.push_back(Code::kBadRequest);
  if (request.max_lease && (request.max_lease->ms < 100 || request.max_lease->ms > 3'600'000)) {
    refusals.push_back(Code::kInvalidJob);
  }
  return refusals;
}

// Jobs that could be claimed, in the order in which they must be.
// One whose time is over is not given out, even while others are ended first.
std::vector<JobId> candidates(const State& state, Time now, const std::string& queue,
                              const std::vector<std::string>& types) {
  std::vector<const ModelJob*> ready;
  for (const JobId& id : state.live) {
    const ModelJob& job = state.jobs.at(id);
    const bool wanted =
        types.empty() || std::find(types.begin(), types.end(), job.type) != types.end();
    if (job.state != JobState::kScheduled || is_due(job, now)) continue;
    if (job.queue == queue && wanted) ready.push_back(&job);
  }
  std::sort(ready.begin(), ready.end(), [](const ModelJob* a, const ModelJob* b) {
    return std::pair(a->priority, a->ready_number) < std::pair(b->priority, b->ready_number);
  });
  std::vector<JobId> ids;
  ids.reserve(ready.size());
  for (const ModelJob* job : ready)
    ids.push_back(job->id);
  return ids;
}

void refill(ModelQueue& queue, Time now) {
  if (!queue.settings.rate) return;
  ModelBucket& bucket = queue.bucket;
  const std::int64_t full = queue.settings.rate->burst * kToken;
  const double per_ms = queue.settings.rate->per_second * kToken / 1000.0;
  const auto gained =
      static_cast<std::int64_t>(std::llround(static_cast<double>((now - bucket.at).ms) * per_ms));
  bucket.tokens = std::min(full, bucket.tokens + gained);
  bucket.at = now;
}

// How many jobs of the queue a claim may take now.
std::int64_t room_in(Scene& scene, const std::string& name, std::int64_t wanted) {
  ModelQueue& queue = scene.state.queues.at(name);
  if (queue.settings.paused) return 0;
  std::int64_t room = wanted;
  if (queue.settings.max_running) {
    room = std::min(room, *queue.settings.max_running - scene.state.running(name));
  }
  if (queue.settings.rate) {
    refill(queue, scene.now);
    room = std::min(room, queue.bucket.tokens / kToken);
  }
  return std::max<std::int64_t>(room, 0);
}

void lease_out(Scene& scene, const ClaimRequest& request, const store::ClaimedJob& claimed) {
  ModelJob& job = scene.state.jobs.at(claimed.job);
  ModelExecution execution;
  execution.token = claimed.facts.execution.token;
  execution.worker = request.worker;
  execution.lease = request.lease.value_or(
      std::min(job.promise.lease, request.max_lease.value_or(job.promise.lease)));
  execution.claimed_at = scene.now;
  execution.deadline = scene.now + job.promise.execution;
  execution.lease_end = std::min(scene.now + execution.lease, execution.deadline);
  job.executions.push_back(execution);
  job.started_at = scene.now;
  job.progress = lifecycle::kNoProgress;
  move(scene, job, JobState::kRunning, Trigger::kClaim, Actor::kWorker);
  const int attempt = static_cast<int>(job.executions.size());
  expect(claimed.execution == execution_id(job.id, attempt),
         "the claim of " + shown(job.id) + " has the wrong execution id");
  compare_facts(job, claimed.facts, "claim");
}

}  // namespace

void check_claim(Scene& scene, const ClaimRequest& request, const Answer& answer) {
  if (refused(refusals_of(request), error_of(answer), "claim")) return;
  const ClaimAnswer& claims = answer_as<ClaimAnswer>(answer, "claim");
  std::size_t next = 0;
  for (const std::string& name : request.queues) {
    if (!scene.state.queues.contains(name)) continue;
    const std::vector<JobId> ready = candidates(scene.state, scene.now, name, request.types);
    const auto wanted = request.max - static_cast<std::int64_t>(next);
    const auto room = static_cast<std::size_t>(room_in(scene, name, wanted));
    for (std::size_t i = 0; i < std::min(room, ready.size()); ++i) {
      if (next == claims.executions.size()) {
        mismatch("the claim did not take " + shown(ready[i]) + " of " + name);
      }
      expect_equal("claim number " + shown(next), ready[i], claims.executions[next].job);
      lease_out(scene, request, claims.executions[next]);
      ++next;
      scene.state.queues.at(name).bucket.tokens -= kToken;
    }
  }
  if (next < claims.executions.size()) {
    mismatch("the claim took " + shown(claims.executions[next].job) + ", which it must not");
  }
}

}  // namespace baton::sim
