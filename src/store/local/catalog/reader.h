// The reader of the catalog, on whichever connection it is given.
#pragma once

#include <memory>

#include "store/local/catalog/catalog.h"
#include "store/local/catalog/sql.h"

namespace baton::store::local {

// What is wrong is thrown.
std::unique_ptr<CatalogReader> make_reader(std::shared_ptr<Database> database, TermsTable& terms,
                                           const Tuning& tuning,
                                           std::shared_ptr<LaterIds> later_ids = nullptr);

}  // namespace baton::store::local
