// Jobs as people read them: one as a sheet, many as a table. Pure, but for ages, which are counted
// from now.
#pragma once

#include <string>
#include <vector>

#include "baton/job.h"

namespace baton::cli {

std::string job_sheet(const Job& job);
std::string job_table(const std::vector<Job>& jobs);
std::string history_table(const std::vector<HistoryEntry>& history);
std::string explanation_sheet(const Explanation& explanation);
std::string execution_table(const std::vector<Execution>& executions);

// "TEMPORARY: connection refused"; empty when there is none.
std::string failure_text(const std::optional<Failure>& failure, std::size_t most = 200);

}  // namespace baton::cli
