// The column `parent` of jobs that were made before it was there, out of the children that their
// parents have. Done once, when a catalog of an earlier format is opened to be written. One thread.
#pragma once

#include "store/local/catalog/job_rows.h"

namespace baton::store::local {

// Some jobs in each transaction of its own; `parents_known` says when all are done, and a crash
// only means that it begins anew. Children of a job that was deleted, or whose list is damaged,
// stay without. What is wrong otherwise is thrown.
void fill_parents(Database& database, JobRows& rows);

}  // namespace baton::store::local
