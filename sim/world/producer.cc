#include "sim/world/producer.h"

#include <algorithm>

namespace baton::sim {
namespace {

constexpr std::size_t kRemembered = 12;

Retry some_retry(Dice& dice) {
  Retry retry;
  retry.max_attempts = static_cast<int>(dice.between(1, 5));
  if (dice.chance(600)) {
    retry.strategy = static_cast<Strategy>(dice.between(0, 3));
    retry.table = {dice.between_ms(0, 100), dice.between_ms(0, 1000), dice.between_ms(0, 3000)};
  }
  if (dice.chance(500)) retry.initial = dice.between_ms(0, 1000);
  if (dice.chance(300)) retry.multiplier = static_cast<double>(dice.between(2, 8)) / 2.0;
  if (dice.chance(500)) retry.max = dice.between_ms(500, 5000);
  if (dice.chance(400)) retry.jitter = static_cast<Jitter>(dice.between(0, 2));
  return retry;
}

Dependency some_group(const Board& board, Dice& dice) {
  Dependency group;
  group.type = static_cast<DependencyType>(dice.between(0, 2));
  group.allow_failures = group.type == DependencyType::kFanIn && dice.chance(500);
  const std::int64_t count = dice.between(1, 3);
  for (std::int64_t i = 0; i < count; ++i)
    group.jobs.push_back(to_string(board.some_job(dice)));
  return group;
}

// Edges between the jobs of a batch: mostly backwards, sometimes forwards, rarely in a circle.
void connect(std::vector<Submission>& jobs, Dice& dice) {
  const bool any_direction = dice.chance(150);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs[i].ref = "r" + std::to_string(i);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!dice.chance(500)) continue;
    Dependency group;
    group.type = static_cast<DependencyType>(dice.between(0, 2));
    const std::size_t reach = any_direction ? jobs.size() : i;
    if (reach == 0) continue;
    const std::int64_t count = dice.between(1, 2);
    for (std::int64_t n = 0; n < count; ++n)
      group.jobs.push_back("#r" + std::to_string(dice.index(reach)));
    if (dice.chance(15)) group.jobs.push_back("#nobody");
    jobs[i].depends_on.push_back(group);
  }
}

}  // namespace

void Producer::add_identity(Submission& job, Dice& dice) {
  if (dice.chance(board_.mix().job_key)) {
    job.idempotency_key = "k" + std::to_string(dice.between(0, 15));
  } else if (dice.chance(150)) {
    job.idempotency = static_cast<Idempotency>(dice.between(1, 2));
  }
  if (dice.chance(board_.mix().job_unique)) {
    job.unique = Unique{"u" + std::to_string(dice.between(0, 5)),
                        static_cast<UniqueWhile>(dice.between(0, 1)),
                        static_cast<OnConflict>(dice.between(0, 2))};
  }
  // Payloads repeat now and then, so that keys made of them meet.
  const bool repeats = dice.chance(300);
  const std::int64_t number = repeats ? dice.between(1, 4) : board_.serial() + 100;
  job.payload = R"({"prompt":"n)" + std::to_string(number) + R"("})";
}

void Producer::add_times(Submission& job, Dice& dice) {
  if (!dice.chance(board_.mix().job_delay)) return;
  if (dice.chance(600)) {
    job.delay = dice.between_ms(0, 5000);
    if (dice.chance(30)) job.delay = base::hours(2);
  } else {
    job.run_at = Time{board_.now.ms + dice.between(-2000, 8000)};
  }
}

void Producer::add_account(Submission& job, Dice& dice) {
  if (!dice.chance(board_.mix().job_account)) return;
  job.account = dice.pick(board_.accounts());
  if (dice.chance(700)) job.cost = dice.between(0, 9);
}

void Producer::add_own_settings(Submission& job, const QueueInfo& queue, Dice& dice) {
  if (!dice.chance(board_.mix().job_own_settings)) return;
  const bool pinned = queue.profile->policy.retry_pinned;
  if (!pinned || dice.chance(50)) job.retry = some_retry(dice);
  if (dice.chance(300)) job.timeouts.lease = dice.between_ms(100, 3000);
  if (dice.chance(300)) job.timeouts.execution = dice.between_ms(200, 6000);
  if (dice.chance(200)) job.timeouts.lifetime = dice.between_ms(500, 60'000);
  if (dice.chance(200)) job.timeout_is = static_cast<FailureIs>(dice.between(0, 1));
  if (dice.chance(200)) job.system_is = static_cast<FailureIs>(dice.between(0, 1));
}

void Producer::add_dependencies(Submission& job, Dice& dice) {
  if (!dice.chance(board_.mix().job_depends)) return;
  const std::int64_t groups = dice.chance(200) ? 2 : 1;
  for (std::int64_t i = 0; i < groups; ++i)
    job.depends_on.push_back(some_group(board_, dice));
}

void Producer::make_odd(Submission& job, Dice& dice) {
  switch (dice.between(0, 8)) {
    case 0:
      job.type.clear();
      break;
    case 1:
      job.payload.assign(static_cast<std::size_t>(dice.between(1000, 6000)), 'x');
      break;
    case 2:
      job.draft = true;
      break;
    case 3:
      job.delay = base::milliseconds(10);
      job.run_at = board_.now;
      break;
    case 4:
      job.retry.max_attempts = 101;
      break;
    case 5:
      job.idempotency = Idempotency::kByProfile;
      job.idempotency_key = std::string(257, 'k');
      break;
    case 6:
      job.account.clear();
      job.cost = 3;
      break;
    case 7:
      job.unique = Unique{.key = std::string(dice.chance(500) ? 0 : 257, 'u')};
      break;
    default:
      job.timeouts.execution = base::hours(5);
      break;
  }
}

Submission Producer::make_job(Dice& dice) {
  const QueueInfo& queue = dice.pick(board_.queues());
  Submission job;
  job.queue = queue.name;
  job.type = dice.pick(board_.types());
  if (dice.chance(400)) job.priority = static_cast<Priority>(dice.between(0, 4));
  add_identity(job, dice);
  add_times(job, dice);
  add_account(job, dice);
  add_own_settings(job, queue, dice);
  add_dependencies(job, dice);
  const bool has_drafts = queue.profile->has(JobState::kCreated);
  if (has_drafts) job.draft = dice.chance(board_.mix().job_draft);
  if (dice.chance(100)) job.tags = {{"team", "t" + std::to_string(dice.between(0, 3))}};
  if (dice.chance(100)) job.correlation_id = "c" + std::to_string(dice.between(0, 9));
  if (dice.chance(board_.mix().odd_submission)) make_odd(job, dice);
  return job;
}

store::SubmitBatch Producer::make_long_chain(Dice& dice) {
  store::SubmitBatch batch;
  batch.chain = true;
  const std::int64_t size = dice.chance(500) ? dice.between(98, 102) : dice.between(40, 70);
  const std::string queue = dice.pick(board_.queues()).name;
  for (std::int64_t i = 0; i < size; ++i) {
    auto job = std::make_shared<Submission>();
    job->queue = queue;
    job->type = board_.types().front();
    job->idempotency = Idempotency::kNone;
    job->payload = "{}";
    if (i == 0 && dice.chance(300)) {
      job->depends_on.push_back(
          {DependencyType::kAfter, {to_string(board_.some_job(dice))}, false});
    }
    batch.jobs.push_back(job);
  }
  return batch;
}

store::SubmitBatch Producer::make_batch(Dice& dice) {
  if (dice.chance(board_.mix().submit_long_chain)) return make_long_chain(dice);
  const bool several = dice.chance(board_.mix().submit_batch);
  const std::int64_t count = several ? dice.between(2, 6) : 1;
  std::vector<Submission> jobs;
  for (std::int64_t i = 0; i < count; ++i)
    jobs.push_back(make_job(dice));
  store::SubmitBatch batch;
  batch.atomic = dice.chance(600);
  batch.chain = several && dice.chance(board_.mix().submit_chain);
  if (several && !batch.chain && dice.chance(500)) connect(jobs, dice);
  for (Submission& job : jobs)
    batch.jobs.push_back(std::make_shared<Submission>(std::move(job)));
  if (dice.chance(2)) batch.jobs.clear();
  return batch;
}

Action Producer::act(Dice& dice) {
  const bool again = !sent_.empty() && dice.chance(board_.mix().submit_again);
  const store::SubmitBatch batch = again ? sent_[dice.index(sent_.size())] : make_batch(dice);
  sent_.push_back(batch);
  if (sent_.size() > kRemembered) sent_.pop_front();
  return {batch, [this, batch](const Answer& answer) { learn(batch, answer); }};
}

void Producer::learn(const store::SubmitBatch& batch, const Answer& answer) {
  const auto* submitted = std::get_if<store::SubmitAnswer>(&answer);
  if (submitted == nullptr) return;
  for (std::size_t i = 0; i < submitted->results.size(); ++i) {
    if (!submitted->results[i].ok()) continue;
    const store::MadeJob& one = *submitted->results[i];
    if (batch.jobs[i]->draft) board_.know_draft(one.id);
    if (!one.duplicate) board_.know(one.id);
  }
}

}  // namespace baton::sim
