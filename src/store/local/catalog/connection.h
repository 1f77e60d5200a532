// How the catalog's connections are opened and its files are brought to rest. What is wrong is
// thrown.
#pragma once

#include <memory>

#include "store/local/catalog/catalog.h"
#include "store/local/catalog/sql.h"

namespace baton::store::local {

// Makes the file when it is not there, and brings an older format up to date.
std::shared_ptr<Database> open_to_write(const CatalogOptions& options);
std::shared_ptr<Database> open_to_read(const CatalogOptions& options);

// Moves the write-ahead log into the database, so that the next commit begins it anew. False when a
// reader is in the way. `pages`: how many stood in it.
bool restart_wal(Database& database, std::int64_t& pages);

// Whether the last connection leaves the write-ahead log as it is: else SQLite brings it into the
// database and removes it. Readers leave it.
void keep_wal_when_closed(Database& database, bool keep);

// Writes a copy to a new file, and makes its bytes durable.
void copy_database(Database& database, const std::string& path);

}  // namespace baton::store::local
