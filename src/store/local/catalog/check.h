// Everything that can be wrong inside a catalog: the file, what does not decode, and tables that
// disagree with each other. Reads all of it.
#pragma once

#include <string>
#include <vector>

#include "store/local/catalog/job_rows.h"

namespace baton::store::local {

// Each fault is a sentence; after a hundred it gives up. Thrown: only what keeps it from looking.
std::vector<std::string> faults_of(Database& database, JobRows& rows);

}  // namespace baton::store::local
