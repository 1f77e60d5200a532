#include "store/local/catalog/standing.h"

#include "store/local/catalog/connection.h"
#include "store/local/catalog/schema.h"
#include "store/local/catalog/sql.h"

namespace baton::store::local {
namespace {

bool exists(const CatalogOptions& options) {
  sqlite3_vfs* const vfs = sqlite3_vfs_find(options.vfs.empty() ? nullptr : options.vfs.c_str());
  int there = 0;
  return vfs == nullptr ||
         vfs->xAccess(vfs, options.path.c_str(), SQLITE_ACCESS_EXISTS, &there) != SQLITE_OK ||
         there != 0;
}

// 0 in a catalog of the first format, which does not have it.
std::uint64_t value_or_zero(Database& database, const char* name) {
  Statement find(database, "SELECT value FROM meta WHERE name = ?");
  Cursor row = find.query(std::string_view(name));
  return row.next() ? static_cast<std::uint64_t>(row.integer(0)) : 0;
}

bool is_empty(const CatalogOptions& options) {
  try {
    return Database({options.path, options.vfs, false, true}).number("PRAGMA page_count") == 0;
  } catch (const SqlFailure&) {
    return false;
  }
}

std::optional<std::uint64_t> turn_of_file(const CatalogOptions& options) {
  try {
    Database database({options.path, options.vfs, false, true});
    if (format_of(database, migration_steps()) == 0) return 0;
    return value_or_zero(database, "applied_turn");
  } catch (const SqlFailure&) {
    return std::nullopt;
  }
}

CatalogStanding look(const CatalogOptions& options) {
  CatalogStanding standing;
  // Beside an empty file SQLite would remove the write-ahead log, which may be all that is left.
  if (!exists(options) || is_empty(options)) return standing;
  Database database({options.path, options.vfs, false});
  keep_wal_when_closed(database, true);
  if (format_of(database, migration_steps()) == 0) return standing;
  standing.there = true;
  standing.store_id = value_or_zero(database, "store_id");
  standing.applied_turn = value_or_zero(database, "applied_turn");
  standing.log_turn = value_or_zero(database, "log_turn");
  standing.turn_of_file = turn_of_file(options);
  return standing;
}

}  // namespace

Result<CatalogStanding> standing_of(const CatalogOptions& options) {
  return guarded<CatalogStanding>([&] { return look(options); });
}

}  // namespace baton::store::local
