#include "store/list_page.h"

#include <utility>

namespace baton::store {
namespace {

// The members of a job that every answer has, in any case.
constexpr std::size_t kPlainBytes = 1024;

std::size_t bytes_of(const Failure& failure) {
  return failure.code.size() + failure.message.size() + failure.cause.size();
}

std::size_t bytes_of(const Labels& labels) {
  std::size_t bytes = labels.correlation_id.size() + labels.callback_url.size();
  for (const auto& [name, value] : labels.tags)
    bytes += name.size() + value.size();
  return bytes;
}

std::size_t bytes_of(const Submission& spec) {
  std::size_t bytes = spec.idempotency_key ? spec.idempotency_key->size() : 0;
  if (spec.unique) bytes += spec.unique->key.size();
  for (const Dependency& group : spec.depends_on) {
    for (const std::string& job : group.jobs)
      bytes += job.size() + 3;
  }
  return bytes + spec.retry.table.size() * sizeof(Duration);
}

}  // namespace

std::shared_ptr<const JobRecord> listed(const JobRecord& record, JobParts with) {
  auto shown = std::make_shared<JobRecord>();
  shown->id = record.id;
  shown->number = record.number;
  shown->spec = record.spec;
  shown->facts = record.facts;
  shown->labels = record.labels;
  shown->last_failure = record.last_failure;
  shown->progress_message = record.progress_message;
  if (with.checkpoint) shown->checkpoint = record.checkpoint;
  if (with.result) shown->result = record.result;
  shown->parent = record.parent;
  shown->redriven_from = record.redriven_from;
  shown->redriven_to = record.redriven_to;
  shown->executions = record.executions;
  shown->history = record.history;
  return shown;
}

std::size_t listed_bytes(const JobRecord& record, JobParts with) {
  std::size_t bytes = kPlainBytes + bytes_of(*record.spec) + bytes_of(record.labels);
  bytes += record.progress_message.size();
  if (with.payload) bytes += record.spec->payload.size();
  if (with.checkpoint) bytes += record.checkpoint.size();
  if (with.result && record.result) bytes += record.result->bytes.size();
  if (record.last_failure) bytes += bytes_of(*record.last_failure);
  return bytes;
}

bool ListPage::looks_at(std::int64_t number) {
  if (list_.examined == filter_.budget.rows) {
    list_.next_before_number = number + 1;
    return false;
  }
  ++list_.examined;
  latest_ = number;
  return true;
}

bool ListPage::has_room() {
  if (list_.jobs.size() < filter_.limit) return true;
  --list_.examined;
  list_.next_before_number = list_.jobs.back()->number;
  return false;
}

bool ListPage::add(std::shared_ptr<const JobRecord> job) {
  const std::size_t bytes = listed_bytes(*job, filter_.with);
  if (!list_.jobs.empty() && list_.bytes + bytes > filter_.budget.bytes) {
    end_before_it();
    return false;
  }
  list_.bytes += bytes;
  list_.jobs.push_back(std::move(job));
  return true;
}

void ListPage::end_before_it() {
  --list_.examined;
  list_.next_before_number = latest_ + 1;
}

}  // namespace baton::store
