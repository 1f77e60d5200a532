// The rows of a durable local store in SQLite: what the log has acknowledged, made queryable. The
// catalog is behind the log by the turns that were not applied yet; `applied_turn` says how far it
// is, and changes in one transaction with the rows. It decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baton/result.h"
#include "store/local/catalog/later_ids.h"
#include "store/local/codec/codec.h"
#include "store/local/codec/job_codec.h"
#include "store/local/machine/archive.h"
#include "store/local/machine/stored.h"
#include "store/local/machine/tuning.h"

namespace baton::store::local {

struct CatalogOptions {
  std::string path;  // the database file
  std::string vfs;   // of SQLite; empty: the system's
  // One connection in all, as a file system without shared memory needs it: readers are then made
  // by Catalog::reader().
  bool exclusive = false;
  std::int64_t max_pages = 0;  // the file grows no further; 0: as far as the disk allows
  Tuning tuning;
  // Of all connections of a process beside its writer; nullptr: each learns by itself.
  std::shared_ptr<LaterIds> later_ids;
  // Told before the write-ahead log is brought into the file, and when all of it is there, with the
  // last turn that is applied. An error keeps it from being done. May be unset.
  std::function<Status(std::uint64_t turn, bool done)> rest;
};

// A job as the catalog has it, with the last turn that touched it.
struct CatalogJob {
  StoredJob job;
  std::uint64_t turn = 0;
};

// Parts of a job, with the last turn that touched it.
struct CatalogFacts {
  ArchivedJob job;
  std::uint64_t turn = 0;
  bool has_extras = false;  // it waits, or has children, made or staged
};
struct CatalogResult {
  CatalogFacts facts;
  BodyResult body;
};
struct CatalogChildren {
  std::vector<JobId> ids;
  std::uint64_t turn = 0;
};

// What the Machine has to know to go on. Called in the order of stored.h.
struct CatalogVisitor {
  std::function<void(StoredQueue)> queue;
  std::function<void(StoredAccount)> account;
  // Payload, history and results are not there: only what a live job goes on with.
  std::function<void(const LiveJob&)> job;
  std::function<void(const StoredKey&)> key;
};

class CatalogReader;

// The one writer. One thread at a time. Errors are store_unavailable and name the file; a full disk
// reads "no space left on the disk".
class Catalog {
 public:
  // Opens the database, makes it when it is not there, and brings an older format up to date. A
  // format from the future, or a file that is not a catalog, is an error.
  static Result<std::unique_ptr<Catalog>> open(const CatalogOptions& options, TermsTable& terms);
  virtual ~Catalog() = default;

  virtual std::uint64_t applied_turn() const = 0;  // 0: none yet
  virtual Time applied_time() const = 0;           // of that turn
  virtual std::int64_t last_number() const = 0;    // the highest that a job ever had

  // Of the store that it belongs to; 0: not known yet.
  virtual std::uint64_t store_id() const = 0;
  virtual Status set_store_id(std::uint64_t id) = 0;
  // The last turn that is known to be in the log; goes with the next turns that are applied.
  virtual void note_log_turn(std::uint64_t turn) = 0;

  // Applies turns, the next ones in order, in one transaction: each job's net change is written
  // once. Durable when it returns. On an error nothing was applied, and the same turns may be tried
  // again; only when a sync failed they may be there the next time the catalog is opened, as
  // `applied_turn` says then. Larger calls are cheaper: thousands of changes.
  virtual Status apply(std::span<const std::shared_ptr<const TurnChanges>> turns) = 0;

  // `now`: keys that have ended by then are left out. On an error some may have been visited.
  virtual Status load(Time now, const CatalogVisitor& visitor) = 0;

  // Everything that is wrong with the file and between its tables, as sentences. Slow.
  virtual Result<std::vector<std::string>> check() = 0;
  // Brings the write-ahead log back into the database file. `apply` does so by itself when it has
  // grown; readers are not waited for.
  virtual Status checkpoint() = 0;
  // Pages that stood in the write-ahead log at the last checkpoint.
  virtual std::int64_t pages_at_checkpoint() const = 0;

  // A reader on the writer's own connection: it may be used while no other call of the writer or of
  // such a reader is under way, and must be gone before the catalog.
  virtual Result<std::unique_ptr<CatalogReader>> reader() = 0;
};

// Reads the catalog on a connection of its own, beside the writer. One thread at a time.
class CatalogReader {
 public:
  static Result<std::unique_ptr<CatalogReader>> open(const CatalogOptions& options,
                                                     TermsTable& terms);
  virtual ~CatalogReader() = default;

  // Calls `reads`, whose calls of this reader see the catalog at one moment and cost one
  // transaction in all. The error is that of the transaction; each call has its own.
  virtual Status together(const std::function<void()>& reads) = 0;
  // nullopt: the catalog has no such job.
  virtual Result<std::optional<CatalogJob>> find(const JobId& id) = 0;
  // Parts of it; nullopt likewise.
  virtual Result<std::optional<CatalogFacts>> facts(const JobId& id) = 0;
  virtual Result<std::optional<CatalogChildren>> children(const JobId& id) = 0;
  virtual Result<std::optional<LeaseToken>> token(const JobId& id, int attempt) = 0;
  // A result of more than `most` bytes is not read: only its size is there.
  virtual Result<std::optional<CatalogResult>> result(const JobId& id, std::size_t most) = 0;
  // As the Archive's.
  virtual Result<std::vector<Standing>> standings(const Standing& after, std::size_t limit) = 0;
  virtual Result<std::vector<EndedJob>> ended(const Standing& standing, const EndedJob& after,
                                              Time until, std::size_t limit) = 0;
  // As the Archive's; what the catalog has.
  virtual Result<std::optional<StoredAccount>> account(const std::string& id) = 0;
  virtual Result<bool> has_grant(const std::string& account, const std::string& key) = 0;
  // What this connection has read so far.
  virtual Reads reads() const = 0;
  virtual Result<JobList> list(const ListJobs& filter) = 0;
  // As Store::entries; any limit.
  virtual Result<std::vector<LedgerEntry>> entries(const EntriesPage& page) = 0;
  virtual Result<std::vector<AuditRecord>> audit_log() = 0;
  // A copy of the catalog as it is, in a new file, without holes. Also from another process than
  // the writer's, which goes on meanwhile. The bytes are durable when it returns, the name is not:
  // that is its directory's. On an error an unfinished file may be left.
  virtual Status copy_to(const std::string& path) = 0;
};

}  // namespace baton::store::local
