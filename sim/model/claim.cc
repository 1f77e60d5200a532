#include <algorithm>
#include <cmath>

#include "sim/model/verbs.h"

namespace baton::sim {
namespace {

using base::Code;
using store::ClaimAnswer;
using store::ClaimRequest;

constexpr std::int64_t kToken = 1'000'000;

Refusals refusals_of(const ClaimRequest& request) {
  Refusals refusals;
  if (request.max < 1 || request.max > 1000) refusals.push_back(Code::kBadRequest);
  if (request.queues.empty()) refusals.push_back(Code::kBadRequest);
  if (request.worker.empty()) refusals.push_back(Code::kBadRequest);
  if (request.lease && (request.lease->ms < 100 || request.lease->ms > 3'600'000)) {
    refusals.push_back(Code::kInvalidJob);
  }
  return refusals;
}

// Jobs that could be claimed, in the order in which they must be.
std::vector<JobId> candidates(const State& state, const std::string& queue,
                              const std::vector<std::string>& types) {
  std::vector<const ModelJob*> ready;
  for (const JobId& id : state.live) {
    const ModelJob& job = state.jobs.at(id);
    const bool wanted =
        types.empty() || std::find(types.begin(), types.end(), job.type) != types.end();
    if (job.state == JobState::kScheduled && job.queue == queue && wanted) ready.push_back(&job);
  }
  std::sort(ready.begin(), ready.end(), [](const ModelJob* a, const ModelJob* b) {
    return std::pair(a->priority, a->ready_number) < std::pair(b->priority, b->ready_number);
  });
  std::vector<JobId> ids;
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
  bucket.least = std::min(full, bucket.least + gained);
  bucket.most = std::min(full, bucket.most + gained);
  bucket.at = now;
}

struct Room {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// How many jobs of the queue a claim may take now.
Room room_in(Scene& scene, const std::string& name, std::int64_t wanted, std::int64_t ready) {
  ModelQueue& queue = scene.state.queues.at(name);
  if (queue.settings.paused) return {0, 0};
  std::int64_t most = std::min(wanted, ready);
  if (queue.settings.max_running) {
    most = std::min(most, *queue.settings.max_running - scene.state.running(name));
  }
  most = std::max<std::int64_t>(most, 0);
  if (!queue.settings.rate) return {most, most};
  refill(queue, scene.now);
  return {std::min(most, std::max<std::int64_t>(queue.bucket.least, 0) / kToken),
          std::min(most, std::max<std::int64_t>(queue.bucket.most, 0) / kToken)};
}

void lease_out(Scene& scene, const ClaimRequest& request, const store::Claimed& claimed) {
  ModelJob& job = scene.state.jobs.at(claimed.job);
  ModelExecution execution;
  execution.token = claimed.facts.execution.token;
  execution.worker = request.worker;
  execution.lease = request.lease.value_or(job.promise.lease);
  execution.claimed_at = scene.now;
  execution.deadline = scene.now + job.promise.execution;
  execution.lease_end = std::min(scene.now + execution.lease, execution.deadline);
  job.executions.push_back(execution);
  job.started_at = scene.now;
  job.progress = lifecycle::kNoProgress;
  move(scene, job, JobState::kRunning, Trigger::kClaim, Actor::kWorker);
  const int attempt = static_cast<int>(job.executions.size());
  expect(claimed.execution == store::execution_id(job.id, attempt),
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
    const std::vector<JobId> ready = candidates(scene.state, name, request.types);
    const auto wanted = request.max - static_cast<std::int64_t>(next);
    const Room room = room_in(scene, name, wanted, static_cast<std::int64_t>(ready.size()));
    std::int64_t taken = 0;
    while (taken < room.most && next < claims.executions.size()) {
      const store::Claimed& claimed = claims.executions[next];
      if (scene.state.any(claimed.job).queue != name) break;
      expect_equal("claim number " + shown(next) + " from " + name,
                   ready[static_cast<std::size_t>(taken)], claimed.job);
      lease_out(scene, request, claimed);
      ++taken;
      ++next;
    }
    if (taken < room.least) {
      mismatch("the claim took " + shown(taken) + " jobs of queue " + name + ", " +
               shown(room.least) + " were to be had");
    }
    ModelBucket& bucket = scene.state.queues.at(name).bucket;
    bucket.least = std::max<std::int64_t>(0, bucket.least - taken * kToken);
    bucket.most -= taken * kToken;
  }
  if (next < claims.executions.size()) {
    mismatch("the claim took " + shown(claims.executions[next].job) + ", which it must not");
  }
}

}  // namespace baton::sim
