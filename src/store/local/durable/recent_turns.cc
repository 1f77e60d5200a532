#include "store/local/durable/recent_turns.h"

#include <algorithm>

#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

// Calls `touch` with every job that a change tells something about.
template <class Touch>
void for_each_job(const RowChange& change, Touch touch) {
  if (const auto* job = std::get_if<JobChange>(&change)) {
    touch(job->id);
    if (const JobId parent = spawned_by(*job); !parent.is_nil()) touch(parent);
  } else if (const auto* redriven = std::get_if<JobRedriven>(&change)) {
    touch(redriven->id);
  } else if (const auto* gone = std::get_if<JobGone>(&change)) {
    touch(gone->id);
  }
}

}  // namespace

void RecentTurns::add(SharedTurn turn, std::size_t bytes) {
  bytes += turn->changes.size() * sizeof(RowChange);
  const std::lock_guard lock(mutex_);
  for (const RowChange& change : turn->changes) {
    for_each_job(change, [&](const JobId& id) { by_job_[id].push_back({turn, &change}); });
  }
  accounts_.add(*turn);
  size_ += turn->changes.size();
  bytes_ += bytes;
  turns_.push_back({std::move(turn), bytes});
}

std::vector<SharedTurn> RecentTurns::oldest(std::size_t max_changes, std::size_t max_bytes) const {
  const std::lock_guard lock(mutex_);
  std::vector<SharedTurn> turns;
  std::size_t changes = 0;
  std::size_t bytes = 0;
  for (const Kept& one : turns_) {
    if (!turns.empty() && (changes >= max_changes || bytes >= max_bytes)) break;
    changes += one.turn->changes.size();
    bytes += one.bytes;
    turns.push_back(one.turn);
  }
  return turns;
}

void RecentTurns::drop_until(std::uint64_t last) {
  // One turn at a time, so that nobody waits long for the lock; freed outside of it.
  while (const SharedTurn dropped = drop_oldest(last)) {
  }
}

SharedTurn RecentTurns::drop_oldest(std::uint64_t last) {
  const std::lock_guard lock(mutex_);
  if (turns_.empty() || turns_.front().turn->turn > last) return nullptr;
  SharedTurn turn = std::move(turns_.front().turn);
  dropped_ = turn->turn;
  bytes_ -= turns_.front().bytes;
  turns_.pop_front();
  size_ -= turn->changes.size();
  accounts_.drop(*turn);
  for (const RowChange& change : turn->changes) {
    for_each_job(change, [&](const JobId& id) {
      const auto found = by_job_.find(id);
      if (found == by_job_.end()) return;
      std::erase_if(found->second, [&](const auto& one) { return one.turn == turn; });
      if (found->second.empty()) by_job_.erase(found);
    });
  }
  return turn;
}

std::vector<RecentChange> RecentTurns::changes_of(const JobId& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_job_.find(id);
  return found == by_job_.end() ? std::vector<RecentChange>{} : found->second;
}

bool RecentTurns::has_changes(const std::string& account) const {
  const std::lock_guard lock(mutex_);
  return accounts_.has_changes(account);
}

bool RecentTurns::has_grant(const std::string& account, const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return accounts_.has_grant(account, key);
}

std::uint64_t RecentTurns::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::size_t RecentTurns::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::size_t RecentTurns::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool tells_all(const std::vector<RecentChange>& changes, const JobId& id) {
  return std::any_of(changes.begin(), changes.end(), [&](const RecentChange& one) {
    const auto* job = std::get_if<JobChange>(one.change);
    const bool made = job != nullptr && job->id == id && job->made;
    return made || std::holds_alternative<JobGone>(*one.change);
  });
}

std::shared_ptr<const JobRecord> brought_up_to_date(std::optional<CatalogJob> stored,
                                                    const std::vector<RecentChange>& changes,
                                                    const JobId& id) {
  const std::uint64_t known = stored ? stored->turn : 0;
  bool there = stored.has_value();
  auto record = std::make_shared<JobRecord>();
  if (stored) *record = std::move(stored->job.record);
  for (const RecentChange& one : changes) {
    if (const auto* redriven = std::get_if<JobRedriven>(one.change)) {
      if (there) apply(*record, *redriven);
      continue;
    }
    if (one.turn->turn <= known) continue;
    const auto* job = std::get_if<JobChange>(one.change);
    if (job == nullptr) return nullptr;  // it is gone for good
    if (job->id != id) {
      record->children.push_back(job->id);
      continue;
    }
    // Without its beginning and without a row it has been deleted meanwhile.
    if (!there && !job->made) return nullptr;
    there = true;
    apply(*record, *job);
  }
  if (!there) return nullptr;
  return record;
}

std::optional<ArchivedJob> facts_up_to_date(std::optional<CatalogFacts> stored,
                                            const std::vector<RecentChange>& changes,
                                            const JobId& id) {
  const std::uint64_t known = stored ? stored->turn : 0;
  std::optional<ArchivedJob> facts;
  if (stored) facts = std::move(stored->job);
  for (const RecentChange& one : changes) {
    if (const auto* redriven = std::get_if<JobRedriven>(one.change)) {
      if (facts) apply(*facts, *redriven);
      continue;
    }
    if (one.turn->turn <= known) continue;
    const auto* job = std::get_if<JobChange>(one.change);
    if (job == nullptr) return std::nullopt;  // it is gone for good
    if (job->id != id) continue;
    // Without its beginning and without a row it has been deleted meanwhile.
    if (!facts && !job->made) return std::nullopt;
    if (!facts) facts.emplace();
    apply(*facts, *job);
  }
  return facts;
}

std::vector<JobId> children_up_to_date(std::optional<CatalogChildren> stored,
                                       const std::vector<RecentChange>& changes, const JobId& id) {
  const std::uint64_t known = stored ? stored->turn : 0;
  std::vector<JobId> children;
  if (stored) children = std::move(stored->ids);
  for (const RecentChange& one : changes) {
    if (one.turn->turn <= known) continue;
    const auto* job = std::get_if<JobChange>(one.change);
    if (std::holds_alternative<JobGone>(*one.change)) return {};
    if (job != nullptr && job->id != id) children.push_back(job->id);
  }
  return children;
}

const Outcome* result_in(const std::vector<RecentChange>& changes, const JobId& id) {
  for (const RecentChange& one : changes) {
    const auto* job = std::get_if<JobChange>(one.change);
    if (job == nullptr || job->id != id || !job->texts || !job->texts->result) continue;
    return &*job->texts->result;
  }
  return nullptr;
}

std::optional<LeaseToken> token_in(const std::vector<RecentChange>& changes, const JobId& id,
                                   int attempt) {
  for (const RecentChange& one : changes) {
    const auto* job = std::get_if<JobChange>(one.change);
    if (job == nullptr || job->id != id || !job->execution_changed) continue;
    if (job->facts.execution.attempt == attempt) return job->facts.execution.token;
  }
  return std::nullopt;
}

}  // namespace baton::store::local
