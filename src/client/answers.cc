#include "client/answers.h"

#include "client/read_error.h"
#include "client/read_job.h"
#include "client/read_queue.h"
#include "client/read_work.h"
#include "client/values.h"

namespace baton::client {
namespace {

template <class T>
Result<T> read_object(std::string_view text, void (*read)(Reader&, T&)) {
  Reader reader(text);
  T out{};
  read(reader, out);
  return finish(reader, std::move(out));
}

// The answer to one submission, or to one of a batch.
struct Made {
  Submitted submitted;
  std::optional<Error> error;
};

constexpr Member<Made> kMade[] = {
    {"job",
     [](Reader& r, Made& out) {
       Job job;
       read_job(r, job);
       out.submitted.id = job.id;
       out.submitted.canonical_state = job.canonical_state;
     }},
    {"duplicate", [](Reader& r, Made& out) { out.submitted.duplicate = r.boolean(); }},
    {"error", [](Reader& r, Made& out) { out.error = read_problem(r); }},
};

void read_made(Reader& reader, Made& out) {
  read_known<Made>(reader, out, kMade);
  need(reader, "job", out.error || !out.submitted.id.empty());
}

// A member of an answer that is a list, whatever else the answer has.
template <class T>
Result<Page<T>> read_page(std::string_view text, std::string_view list,
                          void (*read_one)(Reader&, T&)) {
  Reader reader(text);
  Page<T> page;
  bool found = false;
  reader.members([&](std::string_view name) {
    if (name == list) {
      found = true;
      page.list = read_list<T>(reader, read_one);
    } else if (name == "next_cursor" && !reader.is_null()) {
      page.next_cursor = reader.string();
    }
  });
  if (reader.ok() && !found) reader.refuse_member(list, "is missing");
  return finish(reader, std::move(page));
}

template <class T>
Result<std::vector<T>> list_of(Result<Page<T>> page) {
  if (!page) return page.error();
  return std::move(page->list);
}

constexpr Member<Job> kWrappedJob[] = {{"job", read_job}};

void read_wrapped(Reader& reader, Job& out) {
  read_known<Job>(reader, out, kWrappedJob);
  need(reader, "job", !out.id.empty());
}

constexpr Member<Stats> kStats[] = {
    {"live_jobs", [](Reader& r, Stats& out) { out.live_jobs = r.integer(); }},
    {"queues", [](Reader& r, Stats& out) { out.queues = read_list<Queue>(r, read_queue); }},
};

void read_all_stats(Reader& reader, Stats& out) {
  out.live_jobs = -1;
  read_known<Stats>(reader, out, kStats);
  need(reader, "live_jobs", out.live_jobs >= 0);
}

}  // namespace

Result<Job> read_bare_job(std::string_view text) { return read_object<Job>(text, read_job); }

Result<Job> read_wrapped_job(std::string_view text) { return read_object<Job>(text, read_wrapped); }

Result<Submitted> read_submitted(std::string_view text) {
  const Result<Made> made = read_object<Made>(text, read_made);
  if (!made) return made.error();
  return made->submitted;
}

Result<std::vector<Result<Submitted>>> read_batch_results(std::string_view text) {
  const Result<Page<Made>> page = read_page<Made>(text, "results", read_made);
  if (!page) return page.error();
  std::vector<Result<Submitted>> results;
  for (const Made& made : page->list) {
    results.push_back(made.error ? Result<Submitted>(*made.error)
                                 : Result<Submitted>(made.submitted));
  }
  return results;
}

Result<JobPage> read_job_page(std::string_view text) {
  Result<Page<Job>> page = read_page<Job>(text, "jobs", read_job);
  if (!page) return page.error();
  return JobPage{std::move(page->list), std::move(page->next_cursor)};
}

Result<std::vector<HistoryEntry>> read_history(std::string_view text) {
  return list_of(read_page<HistoryEntry>(text, "history", read_history_entry));
}

Result<std::vector<Execution>> read_executions(std::string_view text) {
  return list_of(read_page<Execution>(text, "executions", read_execution));
}

Result<Explanation> read_explanation_answer(std::string_view text) {
  return read_object<Explanation>(text, read_explanation);
}

Result<Queue> read_queue_answer(std::string_view text) {
  return read_object<Queue>(text, read_queue);
}

Result<Page<Queue>> read_queue_page(std::string_view text) {
  return read_page<Queue>(text, "queues", read_queue);
}

Result<Stats> read_stats(std::string_view text) { return read_object<Stats>(text, read_all_stats); }

Result<Account> read_account_answer(std::string_view text) {
  return read_object<Account>(text, read_account);
}

Result<Page<LedgerEntry>> read_ledger_page(std::string_view text) {
  return read_page<LedgerEntry>(text, "entries", read_ledger_entry);
}

Result<std::vector<Claimed>> read_claims(std::string_view text) {
  return list_of(read_page<Claimed>(text, "executions", read_claimed));
}

}  // namespace baton::client
