#include "store/local/catalog/connection.h"

#include <filesystem>
#include <string>

#include "base/posix_disk.h"
#include "base/private_files.h"
#include "store/local/catalog/schema.h"

namespace baton::store::local {
namespace {

constexpr int kBusyMs = 5000;
constexpr std::int64_t kWithoutChecksums = 1;  // the format
constexpr const char* kPageSize = "PRAGMA page_size = 4096";
// In KiB, negative as SQLite wants it.
constexpr const char* kWriterCache = "PRAGMA cache_size = -65536";
// What is left of a write-ahead log that a long read has let grow.
constexpr const char* kWalKept = "PRAGMA journal_size_limit = 134217728";
constexpr const char* kReaderCache = "PRAGMA cache_size = -16384";

void take_lock_for_good(Database& database, const CatalogOptions& options) {
  if (options.exclusive) database.run("PRAGMA locking_mode = EXCLUSIVE");
}

void sync_file(const DatabaseOptions& options) {
  Database database(options);
  // Opens the file, which SQLite does no sooner than it must.
  database.number("SELECT count(*) FROM sqlite_schema");
  sqlite3_file* file = nullptr;
  int code = sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code == SQLITE_OK) code = file->pMethods->xSync(file, SQLITE_SYNC_FULL);
  if (code != SQLITE_OK) database.fail(code);
}

[[noreturn]] void cannot_rename(const Error& error) {
  throw SqlFailure{{Code::kStoreUnavailable, error.message, {}, {}}};
}

// Gives a file the name of another, for good.
void put_in_place(const std::string& made, const std::string& path) {
  const std::filesystem::path from(made);
  const std::filesystem::path to(path);
  const auto disk = base::PosixDisk::open(std::filesystem::absolute(to).parent_path());
  if (!disk) cannot_rename(disk.error());
  const std::string name = to.filename().string();
  if (const auto done = (*disk)->rename(from.filename().string(), name); !done) {
    cannot_rename(done.error());
  }
  if (const auto done = (*disk)->sync(); !done) cannot_rename(done.error());
}

// A catalog of the first format is copied to a file with checksums, which then takes its place. At
// whatever point that ends, one of the two is whole.
void add_checksums(std::shared_ptr<Database> database, const CatalogOptions& options) {
  if (format_of(*database, migration_steps()) > kWithoutChecksums) {
    database->fail("its pages have lost their checksums");
  }
  const std::string made = options.path + ".new";
  std::error_code ignored;
  std::filesystem::remove(made, ignored);  // of an earlier time
  if (database->text("PRAGMA journal_mode = DELETE") != "delete") {
    database->refuse("its write-ahead log cannot be brought back");
  }
  copy_database(*database, made);
  database.reset();
  put_in_place(made, options.path);
}

// Three commits that change next to nothing. After a crash a write-ahead log whose last transaction
// does not fit its checksums looks as if that had never ended, and SQLite goes on without it; when
// some of it is in the database already, the two no longer belong together. So a log that goes into
// the database does not end with anything that counts. One that is damaged before its end is
// recognized (wal_check.h): a bit by two commits behind it, a header that is gone by three, because
// the first has then lost what its sum goes on from.
void seal_wal(Database& database) {
  for (int i = 0; i < 3; ++i) {
    const int code =
        sqlite3_exec(database.handle(), "UPDATE meta SET value = value + 1 WHERE name = 'seals'",
                     nullptr, nullptr, nullptr);
    // On a full disk, bringing the log back is what makes room.
    if ((code & 0xff) == SQLITE_FULL) return;
    if (code != SQLITE_OK) database.fail(code);
  }
}

bool has_wal(Database& database) {
  sqlite3_file* file = nullptr;
  sqlite3_int64 size = 0;
  const int code = sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER,
                                        static_cast<void*>(&file));
  if (code != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return false;
  return file->pMethods->xFileSize(file, &size) == SQLITE_OK && size > 0;
}

std::shared_ptr<Database> open_file(const CatalogOptions& options) {
  // SQLite would let others read it, and gives its own files the rights that this one has.
  if (options.vfs.empty()) {
    if (const auto made = base::make_private_file(options.path); !made)
      throw SqlFailure{made.error()};
  }
  auto database = std::make_shared<Database>(DatabaseOptions{options.path, options.vfs, true});
  take_lock_for_good(*database, options);
  database->run(kPageSize);
  return database;
}

}  // namespace

std::shared_ptr<Database> open_to_write(const CatalogOptions& options) {
  auto database = open_file(options);
  // A file of somebody else is left as it is: look before the first write.
  format_of(*database, migration_steps());
  if (!database->has_checksums()) {
    add_checksums(std::move(database), options);
    database = open_file(options);
  }
  if (database->text("PRAGMA journal_mode = WAL") != "wal") {
    database->refuse("the file system does not allow a write-ahead log");
  }
  database->run("PRAGMA synchronous = FULL");
  // The log of a store has deleted jobs for a while anyway.
  database->run("PRAGMA secure_delete = OFF");
  database->run("PRAGMA wal_autocheckpoint = 0");
  database->run(kWalKept);
  database->run(kWriterCache);
  if (options.max_pages > 0) {
    database->run(("PRAGMA max_page_count = " + std::to_string(options.max_pages)).c_str());
  }
  keep_wal_when_closed(*database, true);
  migrate(*database, migration_steps());
  return database;
}

std::shared_ptr<Database> open_to_read(const CatalogOptions& options) {
  auto database = std::make_shared<Database>(DatabaseOptions{options.path, options.vfs, false});
  database->run("PRAGMA query_only = ON");
  keep_wal_when_closed(*database, true);
  database->run(kReaderCache);
  const auto known = static_cast<std::int64_t>(migration_steps().size());
  if (format_of(*database, migration_steps()) < known) {
    database->refuse("its format has not been brought up to date");
  }
  return database;
}

void keep_wal_when_closed(Database& database, bool keep) {
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

bool restart_wal(Database& database, std::int64_t& pages) {
  if (has_wal(database)) seal_wal(database);
  int found = 0;
  sqlite3_busy_timeout(database.handle(), 0);
  const int code = sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_RESTART,
                                             &found, nullptr);
  pages = found;
  sqlite3_busy_timeout(database.handle(), kBusyMs);
  if (code == SQLITE_OK) return true;
  if ((code & 0xff) != SQLITE_BUSY) database.fail(code);
  return false;
}

void copy_database(Database& database, const std::string& path) {
  const bool read_only = database.number("PRAGMA query_only") != 0;
  // It writes nothing to this database, which SQLite does not see.
  if (read_only) database.run("PRAGMA query_only = OFF");
  database.reserve_checksums();
  Statement(database, "VACUUM INTO ?").run(path);
  if (read_only) database.run("PRAGMA query_only = ON");
  sync_file({path, database.vfs(), false});
}

}  // namespace baton::store::local
