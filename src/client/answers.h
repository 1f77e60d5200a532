// Whole answers of the API: which shape (src/wire) each of them is, and how lists and results wrap
// it. An answer that has another shape is store_unavailable: the server is not understood. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wire/shapes.h"

namespace baton::client {

template <class T>
struct AnswerPage {
  std::vector<T> list;
  std::string next_cursor;  // empty: there are no more
};

inline Result<Job> read_bare_job(std::string_view text) { return wire::read_answer<Job>(text); }
inline Result<Explanation> read_explanation_answer(std::string_view text) {
  return wire::read_answer<Explanation>(text);
}
inline Result<Queue> read_queue_answer(std::string_view text) {
  return wire::read_answer<Queue>(text);
}
inline Result<Account> read_account_answer(std::string_view text) {
  return wire::read_answer<Account>(text);
}

Result<Job> read_wrapped_job(std::string_view text);  // {"job":{…}}
Result<Submitted> read_submitted(std::string_view text);
Result<std::vector<Result<Submitted>>> read_batch_results(std::string_view text);
Result<JobPage> read_job_page(std::string_view text);
Result<std::vector<HistoryEntry>> read_history(std::string_view text);
Result<std::vector<Execution>> read_executions(std::string_view text);
Result<AnswerPage<Queue>> read_queue_page(std::string_view text);
Result<AnswerPage<SeenWorker>> read_worker_page(std::string_view text);
Result<AnswerPage<LedgerEntry>> read_ledger_page(std::string_view text);
Result<std::vector<Claimed>> read_claims(std::string_view text);
// The other way around, for a program that hands them on: as a claim's answer has them.
std::string write_dependency_results(const std::vector<DependencyResult>& results);

struct StatsAnswer {
  Stats stats;
  std::string next_cursor;  // of the queues; empty: there are no more
};
Result<StatsAnswer> read_stats(std::string_view text);

// The answer to a batch of calls and a claim. An answer that has not one result for each call is
// not understood.
Result<ExchangeAnswer> read_exchange(std::string_view text, std::size_t calls);

}  // namespace baton::client
