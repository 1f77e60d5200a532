#include "sim/world/digest.h"

#include <cstring>

namespace baton::sim {

using namespace store;         // NOLINT(google-build-using-namespace)
using namespace store::local;  // NOLINT(google-build-using-namespace)

void Digest::add(std::int64_t number) {
  value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15ULL;
  value_ ^= value_ >> 29;
}

void Digest::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  for (const char c : text)
    value_ = (value_ ^ static_cast<std::uint8_t>(c)) * 0x100000001B3ULL;
}

void Digest::add(const JobId& id) {
  std::int64_t halves[2];
  static_assert(sizeof halves == sizeof id.uuid.bytes);
  std::memcpy(halves, id.uuid.bytes.data(), sizeof halves);
  add(halves[0]);
  add(halves[1]);
}

void Digest::add(const lifecycle::ExecutionFacts& execution) {
  std::int64_t halves[2];
  std::memcpy(halves, execution.token.bytes.data(), sizeof halves);
  for (const std::int64_t number :
       {halves[0], halves[1], static_cast<std::int64_t>(execution.attempt),
        static_cast<std::int64_t>(execution.status), execution.lease_expires_at.ms,
        execution.deadline_at.ms, execution.finished_at.ms, execution.committed_at.ms}) {
    add(number);
  }
}

void Digest::add(const lifecycle::JobFacts& job) {
  for (const std::int64_t number :
       {static_cast<std::int64_t>(job.state), static_cast<std::int64_t>(job.priority),
        static_cast<std::int64_t>(job.cancel_requested), static_cast<std::int64_t>(job.attempt),
        static_cast<std::int64_t>(job.retry_count), static_cast<std::int64_t>(job.progress),
        job.version, job.history_count, job.held, job.updated_at.ms, job.run_at.ms,
        job.scheduled_at.ms, job.completed_at.ms}) {
    add(number);
  }
  if (job.attempt > 0) add(job.execution);
}

void Digest::add(const Answer& answer) {
  add(static_cast<std::int64_t>(answer.index()));
  if (const auto* error = std::get_if<Error>(&answer)) {
    add(static_cast<std::int64_t>(error->code));
    add(error->message);
  } else if (const auto* submitted = std::get_if<SubmitAnswer>(&answer)) {
    for (const auto& result : submitted->results) {
      add(result.ok() ? 1 : static_cast<std::int64_t>(result.error().code) + 2);
      if (result.ok()) add(result->id);
    }
  } else if (const auto* claims = std::get_if<ClaimAnswer>(&answer)) {
    for (const store::ClaimedJob& claimed : claims->executions) {
      add(claimed.job);
      add(claimed.facts);
    }
  } else if (const auto* done = std::get_if<store::CallAnswer>(&answer)) {
    add(done->facts);
  } else if (const auto* all = std::get_if<WorkBatchAnswer>(&answer)) {
    for (const auto& result : all->results) {
      add(result.ok() ? 1 : static_cast<std::int64_t>(result.error().code) + 2);
      if (result.ok()) add(result->facts);
    }
  } else if (const auto* job = std::get_if<JobAnswer>(&answer)) {
    add(job->id);
    add(job->facts);
  } else if (const auto* pruned = std::get_if<Pruned>(&answer)) {
    add(pruned->deleted);
  } else if (const auto* timers = std::get_if<TimersAnswer>(&answer)) {
    add(timers->fired);
    add(timers->next.ms);
  } else if (const auto* view = std::get_if<Queue>(&answer)) {
    for (const std::int64_t count : view->counts)
      add(count);
  }
}

void Digest::add(const RowChange& change) {
  add(static_cast<std::int64_t>(change.index()));
  if (const auto* job = std::get_if<JobChange>(&change)) {
    add(job->id);
    add(job->number);
    add(job->facts);
    for (const auto& entry : job->history) {
      add(static_cast<std::int64_t>(entry.to));
      add(static_cast<std::int64_t>(entry.trigger));
      add(entry.at.ms);
    }
  } else if (const auto* gone = std::get_if<JobGone>(&change)) {
    add(gone->id);
  } else if (const auto* account = std::get_if<AccountChange>(&change)) {
    add(account->account.id);
    add(account->account.balance.available);
    add(account->account.balance.reserved);
    add(account->account.balance.captured);
  } else if (const auto* queue = std::get_if<QueueChange>(&change)) {
    add(queue->name);
  } else if (const auto* gone_queue = std::get_if<QueueGone>(&change)) {
    add(gone_queue->name);
  }
}

void Digest::add(const Turn& turn) {
  for (const RowChange& change : turn.changes)
    add(change);
  for (const Answer& answer : turn.answers)
    add(answer);
}

}  // namespace baton::sim
