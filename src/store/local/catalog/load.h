// Reads from the catalog what a Machine takes up when a store is opened.
#pragma once

#include "store/local/catalog/catalog.h"
#include "store/local/catalog/job_rows.h"

namespace baton::store::local {

// As Catalog::load; what is wrong is thrown.
void load_live(Database& database, JobRows& rows, Time now, const CatalogVisitor& visitor);

}  // namespace baton::store::local
