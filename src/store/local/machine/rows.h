// The rows of a store that keeps everything in memory: applies the changes of each turn, and
// answers reads and the Machine's look-ups from them. Not thread-safe; its owner locks.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/local/machine/archive.h"
#include "store/local/machine/row_change.h"

namespace baton::store::local {

// Brings a record up to date with one change of its job.
void apply(JobRecord& record, const JobChange& change);
void apply(ArchivedJob& job, const JobChange& change);
void apply(JobRecord& record, const JobRedriven& change);
void apply(ArchivedJob& job, const JobRedriven& change);

class Rows final : public Archive {
 public:
  void apply(const std::vector<RowChange>& changes);

  // nullptr when there is none.
  std::shared_ptr<const JobRecord> find(const JobId& id) const;

  Result<std::optional<ArchivedJob>> facts(const JobId& id) const override;
  Result<std::vector<JobId>> children(const JobId& id) const override;
  Result<std::optional<LeaseToken>> token(const JobId& id, int attempt) const override;
  Result<std::shared_ptr<const JobRecord>> record(const JobId& id) const override;
  Result<std::vector<Standing>> standings(const Standing& after, std::size_t limit) const override;
  Result<std::vector<EndedJob>> ended(const Standing& standing, const EndedJob& after, Time until,
                                      std::size_t limit) const override;
  Result<std::optional<StoredAccount>> account(const std::string& id) const override;
  bool is_told(const std::string&) const override { return true; }
  Result<bool> has_grant(const std::string& account, const std::string& key) const override;
  Reads reads() const override { return reads_; }

  // All that is kept of a job that is there.
  const StoredJob& stored(const JobId& id) const;

  // The jobs themselves, with all their parts: they change with the rows.
  JobList list(const ListJobs& filter) const;
  std::vector<LedgerEntry> entries(const std::string& account) const;
  std::vector<LedgerEntry> entries(const EntriesPage& page) const;
  const std::vector<AuditRecord>& audit_log() const { return audit_log_; }
  const std::map<std::string, QueueSettings>& queues() const { return queues_; }
  const std::map<std::string, Account>& accounts() const { return accounts_; }
  // Every job, oldest first.
  const std::map<std::int64_t, std::shared_ptr<JobRecord>>& jobs() const { return by_number_; }

 private:
  void apply(const JobChange& change);
  void apply(const JobGone& change);
  void apply(const WaitOver& change);
  void apply(const QueueChange& change);
  void apply(const AccountChange& change);
  void apply(const AuditRecord& record);
  void apply(const JobRedriven& change);
  void apply(const QueueGone& change);

  using EndedIndex = std::map<std::pair<Time, std::int64_t>, JobId>;  // by end, then number

  std::pair<std::int64_t, JobState> standing_of(const JobRecord& record);

  std::unordered_map<JobId, std::shared_ptr<StoredJob>> by_id_;
  std::map<std::int64_t, std::shared_ptr<JobRecord>> by_number_;
  std::map<std::string, std::int64_t> kinds_;                      // by queue; numbered from 1
  std::vector<std::string> kind_queues_;                           // kind less one
  std::map<std::pair<std::int64_t, JobState>, EndedIndex> ended_;  // (kind, state)
  mutable Reads reads_;
  std::map<std::string, QueueSettings> queues_;
  std::map<std::string, Account> accounts_;
  std::map<std::string, std::vector<Time>> submissions_;  // by account, of its past hour
  std::set<std::pair<std::string, std::string>> grants_;  // account and key
  std::map<std::string, std::vector<LedgerEntry>> entries_;
  std::vector<AuditRecord> audit_log_;
};

}  // namespace baton::store::local
