// What a store on a disk has, compared with what it should have: every row, every member. The
// first difference is thrown as a Mismatch.
#pragma once

#include "store/local/durable/data_directory.h"
#include "store/local/machine/rows.h"

namespace baton::sim {

// Each job as a reader sees it, in the catalog and in the turns that it has not got yet.
void compare_records(store::local::DataDirectory& data, const store::local::Rows& expected);

// The catalog alone, which must have all turns: jobs with what the Machine needs of them, the list,
// ledgers, the audit log; and that its tables agree with each other.
void compare_catalog(store::local::DataDirectory& data, const store::local::Rows& expected);

// The catalog after a bit of its file turned around: whatever it gives is what it should be, and
// what it does not give is said to be damaged.
void compare_what_is_left(store::local::DataDirectory& data, const store::local::Rows& expected);

}  // namespace baton::sim
