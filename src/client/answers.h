// Whole answers of the API, one reader for each shape. An answer that has another shape is
// store_unavailable: the server is not understood. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baton/job.h"
#include "baton/queue.h"
#include "baton/work_source.h"

namespace baton::client {

template <class T>
struct Page {
  std::vector<T> list;
  std::string next_cursor;  // empty: there are no more
};

Result<Job> read_bare_job(std::string_view text);
Result<Job> read_wrapped_job(std::string_view text);  // {"job":{…}}
Result<Submitted> read_submitted(std::string_view text);
Result<std::vector<Result<Submitted>>> read_batch_results(std::string_view text);
Result<JobPage> read_job_page(std::string_view text);
Result<std::vector<HistoryEntry>> read_history(std::string_view text);
Result<std::vector<Execution>> read_executions(std::string_view text);
Result<Explanation> read_explanation_answer(std::string_view text);
Result<Queue> read_queue_answer(std::string_view text);
Result<Page<Queue>> read_queue_page(std::string_view text);
Result<Stats> read_stats(std::string_view text);
Result<Account> read_account_answer(std::string_view text);
Result<Page<LedgerEntry>> read_ledger_page(std::string_view text);
Result<std::vector<Claimed>> read_claims(std::string_view text);

}  // namespace baton::client
