// Copies the files of a store's directory into another one, of a store that is at rest or of one
// that another process writes to meanwhile. Reads only; what the copy is worth, recovery of it
// says. Errors are store_unavailable and name the file.
#pragma once

#include <string>

#include "base/disk.h"
#include "baton/result.h"
#include "store/local/catalog/catalog.h"

namespace baton::store::local {

// All files that count, of a store that nobody has open.
Status copy_files(const std::string& from, const std::string& to);

// The same of a store that is open elsewhere: first the log, then the catalog as it is after that,
// so that every turn which was durable before the call is in one of them, and a manifest that asks
// for no more.
Status copy_while_in_use(const std::string& from, const std::string& to);

// Where the files of a store are: those of the log and the manifest, and the catalog.
struct StoreFiles {
  base::Disk& disk;
  CatalogOptions catalog;
};

// The same between any two places. The copy of the catalog has the path that `to` gives it, in the
// file system of SQLite's that `from` has.
Status copy_while_in_use(const StoreFiles& from, const StoreFiles& to);

}  // namespace baton::store::local
