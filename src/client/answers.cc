#include "client/answers.h"

#include "client/read_error.h"

namespace baton::client {
namespace {

using wire::RowInput;

// Reads an object by its table, and what stands beside that.
template <class T, class Other>
T read_with(RowInput& in, Other other) {
  T value{};
  wire::read_rows(in, value, wire::table_of<T>().rows,
                  [&](std::string_view name) { other(name, value); });
  return value;
}

// A member of a result: what was asked for, or why it was refused.
template <class T, class Other>
Result<T> read_result(RowInput& in, Other other) {
  std::optional<Error> error;
  T value = read_with<T>(in, [&](std::string_view name, T& out) {
    if (name == "error") {
      error = read_problem(in.json);
    } else {
      other(name, out);
    }
  });
  if (error) return *error;
  return value;
}

Result<Submitted> read_made(RowInput& in) {
  auto made = read_result<Submitted>(in, [](std::string_view, Submitted&) {});
  if (in.json.ok() && made && made->id.is_nil()) in.json.refuse_member("job", "is missing");
  return made;
}

// nack, reject and cancelled answer with the job.
Result<WorkAnswer> read_call_result(RowInput& in) {
  return read_result<WorkAnswer>(in, [&](std::string_view name, WorkAnswer& out) {
    if (name != "job") return;
    Job job;
    read_value(in, job);
    out.job = job.id;
    out.state = job.state;
    out.canonical_state = job.canonical_state;
    out.cancel_requested = job.cancel_requested;
  });
}

template <class T>
T read_one(RowInput& in) {
  T value{};
  read_value(in, value);
  return value;
}

// The array at hand.
template <class T>
std::vector<T> read_list(RowInput& in, T (*read)(RowInput&)) {
  std::vector<T> list;
  in.json.elements([&] { list.push_back(read(in)); });
  return list;
}

// An answer with a list under this name, whatever else it has.
template <class T>
Result<AnswerPage<T>> read_page(std::string_view text, std::string_view wanted,
                                T (*read)(RowInput&) = read_one<T>) {
  json::Reader reader(text);
  RowInput in{reader, wire::Message::kAnswer};
  AnswerPage<T> page;
  bool found = false;
  reader.members([&](std::string_view name) {
    if (name == wanted) {
      found = true;
      page.list = read_list(in, read);
    } else if (name == "next_cursor" && !reader.is_null()) {
      page.next_cursor = reader.string();
    }
  });
  if (reader.ok() && !found) reader.refuse_member(wanted, "is missing");
  return wire::finish_answer(reader, std::move(page));
}

template <class T>
Result<std::vector<T>> list_of(Result<AnswerPage<T>> page) {
  if (!page) return page.error();
  return std::move(page->list);
}

}  // namespace

Result<Job> read_wrapped_job(std::string_view text) {
  json::Reader reader(text);
  RowInput in{reader, wire::Message::kAnswer};
  Job job;
  reader.members([&](std::string_view name) {
    if (name == "job" && !reader.is_null()) read_value(in, job);
  });
  if (reader.ok() && job.id.is_nil()) reader.refuse_member("job", "is missing");
  return wire::finish_answer(reader, std::move(job));
}

Result<Submitted> read_submitted(std::string_view text) {
  json::Reader reader(text);
  RowInput in{reader, wire::Message::kAnswer};
  const Result<Submitted> made = read_made(in);
  if (!made) reader.refuse_member("job", "is missing");
  return wire::finish_answer(reader, made ? *made : Submitted{});
}

Result<std::vector<Result<Submitted>>> read_batch_results(std::string_view text) {
  return list_of(read_page<Result<Submitted>>(text, "results", read_made));
}

Result<JobPage> read_job_page(std::string_view text) {
  Result<AnswerPage<Job>> page = read_page<Job>(text, "jobs");
  if (!page) return page.error();
  return JobPage{std::move(page->list), std::move(page->next_cursor)};
}

Result<std::vector<HistoryEntry>> read_history(std::string_view text) {
  return list_of(read_page<HistoryEntry>(text, "history"));
}

Result<std::vector<Execution>> read_executions(std::string_view text) {
  return list_of(read_page<Execution>(text, "executions"));
}

Result<AnswerPage<Queue>> read_queue_page(std::string_view text) {
  return read_page<Queue>(text, "queues");
}

Result<AnswerPage<SeenWorker>> read_worker_page(std::string_view text) {
  return read_page<SeenWorker>(text, "workers");
}

Result<AnswerPage<LedgerEntry>> read_ledger_page(std::string_view text) {
  return read_page<LedgerEntry>(text, "entries", [](RowInput& in) {
    auto entry = read_one<LedgerEntry>(in);
    // It is the sum of what an entry shows.
    entry.after.granted = entry.after.available + entry.after.reserved + entry.after.captured;
    return entry;
  });
}

std::string write_dependency_results(const std::vector<DependencyResult>& results) {
  std::string text;
  base::JsonWriter json(text);
  wire::RowOutput out{json, wire::Message::kAnswer};
  wire::write_value(out, results);
  return text;
}

Result<std::vector<Claimed>> read_claims(std::string_view text) {
  return list_of(read_page<Claimed>(text, "executions"));
}

Result<StatsAnswer> read_stats(std::string_view text) {
  json::Reader reader(text);
  RowInput in{reader, wire::Message::kAnswer};
  StatsAnswer page;
  page.stats = read_with<Stats>(in, [&](std::string_view name, Stats&) {
    if (name == "next_cursor") page.next_cursor = reader.string();
  });
  return wire::finish_answer(reader, std::move(page));
}

Result<ExchangeAnswer> read_exchange(std::string_view text, std::size_t calls) {
  json::Reader reader(text);
  RowInput in{reader, wire::Message::kAnswer};
  ExchangeAnswer answer;
  reader.members([&](std::string_view name) {
    if (reader.is_null()) return;
    if (name == "results") answer.results = read_list(in, read_call_result);
    if (name == "executions") answer.executions = read_list(in, read_one<Claimed>);
    if (name == "claim_error") answer.claim_error = read_problem(reader);
  });
  const std::size_t results = answer.results.size();
  if (reader.ok() && results != calls) {
    reader.refuse("has " + std::to_string(results) + " results for " + std::to_string(calls) +
                  " calls");
  }
  return wire::finish_answer(reader, std::move(answer));
}

}  // namespace baton::client
