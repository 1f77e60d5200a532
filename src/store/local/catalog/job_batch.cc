#include "store/local/catalog/job_batch.h"

#include <algorithm>

namespace baton::store::local {
namespace {

TouchedJob touched(JobRow row) {
  TouchedJob touched;
  touched.turn = row.job.turn;
  touched.job = std::move(row.job.job);
  const JobRecord& record = touched.job.record;
  touched.before = RowBefore{
      row.kind,      record.facts.state, row.payload, std::move(row.body), std::move(row.extras),
      record.labels, touched.job.key};
  return touched;
}

}  // namespace

TouchedJob* JobBatch::find(const JobId& id, std::optional<std::int64_t> number) {
  const auto known = by_id_.find(id);
  if (known != by_id_.end()) return known->second->gone ? nullptr : known->second;
  if (!number) number = rows_.ids().find(id);
  if (!number) return nullptr;
  std::optional<JobRow> row = rows_.read_to_change(*number);
  if (!row || row->job.job.record.id != id) return nullptr;
  return by_id_[id] = &jobs_.emplace_back(touched(std::move(*row)));
}

TouchedJob& JobBatch::existing(const JobId& id, std::optional<std::int64_t> number) {
  TouchedJob* const job = find(id, number);
  if (job == nullptr) rows_.fail("a change names job " + to_string(id) + ", which is not there");
  return *job;
}

TouchedJob& JobBatch::make(const JobChange& change) {
  TouchedJob& made = jobs_.emplace_back();
  by_id_[change.id] = &made;
  last_number_ = std::max(last_number_, change.number);
  return made;
}

void JobBatch::apply(std::uint64_t turn, const JobChange& change) {
  TouchedJob& job = change.made ? make(change) : existing(change.id, change.number);
  local::apply(job.job, change);
  job.turn = turn;
  const JobId spawned = spawned_by(change);
  if (spawned.is_nil()) return;
  // A parent that is gone has no list of children any more.
  TouchedJob* const parent = find(spawned, std::nullopt);
  if (parent == nullptr) return;
  parent->job.record.children.push_back(change.id);
  parent->turn = turn;
}

void JobBatch::apply(std::uint64_t, const JobGone& change) {
  existing(change.id, std::nullopt).gone = true;
}

void JobBatch::apply(std::uint64_t turn, const WaitOver& change) {
  TouchedJob& job = existing(change.job, std::nullopt);
  local::apply(job.job, change);
  job.turn = turn;
}

std::vector<TouchedJob*> JobBatch::jobs() {
  std::vector<TouchedJob*> sorted;
  sorted.reserve(jobs_.size());
  for (TouchedJob& job : jobs_)
    sorted.push_back(&job);
  std::sort(sorted.begin(), sorted.end(), [](const TouchedJob* a, const TouchedJob* b) {
    return a->job.record.number < b->job.record.number;
  });
  return sorted;
}

}  // namespace baton::store::local
