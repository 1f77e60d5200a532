// The rows of a durable local store in SQLite: what the log has acknowledged, made queryable. The
// catalog is behind the log by the turns that were not applied yet; `applied_turn` says how far it
// is, and changes in one transaction with the rows. It decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/local/archive.h"
#include "store/local/catalog/codec.h"
#include "store/local/stored.h"

struct sqlite3;

namespace baton::store::local {

struct CatalogOptions {
  std::string path;  // the database file
  std::string vfs;   // of SQLite; empty: the system's
  // One connection in all, as a file system without shared memory needs it.
  bool exclusive = false;
};

// A job as the catalog has it, with the last turn that touched it.
struct CatalogJob {
  StoredJob job;
  std::uint64_t turn = 0;
};

// What the Machine has to know to go on: everything but the ended jobs. Called in this order:
// queues, accounts, jobs by rising number, keys by the rising number of their jobs.
struct CatalogVisitor {
  std::function<void(StoredQueue)> queue;
  std::function<void(StoredAccount)> account;
  // Payload, history and results are not there: only what a live job goes on with.
  std::function<void(const LiveJob&)> job;
  std::function<void(const StoredKey&)> key;
};

// The one writer. One thread at a time.
class Catalog {
 public:
  // Opens the database, makes it when it is not there, and brings an older format up to date. A
  // format from the future, or a file that is not a catalog, is an error.
  static base::Result<std::unique_ptr<Catalog>> open(const CatalogOptions& options,
                                                     KeptTerms& terms);
  virtual ~Catalog() = default;

  virtual std::uint64_t applied_turn() const = 0;  // 0: none yet
  virtual Time applied_time() const = 0;           // of that turn
  virtual std::int64_t last_number() const = 0;    // the highest that a job ever had

  // Applies turns, the next ones in order, in one transaction: each job's net change is written
  // once. Durable when it returns. On an error nothing was applied.
  virtual base::Status apply(std::span<const std::shared_ptr<const TurnChanges>> turns) = 0;

  // `now`: keys that have ended by then are left out.
  virtual base::Status load(Time now, const CatalogVisitor& visitor) = 0;

  // Everything that is wrong with the file and between its tables, as sentences. Slow.
  virtual base::Result<std::vector<std::string>> check() = 0;
  // Brings the write-ahead log back into the database file when it has grown.
  virtual base::Status checkpoint() = 0;
};

// Reads the catalog on a connection of its own, beside the writer. One thread at a time.
class CatalogReader {
 public:
  static base::Result<std::unique_ptr<CatalogReader>> open(const CatalogOptions& options,
                                                           KeptTerms& terms);
  virtual ~CatalogReader() = default;

  virtual base::Result<std::optional<CatalogJob>> find(const JobId& id) = 0;
  virtual base::Result<std::vector<FinishedRef>> finished(const std::string& queue, bool completed,
                                                          Time until, std::size_t limit) = 0;
  virtual base::Result<JobList> list(const JobFilter& filter) = 0;
  virtual base::Result<std::vector<LedgerEntry>> entries(const std::string& account) = 0;
  virtual base::Result<std::vector<AuditRecord>> audit_log() = 0;
  // A copy of the catalog as it is, in a new file. Also from another process than the writer's.
  virtual base::Status copy_to(const std::string& path) = 0;
};

}  // namespace baton::store::local
