#include "store/local/rows.h"

#include <algorithm>

#include "base/assert.h"
#include "lifecycle/idempotency.h"
#include "store/list_page.h"

namespace baton::store::local {
namespace {

using lifecycle::JobState;

void take_texts(JobRecord& record, const JobTexts& texts) {
  if (texts.failure) record.last_failure = texts.failure;
  if (texts.result) record.result = texts.result;
  if (texts.progress_message) record.progress_message = *texts.progress_message;
  if (texts.checkpoint) record.checkpoint = *texts.checkpoint;
  if (texts.tags) record.labels.tags = *texts.tags;
  if (texts.correlation_id) record.labels.correlation_id = *texts.correlation_id;
  if (texts.callback_url) record.labels.callback_url = *texts.callback_url;
  if (texts.execution_failure) record.executions.back().failure = texts.execution_failure;
  record.staged.insert(record.staged.end(), texts.staged.begin(), texts.staged.end());
}

// A machine does not keep what no longer matters to decisions; the row does.
lifecycle::Job merged_facts(const lifecycle::Job& before, const JobChange& change) {
  lifecycle::Job facts = change.facts;
  if (!change.execution_changed) facts.execution = before.execution;
  if (!facts.not_before.is_set()) facts.not_before = before.not_before;
  if (!facts.started_at.is_set()) facts.started_at = before.started_at;
  return facts;
}

void take_execution(JobRecord& record, const JobChange& change) {
  const lifecycle::Execution& execution = change.facts.execution;
  const auto count = static_cast<std::size_t>(execution.attempt);
  if (record.executions.size() < count) {
    record.executions.push_back({execution, change.worker, std::nullopt});
    record.progress_message.clear();
  } else {
    record.executions.back().facts = execution;
  }
  BATON_ASSERT(record.executions.size() == count);
}

void begin_record(JobRecord& record, const JobChange& change) {
  record.id = change.id;
  record.number = change.number;
  record.spec = change.made;
  record.parent = change.parent;
  record.redriven_from = change.redriven_from;
  record.labels = {change.made->tags, change.made->correlation_id, change.made->callback_url};
}

bool matches(const JobRecord& job, const JobFilter& filter) {
  const Submission& spec = *job.spec;
  const lifecycle::Job& facts = job.facts;
  const auto& tags = job.labels.tags;
  return (!filter.queue || spec.queue == *filter.queue) &&
         (!filter.type || spec.type == *filter.type) &&
         (!filter.canonical_state || facts.state == *filter.canonical_state) &&
         (!filter.state || facts.terms->profile->word(facts.state) == *filter.state) &&
         (!filter.correlation_id || job.labels.correlation_id == *filter.correlation_id) &&
         (!filter.account || spec.account == *filter.account) &&
         (!filter.created_after.is_set() || facts.created_at > filter.created_after) &&
         (!filter.created_before.is_set() || facts.created_at < filter.created_before) &&
         (!filter.tag || std::find(tags.begin(), tags.end(), *filter.tag) != tags.end());
}

}  // namespace

void apply(JobRecord& record, const JobChange& change) {
  if (change.made) begin_record(record, change);
  record.facts = merged_facts(record.facts, change);
  if (change.execution_changed) take_execution(record, change);
  if (change.failure_cleared) record.last_failure.reset();
  if (change.staged_cleared) record.staged.clear();
  if (change.texts) take_texts(record, *change.texts);
  record.history.insert(record.history.end(), change.history.begin(), change.history.end());
}

void apply(StoredJob& job, const JobChange& change) {
  apply(job.record, change);
  job.ready = change.ready;
  if (change.birth) {
    job.key = change.birth->key;
    job.waits = change.birth->waits;
  }
  const JobState state = job.record.facts.state;
  const lifecycle::Profile& profile = *job.record.facts.terms->profile;
  if (lifecycle::is_terminal(state) && !lifecycle::keeps_key(profile, state)) job.key.reset();
  if (!lifecycle::is_before_schedule(state)) job.waits = {};
}

void apply(StoredJob& job, const WaitOver& change) {
  if (!lifecycle::is_before_schedule(job.record.facts.state)) return;
  const auto over = std::find_if(job.waits.open.begin(), job.waits.open.end(), [&](const Wait& w) {
    return w.job == change.ended && w.group == change.group;
  });
  BATON_ASSERT(over != job.waits.open.end());
  job.waits.open.erase(over);
  for (const JobId& child : change.children)
    job.waits.open.push_back({child, change.group, false});
  job.waits.groups[change.group] = change.count;
}

void Rows::apply(const std::vector<RowChange>& changes) {
  for (const RowChange& change : changes) {
    std::visit([this](const auto& one) { apply(one); }, change);
  }
}

void Rows::apply(const JobChange& change) {
  std::shared_ptr<StoredJob>& job = by_id_[change.id];
  if (!job) {
    BATON_ASSERT(change.made);
    job = std::make_shared<StoredJob>();
    by_number_[change.number] = {job, &job->record};
    const auto parent = by_id_.find(change.parent);
    if (parent != by_id_.end()) parent->second->record.children.push_back(change.id);
  }
  local::apply(*job, change);
  const JobRecord& record = job->record;
  if (lifecycle::is_terminal(record.facts.state)) {
    const bool completed = record.facts.state == JobState::kCompleted;
    finished_[{record.spec->queue, completed}][{record.facts.completed_at, record.number}] =
        record.id;
  }
}

void Rows::apply(const JobGone& change) {
  const auto found = by_id_.find(change.id);
  BATON_ASSERT(found != by_id_.end());
  const JobRecord& record = found->second->record;
  const bool completed = record.facts.state == JobState::kCompleted;
  finished_[{record.spec->queue, completed}].erase({record.facts.completed_at, record.number});
  by_number_.erase(record.number);
  by_id_.erase(found);
}

void Rows::apply(const WaitOver& change) { local::apply(*by_id_.at(change.job), change); }

void Rows::apply(const QueueChange& change) { queues_[change.name] = change.settings; }

void Rows::apply(const AccountChange& change) {
  accounts_[change.account.id] = change.account;
  if (change.entry) entries_[change.account.id].push_back(*change.entry);
}

void Rows::apply(const AuditRecord& record) { audit_log_.push_back(record); }

std::shared_ptr<const JobRecord> Rows::find(const JobId& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  return {found->second, &found->second->record};
}

const StoredJob& Rows::stored(const JobId& id) const { return *by_id_.at(id); }

std::vector<FinishedRef> Rows::finished(const std::string& queue, bool completed, Time until,
                                        std::size_t limit) const {
  std::vector<FinishedRef> refs;
  const auto found = finished_.find({queue, completed});
  if (found == finished_.end()) return refs;
  for (const auto& [end, id] : found->second) {
    if (end.first > until || refs.size() == limit) break;
    refs.push_back({id, end.first});
  }
  return refs;
}

JobList Rows::list(const JobFilter& filter) const {
  ListPage page(filter);
  auto at =
      filter.before_number == 0 ? by_number_.end() : by_number_.lower_bound(filter.before_number);
  while (at != by_number_.begin()) {
    --at;
    if (!page.looks_at(at->first)) break;
    if (!matches(*at->second, filter)) continue;
    if (!page.has_room() || !page.add(at->second)) break;
  }
  return page.take();
}

std::vector<LedgerEntry> Rows::entries(const std::string& account) const {
  const auto found = entries_.find(account);
  return found == entries_.end() ? std::vector<LedgerEntry>{} : found->second;
}

std::vector<LedgerEntry> Rows::entries(const EntriesPage& page) const {
  const auto found = entries_.find(page.account);
  if (found == entries_.end()) return {};
  const std::vector<LedgerEntry>& all = found->second;
  const auto first =
      std::upper_bound(all.begin(), all.end(), page.after,
                       [](std::int64_t after, const LedgerEntry& one) { return after < one.seq; });
  const auto left = static_cast<std::size_t>(all.end() - first);
  return {first, first + static_cast<std::ptrdiff_t>(std::min(left, page.limit))};
}

}  // namespace baton::store::local
