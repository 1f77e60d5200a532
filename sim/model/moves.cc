#include <algorithm>

#include "sim/model/mismatch.h"
#include "sim/model/scene.h"

namespace baton::sim {
namespace {

void check_entry(const ModelJob& job, const HistoryEntry& expected, const HistoryEntry& entry) {
  const std::string of = "history of " + shown(job.id) + ", entry " + shown(expected.seq) + ", ";
  expect_equal(of + "from", expected.from, entry.from);
  expect_equal(of + "to", expected.to, entry.to);
  expect_equal(of + "trigger", expected.trigger, entry.trigger);
  expect_equal(of + "at", expected.at, entry.at);
  expect_equal(of + "actor", expected.actor, entry.actor);
  expect_equal(of + "attempt", expected.attempt, entry.attempt);
}

// Checks the next entry of the job's history against the machine's.
void check_step(Scene& scene, const ModelJob& job, JobState to, Trigger trigger, Actor actor) {
  const std::string step = shown(job.id) + " goes from " + shown(job.state) + " to " + shown(to) +
                           " (" + shown(trigger) + ")";
  SeenEntry* seen = scene.seen.entry(job.id, job.steps + 1);
  if (seen == nullptr) mismatch("the machine did not do this: " + step);
  expect(!seen->used, "the same step twice: " + step);
  seen->used = true;
  const bool in_execution = job.state == JobState::kRunning || to == JobState::kRunning;
  const int attempt = in_execution ? static_cast<int>(job.executions.size()) : 0;
  check_entry(job, {job.steps + 1, job.state, to, trigger, scene.now, attempt, actor}, seen->entry);
}

ModelAccount& account_of(Scene& scene, const ModelJob& job) {
  return scene.state.accounts[job.spec->account];
}

void release(Scene& scene, ModelJob& job) {
  if (job.held == 0) return;
  ModelAccount& account = account_of(scene, job);
  account.reserved -= job.held;
  account.available += job.held;
  job.held = 0;
}

void leave(Scene& scene, ModelJob& job) {
  job.completed_at = scene.now;
  if (counts_quota(job)) --account_of(scene, job).active;
  scene.state.live.erase(job.id);
  scene.state.lately_ended.insert(job.id);
}

int runs_spent(const ModelJob& job) {
  return static_cast<int>(job.executions.size()) -
         std::min(job.release_count, job.promise.rules->free_releases);
}

// Takes over how long the machine lets the job wait, after checking that it may.
void wait_for_retry(Scene& scene, ModelJob& job, const WaitRange& range, Actor actor) {
  Time chosen = scene.now + range.least;
  const SeenEntry* entered = scene.seen.entry(job.id, job.steps);
  const SeenEntry* woken = scene.seen.entry(job.id, job.steps + 1);
  const bool at_once = woken != nullptr && woken->change == entered->change &&
                       woken->entry.to == JobState::kScheduled;
  if (!at_once) chosen = entered->change->facts.run_at;
  if (at_once) chosen = scene.now;
  const Duration wait = chosen - scene.now;
  if (wait < range.least || wait > range.most) {
    mismatch("the backoff of " + shown(job.id) + " is " + shown(wait) + ", expected from " +
             shown(range.least) + " to " + shown(range.most));
  }
  job.run_at = chosen;
  if (at_once) wake(scene, job, actor);
}

}  // namespace

void move(Scene& scene, ModelJob& job, JobState to, Trigger trigger, Actor actor) {
  if (!scene.trial) check_step(scene, job, to, trigger, actor);
  ++job.steps;
  if (job.state == JobState::kPending && !is_end(to)) job.left_pending = true;
  job.state = to;
  if (is_end(to)) {
    for (const JobId& id : scene.state.live) {
      for (ModelGroup& group : scene.state.jobs.at(id).groups)
        fix_children(scene.state, group, job.id);
    }
  }
  job.updated_at = scene.now;
  job.run_at = {};
  if (to == JobState::kScheduled) {
    job.scheduled_at = scene.now;
    job.ready_number = ++scene.state.ready_count;
  }
}

void end_badly(Scene& scene, ModelJob& job, JobState to, Trigger trigger, Actor actor,
               const ModelFailure& failure) {
  move(scene, job, to, trigger, actor);
  job.failure = failure.category;
  job.error_type = ErrorType::kTerminal;
  if (to == JobState::kRejected) {
    ++scene.state.safe_blocks;
    capture(scene, job);
  } else {
    release(scene, job);
  }
  leave(scene, job);
}

void abort_execution(Scene& scene, ModelJob& job) {
  job.last().status = ExecutionStatus::kAborted;
  job.last().finished_at = scene.now;
  job.staged.clear();
}

void release_execution(Scene& scene, ModelJob& job, Duration delay) {
  const ProfileRules& rules = *job.promise.rules;
  abort_execution(scene, job);
  ++job.release_count;
  if (job.cancel_requested) {
    end_badly(scene, job, JobState::kCancelled, Trigger::kCancel, Actor::kWorker,
              {FailureCategory::kCancelled, {}});
    return;
  }
  const bool ends = runs_spent(job) >= job.promise.runs;
  if (!ends || rules.counts_last) {
    move(scene, job, JobState::kRetrying, Trigger::kRelease, Actor::kWorker);
    if (job.release_count > rules.free_releases) ++job.retry_count;
  }
  if (ends) {
    end_badly(scene, job, rules.exhausted, Trigger::kExhausted, Actor::kWorker,
              {FailureCategory::kSystem, "released"});
    return;
  }
  const Duration wait = std::max(delay, Duration{rules.lost_lease_ms});
  wait_for_retry(scene, job, {wait, wait}, Actor::kWorker);
}

void fail_execution(Scene& scene, ModelJob& job, const ExecutionFailure& how) {
  const ProfileRules& rules = *job.promise.rules;
  abort_execution(scene, job);
  if (job.cancel_requested) {
    end_badly(scene, job, JobState::kCancelled, Trigger::kCancel, how.actor,
              {FailureCategory::kCancelled, {}});
    return;
  }
  const bool lost = how.cause == Trigger::kLeaseLost;
  const bool mends = mends_by_retry(job.promise, how.failure.category, lost);
  const bool runs_left = runs_spent(job) < job.promise.runs;
  if (!mends || !runs_left) {
    if (rules.counts_last) {
      move(scene, job, JobState::kRetrying, how.cause, how.actor);
      ++job.retry_count;
    }
    end_badly(scene, job, mends ? rules.exhausted : rules.permanent,
              mends ? Trigger::kExhausted : Trigger::kPermanent, how.actor, how.failure);
    return;
  }
  move(scene, job, JobState::kRetrying, how.cause, how.actor);
  ++job.retry_count;
  job.failure = how.failure.category;
  job.error_type = ErrorType::kRetryable;
  const WaitRange range =
      lost ? WaitRange{Duration{rules.lost_lease_ms}, Duration{rules.lost_lease_ms}}
           : retry_wait(job.promise, job.retry_count, how.retry_after);
  wait_for_retry(scene, job, range, how.actor);
}

void complete(Scene& scene, ModelJob& job, Actor actor) {
  job.last().status = ExecutionStatus::kDone;
  job.last().finished_at = scene.now;
  move(scene, job, JobState::kCompleted, Trigger::kDone, actor);
  job.failure.reset();
  job.error_type.reset();
  leave(scene, job);
}

void wake(Scene& scene, ModelJob& job, Actor actor) {
  const bool delayed = job.state == JobState::kDelayed;
  move(scene, job, JobState::kScheduled, delayed ? Trigger::kDue : Trigger::kBackoff, actor);
}

bool counts_quota(const ModelJob& job) {
  return job.promise.rules->quota && !job.spec->account.empty();
}

void reserve(Scene& scene, ModelJob& job, Amount amount) {
  if (amount == 0) return;
  ModelAccount& account = account_of(scene, job);
  account.available -= amount;
  account.reserved += amount;
  job.held = amount;
}

void capture(Scene& scene, ModelJob& job) {
  if (job.held == 0) return;
  ModelAccount& account = account_of(scene, job);
  account.reserved -= job.held;
  account.captured += job.held;
  job.held = 0;
}

}  // namespace baton::sim
