// Lists of a store on a disk, compared with a walk over all rows: for filters that are drawn by
// lot, page after page, whatever the size of the pages. The first difference is thrown as a
// Mismatch. The catalog must have all turns.
#pragma once

#include "sim/world/dice.h"
#include "store/local/durable/data_directory.h"
#include "store/local/machine/rows.h"

namespace baton::sim {

void compare_lists(store::local::DataDirectory& data, const store::local::Rows& expected,
                   Dice& dice);

}  // namespace baton::sim
