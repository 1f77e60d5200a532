// Turns that the log has and the catalog has not: what readers must see on top of the catalog.
// Any thread.
//
// A reader takes the changes of a job first and looks into the catalog then: turns are dropped only
// after the catalog has them, so that none is missed; one that is met in both is known by its
// number.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "store/local/catalog/catalog.h"
#include "store/local/durable/recent_accounts.h"

namespace baton::store::local {

using SharedTurn = std::shared_ptr<const TurnChanges>;

// A change of one job, with the turn that it belongs to.
struct RecentChange {
  SharedTurn turn;
  const RowChange* change = nullptr;  // of the job itself, or the making of its child
};

class RecentTurns {
 public:
  // `bytes`: what its texts take, about.
  void add(SharedTurn turn, std::size_t bytes);
  // The oldest turns, up to about so many of their changes and bytes; at least one if there is any.
  std::vector<SharedTurn> oldest(std::size_t max_changes, std::size_t max_bytes) const;
  // The catalog has all turns up to this one.
  void drop_until(std::uint64_t turn);

  // Everything that touched the job, oldest first.
  std::vector<RecentChange> changes_of(const JobId& id) const;

  // Whether any of them changed the account, or made it a grant under the key.
  bool has_changes(const std::string& account) const;
  bool has_grant(const std::string& account, const std::string& key) const;

  // Up to which turn they were dropped.
  std::uint64_t dropped() const;

  std::size_t size() const;   // changes in all
  std::size_t bytes() const;  // that these take, about

 private:
  struct Kept {
    SharedTurn turn;
    std::size_t bytes = 0;
  };

  SharedTurn drop_oldest(std::uint64_t last);  // nullptr when it is newer, or there is none

  mutable std::mutex mutex_;
  std::deque<Kept> turns_;     // guarded by mutex_
  std::uint64_t dropped_ = 0;  // guarded by mutex_
  std::size_t size_ = 0;       // guarded by mutex_
  std::size_t bytes_ = 0;      // guarded by mutex_
  boost::unordered_flat_map<JobId, std::vector<RecentChange>, std::hash<JobId>> by_job_;  // too
  RecentAccounts accounts_;                                                               // too
};

// A job's stored form with what happened since; nullptr when the job is not there or gone.
std::shared_ptr<const JobRecord> brought_up_to_date(std::optional<CatalogJob> stored,
                                                    const std::vector<RecentChange>& changes,
                                                    const JobId& id);

// The same for parts of it; nullopt, or nothing, when the job is not there or gone.
std::optional<ArchivedJob> facts_up_to_date(std::optional<CatalogFacts> stored,
                                            const std::vector<RecentChange>& changes,
                                            const JobId& id);
std::vector<JobId> children_up_to_date(std::optional<CatalogChildren> stored,
                                       const std::vector<RecentChange>& changes, const JobId& id);
// The result that the changes tell of, which lives as long as they do; nullptr when there is none.
const Outcome* result_in(const std::vector<RecentChange>& changes, const JobId& id);
// The token of an execution that the changes tell of.
std::optional<LeaseToken> token_in(const std::vector<RecentChange>& changes, const JobId& id,
                                   int attempt);

// Whether the changes alone tell all about the job, so that the catalog need not be asked.
bool tells_all(const std::vector<RecentChange>& changes, const JobId& id);

}  // namespace baton::store::local
