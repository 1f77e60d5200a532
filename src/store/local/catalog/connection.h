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
// reader is in the way.
bool restart_wal(Database& database);

// Writes a copy to a new file, and makes its bytes durable.
void copy_database(Database& database, const std::string& path);

}  // namespace baton::store::local
