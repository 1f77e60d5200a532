// Queues as people read them: many as a table, one as a sheet. Pure.
#pragma once

#include <string>
#include <vector>

#include "baton/queue.h"

namespace baton::cli {

// With a row of sums when `sums` says so.
std::string queue_table(const std::vector<Queue>& queues, bool sums = false);
std::string queue_sheet(const Queue& queue);

}  // namespace baton::cli
