// Whether the catalog of a directory is the one that the manifest speaks of, and has come as far as
// it must have: what is missing, of another store, or older than the rest is refused by its name.
// (The same of the log: check_belongs() in log/scan.h.) Pure.
#pragma once

#include <optional>

#include "baton/result.h"
#include "store/local/catalog/standing.h"
#include "store/local/log/manifest.h"

namespace baton::store::local {

// store_unavailable, with the file that is to blame and what can be done. `manifest` is unset when
// there is none.
Status check_belongs(const CatalogStanding& catalog, const std::optional<ManifestState>& manifest);

// An error about the files of a store, with what can be done about it; one of the disk itself, or
// one that says so already, stays as it is.
Error with_advice(Error error);

// A catalog that the log can bring back as a whole is missing.
bool is_to_be_rebuilt(const CatalogStanding& catalog, const ManifestState& manifest);

}  // namespace baton::store::local
