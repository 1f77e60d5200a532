#include "store/list_page.h"

#include <utility>

#include "store/id_prefix.h"

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

static bool begins_with(const JobId& id, const std::string& text) {
  const auto prefix = IdPrefix::parse(text);
  return prefix && prefix->matches(id);
}

bool shows(Redriven wanted, bool redriven) {
  return wanted == Redriven::kAll || (wanted == Redriven::kOnly) == redriven;
}

bool matches(const JobRecord& job, const ListJobs& filter) {
  const Submission& spec = *job.spec;
  const lifecycle::JobFacts& facts = job.facts;
  const auto& tags = job.labels.tags;
  return (!filter.queue || spec.queue == *filter.queue) &&
         (!filter.type || spec.type == *filter.type) &&
         (!filter.parent || job.parent == *filter.parent) &&
         (!filter.id_prefix || begins_with(job.id, *filter.id_prefix)) &&
         (!filter.canonical_state || facts.state == *filter.canonical_state) &&
         (!filter.state || facts.terms->profile->word(facts.state) == *filter.state) &&
         (!filter.correlation_id || job.labels.correlation_id == *filter.correlation_id) &&
         (!filter.account || spec.account == *filter.account) &&
         (!filter.created_after.is_set() || facts.created_at > filter.created_after) &&
         (!filter.created_before.is_set() || facts.created_at < filter.created_before) &&
         (!filter.redriven || shows(*filter.redriven, !job.redriven_to.is_nil())) &&
         (!filter.tag || std::find(tags.begin(), tags.end(), *filter.tag) != tags.end());
}

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
