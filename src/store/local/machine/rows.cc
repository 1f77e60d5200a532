#include "store/local/machine/rows.h"

#include <algorithm>

#include "base/assert.h"
#include "lifecycle/idempotency.h"
#include "lifecycle/uniqueness.h"
#include "store/list_page.h"

namespace baton::store::local {
namespace {

void take_texts(JobRecord& record, const JobTexts& texts) {
  if (texts.failure) record.last_failure = texts.failure;
  if (texts.result) record.result = texts.result;
  if (texts.progress_message) record.progress_message = *texts.progress_message;
  if (texts.checkpoint) record.checkpoint = *texts.checkpoint;
  if (texts.tags) record.labels.tags = *texts.tags;
  if (texts.correlation_id) record.labels.correlation_id = *texts.correlation_id;
  if (texts.callback_url) record.labels.callback_url = *texts.callback_url;
  if (texts.cancel_reason) record.cancel_reason = *texts.cancel_reason;
  if (texts.execution_failure) record.executions.back().failure = texts.execution_failure;
  record.staged.insert(record.staged.end(), texts.staged.begin(), texts.staged.end());
}

// A machine does not keep what no longer matters to decisions; the row does.
lifecycle::JobFacts merged_facts(const lifecycle::JobFacts& before, const JobChange& change) {
  lifecycle::JobFacts facts = change.facts;
  if (!change.execution_changed) facts.execution = before.execution;
  if (!facts.not_before.is_set()) facts.not_before = before.not_before;
  if (!facts.started_at.is_set()) facts.started_at = before.started_at;
  return facts;
}

void take_execution(JobRecord& record, const JobChange& change) {
  const lifecycle::ExecutionFacts& execution = change.facts.execution;
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

// About what the facts of a job take in a row.
constexpr std::int64_t kFactsBytes = 128;

std::int64_t bytes_of(const JobRecord& record) {
  return kFactsBytes +
         static_cast<std::int64_t>(record.spec->payload.size() + record.checkpoint.size() +
                                   (record.result ? record.result->bytes.size() : 0));
}

}  // namespace

void apply(JobRecord& record, const JobChange& change) {
  if (change.made) begin_record(record, change);
  record.facts = merged_facts(record.facts, change);
  if (change.execution_changed) take_execution(record, change);
  if (change.failure_cleared) record.last_failure.reset();
  if (change.staged_cleared) record.staged.clear();
  if (change.texts) take_texts(record, *change.texts);
  if (is_terminal(record.facts.state)) record.cancel_reason.clear();
  record.history.insert(record.history.end(), change.history.begin(), change.history.end());
}

void apply(ArchivedJob& job, const JobChange& change) {
  if (change.made) {
    job.id = change.id;
    job.number = change.number;
    job.queue = change.made->queue;
  }
  if (change.birth) job.key = change.birth->key;
  job.facts = merged_facts(job.facts, change);
  const JobState state = job.facts.state;
  const bool ended = is_terminal(state);
  if (ended && !lifecycle::keeps_key(*job.facts.terms->profile, state)) job.key.reset();
}

// One that is known already, or an earlier one, changes nothing.
template <class Job>
static void take_copy(Job& job, const JobRedriven& change) {
  if (change.version <= job.facts.version) return;
  job.redriven_to = change.to;
  job.facts.version = change.version;
}

void apply(JobRecord& record, const JobRedriven& change) { take_copy(record, change); }

void apply(ArchivedJob& job, const JobRedriven& change) { take_copy(job, change); }

JobId spawned_by(const JobChange& change) {
  return change.made && change.redriven_from.is_nil() ? change.parent : JobId{};
}

void apply(StoredJob& job, const JobChange& change) {
  apply(job.record, change);
  job.ready = change.ready;
  if (change.birth) {
    job.key = change.birth->key;
    job.waits = change.birth->waits;
    job.unique = change.birth->unique;
  }
  const JobState state = job.record.facts.state;
  const lifecycle::Profile& profile = *job.record.facts.terms->profile;
  if (is_terminal(state) && !lifecycle::keeps_key(profile, state)) job.key.reset();
  if (!lifecycle::is_before_schedule(state)) job.waits = {};
  if (job.unique && !lifecycle::holds_unique(job.unique->held_while, job.record.facts)) {
    job.unique.reset();
  }
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
    const auto parent = by_id_.find(spawned_by(change));
    if (parent != by_id_.end()) parent->second->record.children.push_back(change.id);
  }
  local::apply(*job, change);
  const JobRecord& record = job->record;
  if (is_terminal(record.facts.state)) {
    ended_[standing_of(record)][{record.facts.completed_at, record.number}] = record.id;
  }
}

std::pair<std::int64_t, JobState> Rows::standing_of(const JobRecord& record) {
  const auto [kind, is_new] = kinds_.emplace(record.spec->queue, last_kind_ + 1);
  if (is_new) kind_queues_[++last_kind_] = record.spec->queue;
  return {kind->second, record.facts.state};
}

void Rows::apply(const JobGone& change) {
  const auto found = by_id_.find(change.id);
  BATON_ASSERT(found != by_id_.end());
  const JobRecord& record = found->second->record;
  ended_[standing_of(record)].erase({record.facts.completed_at, record.number});
  by_number_.erase(record.number);
  by_id_.erase(found);
}

void Rows::apply(const WaitOver& change) { local::apply(*by_id_.at(change.job), change); }

void Rows::apply(const QueueChange& change) { queues_[change.name] = change.settings; }

void Rows::apply(const QueueGone& change) {
  queues_.erase(change.name);
  const auto kind = kinds_.find(change.name);
  if (kind == kinds_.end()) return;
  std::erase_if(ended_, [&](const auto& one) { return one.first.first == kind->second; });
  kind_queues_.erase(kind->second);
  kinds_.erase(kind);
}

void Rows::apply(const AccountChange& change) {
  accounts_[change.account.id] = change.account;
  if (change.entry) entries_[change.account.id].push_back(*change.entry);
  if (!change.grant_key.empty()) grants_.emplace(change.account.id, change.grant_key);
  local::apply(submissions_[change.account.id], change);
}

void Rows::apply(const AuditRecord& record) { audit_log_.push_back(record); }

void Rows::apply(const JobRedriven& change) { local::apply(by_id_.at(change.id)->record, change); }

std::shared_ptr<const JobRecord> Rows::find(const JobId& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  return {found->second, &found->second->record};
}

const StoredJob& Rows::stored(const JobId& id) const { return *by_id_.at(id); }

Result<std::optional<ArchivedJob>> Rows::facts(const JobId& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::optional<ArchivedJob>();
  reads_.rows += 1;
  reads_.bytes += kFactsBytes;
  const StoredJob& job = *found->second;
  return std::optional(ArchivedJob{job.record.id, job.record.number, job.record.facts,
                                   job.record.spec->queue, job.key, job.record.redriven_to});
}

Result<std::vector<JobId>> Rows::children(const JobId& id) const {
  const auto record = find(id);
  if (!record) return std::vector<JobId>();
  reads_.rows += 1;
  reads_.bytes += static_cast<std::int64_t>(record->children.size() * sizeof(JobId));
  return record->children;
}

Result<std::optional<LeaseToken>> Rows::token(const JobId& id, int attempt) const {
  const auto record = find(id);
  const auto count = record ? static_cast<int>(record->executions.size()) : 0;
  if (attempt < 1 || attempt > count) return std::optional<LeaseToken>();
  reads_.rows += 1;
  reads_.bytes += kFactsBytes;
  return std::optional(record->executions[static_cast<std::size_t>(attempt) - 1].facts.token);
}

Result<std::shared_ptr<const JobRecord>> Rows::record(const JobId& id) const {
  auto found = find(id);
  if (found) {
    reads_.rows += 1;
    reads_.bytes += bytes_of(*found);
  }
  return found;
}

Result<std::vector<Standing>> Rows::standings(const Standing& after, std::size_t limit) const {
  std::vector<Standing> standings;
  auto at = ended_.upper_bound({after.kind, after.state});
  for (; at != ended_.end() && standings.size() < limit; ++at) {
    const auto& [kind, state] = at->first;
    standings.push_back(
        {kind, state, kind_queues_.at(kind), static_cast<std::int64_t>(at->second.size())});
  }
  reads_.rows += static_cast<std::int64_t>(standings.size());
  return standings;
}

Result<std::vector<EndedJob>> Rows::ended(const Standing& standing, const EndedJob& after,
                                          Time until, std::size_t limit) const {
  std::vector<EndedJob> jobs;
  const auto found = ended_.find({standing.kind, standing.state});
  if (found == ended_.end()) return jobs;
  auto at = found->second.upper_bound({after.completed_at, after.number});
  for (; at != found->second.end() && jobs.size() < limit; ++at) {
    const auto& [end, number] = at->first;
    if (end > until) break;
    jobs.push_back({at->second, end, number, by_id_.at(at->second)->key});
  }
  reads_.rows += static_cast<std::int64_t>(jobs.size());
  return jobs;
}

Result<std::optional<StoredAccount>> Rows::account(const std::string& id) const {
  const auto found = accounts_.find(id);
  if (found == accounts_.end()) return std::optional<StoredAccount>();
  const std::vector<Time>& submissions = submissions_.at(id);
  const auto entries = entries_.find(id);
  reads_.rows += 1;
  reads_.bytes += kFactsBytes + static_cast<std::int64_t>(submissions.size() * sizeof(Time));
  return std::optional(StoredAccount{found->second, submissions,
                                     entries == entries_.end() ? 0 : std::ssize(entries->second)});
}

Result<bool> Rows::has_grant(const std::string& account, const std::string& key) const {
  const bool found = grants_.contains({account, key});
  if (found) reads_.rows += 1;
  return found;
}

JobList Rows::list(const ListJobs& filter) const {
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
