// What a durable local store keeps, without its threads: the log that makes turns durable, the
// catalog that makes them queryable, and the turns between the two. Opening it is recovery: what
// the log has and the catalog has not is applied to the catalog, and then the Machine is loaded
// from there. The simulator drives the same object on a disk that fails.
//
// `keep` and the Archive are for the Machine's thread, `project` for one other; the rest is for
// any. After a failure nothing more is kept: `keep` answers with the first failure for ever.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "store/dependency_results.h"
#include "store/local/catalog/catalog.h"
#include "store/local/catalog/standing.h"
#include "store/local/durable/recent_turns.h"
#include "store/local/log/log.h"
#include "store/local/log/manifest.h"
#include "store/local/machine/archive.h"
#include "store/local/machine/machine.h"

namespace baton::store::local {

struct DataOptions {
  CatalogOptions catalog;
  LogOptions log;
  BackoffFunctions functions;
};

class DataDirectory final : public Archive {
 public:
  // `disk` holds the log's files and the manifest, is this object's alone, and must outlive it.
  // What does not belong together, or is missing, is refused by its name before anything is
  // changed.
  static Result<std::unique_ptr<DataDirectory>> open(base::Disk& disk, const DataOptions& options);

  // The time of the last turn that is kept; unset when there is none.
  Time last_time() const { return last_time_; }
  // Loads a fresh Machine; its first turn is to be `reopen`.
  Status load(Machine& machine, Time now);
  // Everything that is wrong in the catalog, as sentences. Slow.
  Result<std::vector<std::string>> check() { return catalog_->check(); }

  // Makes a turn durable. A bare heartbeat may wait for the next turn that has more.
  Status keep(Time at, std::vector<RowChange> changes);
  // Whether the catalog is so far behind that only commands should add to what is kept: by half of
  // what makes new turns wait.
  bool is_behind() const {
    return 2 * recent_.size() > tuning().most_unprojected ||
           2 * recent_.bytes() > tuning().most_unprojected_bytes;
  }
  // Brings the oldest turns into the catalog, about `max_changes` of their changes and
  // Tuning::project_bytes; false when there are none. Frees the log behind them.
  Result<bool> project(std::size_t max_changes);
  // Everything is written to the log and the catalog, and both are left tidy.
  Status finish();

  std::uint64_t last_turn() const { return last_turn_.load(std::memory_order_acquire); }
  std::uint64_t applied_turn() const { return applied_turn_.load(std::memory_order_acquire); }
  const RecentTurns& recent() const { return recent_; }
  const Tuning& tuning() const { return catalog_options_.tuning; }
  // The terms of all jobs of the store, live or read.
  TermsTable& terms() { return terms_; }
  // Why nothing is kept any more; unset while all is well.
  std::optional<Error> failure() const;

  // A connection of its own for a thread that reads.
  Result<std::unique_ptr<CatalogReader>> open_reader();
  // A job as all kept turns leave it; nullptr when there is none.
  Result<std::shared_ptr<const JobRecord>> record(CatalogReader& reader, const JobId& id);
  // Several of them in one transaction, in their order; each has its own error.
  std::vector<Result<std::shared_ptr<const JobRecord>>> records(CatalogReader& reader,
                                                                const std::vector<JobId>& ids);
  // How a reader looks up what a claimed job depended on; both must outlive it.
  DependencyLookUp look_up(CatalogReader& reader);

  Result<std::optional<ArchivedJob>> facts(const JobId& id) const override;
  Result<std::vector<JobId>> children(const JobId& id) const override;
  Result<std::optional<LeaseToken>> token(const JobId& id, int attempt) const override;
  Result<std::shared_ptr<const JobRecord>> record(const JobId& id) const override;
  Result<std::vector<Standing>> standings(const Standing& after, std::size_t limit) const override;
  Result<std::vector<EndedJob>> ended(const Standing& standing, const EndedJob& after, Time until,
                                      std::size_t limit) const override;
  Result<std::optional<StoredAccount>> account(const std::string& id) const override;
  bool is_told(const std::string& account) const override;
  Result<bool> has_grant(const std::string& account, const std::string& key) const override;
  Reads reads() const override { return reader_->reads(); }

 private:
  explicit DataDirectory(const DataOptions& options)
      : catalog_options_(options.catalog), terms_(options.functions) {
    catalog_options_.later_ids = std::make_shared<LaterIds>();
  }

  template <class T>
  Result<T> read(Result<T> read) const;

  Status recover(base::Disk& disk, const DataOptions& options);
  Result<CatalogStanding> open_manifest(base::Disk& disk, std::uint64_t new_id);
  Status open_catalog();
  Status bind();
  Status replay();
  Status apply(std::vector<SharedTurn>& turns);
  Status append(Time at, std::vector<RowChange> changes);
  Result<bool> project_oldest(std::size_t max_changes);
  Error fail(const Error& error) const;

  std::unique_ptr<Manifest> manifest_;
  CatalogOptions catalog_options_;
  mutable TermsTable terms_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<CatalogReader> reader_;  // for the Machine's thread
  RecentTurns recent_;
  Time last_time_;
  std::atomic<std::uint64_t> last_turn_{0};
  std::atomic<std::uint64_t> applied_turn_{0};
  mutable std::mutex failure_mutex_;
  mutable std::optional<Error> failure_;  // guarded by failure_mutex_
};

}  // namespace baton::store::local
