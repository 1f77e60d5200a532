// The tables of the catalog, and how an older catalog becomes one of today (docs/catalog-format.md
// describes them, docs/decisions/0017-catalog.md says why they are so). A connection must have been
// through here before anything is prepared on it.
#pragma once

#include <span>

#include "store/local/catalog/sql.h"

namespace baton::store::local {

// One step brings a catalog from its place in the list to the next version; the first makes it.
using MigrationSteps = std::span<const char* const>;
MigrationSteps migration_steps();

// The version of the format; 0: the file is empty. Thrown: a file that is no catalog, a format that
// is newer than the steps. Only looks.
std::int64_t format_of(Database& database, MigrationSteps steps);

// Makes the tables, or brings them up to date. Thrown: what `format_of` throws, and anything that
// SQLite refuses; the file is then as it was.
void migrate(Database& database, MigrationSteps steps);

// What is in `meta`, by name.
std::int64_t meta_value(Database& database, const char* name);

}  // namespace baton::store::local
