// Every shape that the HTTP calls have, and whole messages of them. The tables are in retry.cc,
// submission.cc, job.cc, work.cc and queue.cc: a member of the wire is a row there, and a test
// compares them with spec/openapi.yaml. Any thread, but one json::Reader at a time on each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "baton/job.h"
#include "baton/queue.h"
#include "baton/result.h"
#include "baton/seen_worker.h"
#include "baton/work_source.h"
#include "wire/codec.h"
#include "wire/row.h"

namespace baton::wire {

// A worker's call as its body has it, where the kind may come last: everything that any call may
// bring.
struct CallBody {
  CallKind kind = CallKind::kAck;
  ExecutionId execution = {};
  LeaseToken token = {};
  std::optional<Duration> execution_limit = {};
  std::optional<int> progress = {};
  std::optional<std::string> message = {};
  std::optional<std::string> checkpoint = {};
  std::optional<Outcome> result = {};
  Children spawn = {};
  Failure failure = {};  // reject and release use the message
  std::optional<Duration> retry_after = {};
  std::optional<Duration> delay = {};
};

// The body of a call that brings nothing.
struct NoMembers {};

// clang-format off
template <> Table<Retry> table_of<Retry>();
template <> Table<Timeouts> table_of<Timeouts>();
template <> Table<Dependency> table_of<Dependency>();
template <> Table<Unique> table_of<Unique>();
template <> Table<Failure> table_of<Failure>();
template <> Table<Submission> table_of<Submission>();

template <> Table<Job> table_of<Job>();
template <> Table<Execution> table_of<Execution>();
template <> Table<HistoryEntry> table_of<HistoryEntry>();  // written for the job of the Output
template <> Table<Explanation> table_of<Explanation>();
template <> Table<Submitted> table_of<Submitted>();  // only read
template <> Table<JobFilter> table_of<JobFilter>();  // only read: a body has it, not a query
template <> Table<CancelJob> table_of<CancelJob>();
template <> Table<RedriveJob> table_of<RedriveJob>();
template <> Table<NoMembers> table_of<NoMembers>();
template <> Table<RejectJob> table_of<RejectJob>();
template <> Table<PatchJob> table_of<PatchJob>();

template <> Table<ClaimRequest> table_of<ClaimRequest>();
template <> Table<DependencyResult> table_of<DependencyResult>();
template <> Table<Claimed> table_of<Claimed>();
template <> Table<HeldExecution> table_of<HeldExecution>();
template <> Table<SeenWorker> table_of<SeenWorker>();
template <> Table<CallBody> table_of<CallBody>();  // as one of many, with its kind and execution
template <> Table<WorkAnswer> table_of<WorkAnswer>();  // only read; see write_members
template <> Table<Exchange> table_of<Exchange>();  // only read: clients encode calls one by one

template <> Table<RateLimit> table_of<RateLimit>();
template <> Table<QueueUpdate> table_of<QueueUpdate>();
template <> Table<Queue> table_of<Queue>();
template <> Table<Stats> table_of<Stats>();  // only read: the server shows rates, too
template <> Table<Account> table_of<Account>();
template <> Table<GrantCredits> table_of<GrantCredits>();
template <> Table<LedgerEntry> table_of<LedgerEntry>();  // clang-format on

// A batch of submissions: of baton::Batch, or of a type with the same members.
template <class B>
inline constexpr Row<B> kBatchRows[] = {
    always<&B::jobs>("jobs", kRequired),
    always<&B::atomic>("atomic"),
    always<&B::chain>("chain"),
};
template <>
Table<Batch> table_of<Batch>();

// ---- What a table alone does not say ----------------------------------------------------------

// The body of a worker's call whose kind and execution are in the path, and so in `out` already.
void read_call(RowInput& in, CallBody& out);
WorkCall call_of(CallBody body);
// The names that such a body may have.
std::vector<std::string_view> call_members(CallKind kind);
// One element of a batch's "ops": only the members that its kind has.
void write_value(RowOutput& out, const WorkCall& call);
// The members of the answer to a call of this kind, inside an object that is open.
void write_members(RowOutput& out, CallKind kind, const WorkAnswer& answer);
// Jobs by canonical state; a state without jobs is there, too.
void write_counts(base::JsonWriter& json, const std::vector<std::int64_t>& counts);

// ---- Whole messages ---------------------------------------------------------------------------

// The body of a request, read into `out`. bad_request, with the field's path, for what is not JSON,
// has another shape, lacks a member or has one that the shape does not.
template <class T>
Result<T> read_request(
    std::string_view body, T out = {},
    void (*read)(RowInput&, T&) = [](RowInput& in, T& value) { read_value(in, value); }) {
  json::Reader reader(body);
  RowInput in{reader, Message::kRequest};
  read(in, out);
  if (Status status = reader.finish(); !status) return status.error();
  return out;
}

// The end of an answer: its value, or store_unavailable, which says that it was not understood.
template <class T>
Result<T> finish_answer(json::Reader& reader, T value) {
  const Status status = reader.finish();
  if (status) return value;
  return Error{.code = Code::kStoreUnavailable,
               .message = "the server's answer is not understood: " + status.error().message};
}

template <class T>
Result<T> read_answer(std::string_view text) {
  json::Reader reader(text);
  RowInput in{reader, Message::kAnswer};
  T out{};
  read_value(in, out);
  return finish_answer(reader, std::move(out));
}

template <class T>
std::string request_text(const T& value) {
  std::string text;
  base::JsonWriter json(text);
  RowOutput out{json, Message::kRequest};
  write_value(out, value);
  return text;
}

// The value that comes next in an answer.
template <class T>
void write_answer(base::JsonWriter& json, const T& value, const JobForm& form = {}) {
  RowOutput out{json, Message::kAnswer, form};
  write_value(out, value);
}

}  // namespace baton::wire
