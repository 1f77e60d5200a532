#include <algorithm>
#include <array>

#include "api/decode.h"
#include "api/decode_parts.h"
#include "base/base64.h"

namespace baton::api {
namespace {

// ---- Claims

struct ClaimReading {
  ClaimBody body;
  bool queues = false;
  bool worker = false;
};

constexpr std::int64_t kMaxWaitMs = 60'000;
constexpr std::size_t kMaxNames = 100;

void limit_names(Reader& reader, const std::vector<std::string>& names) {
  if (reader.ok() && names.size() > kMaxNames) {
    reader.refuse("must have at most " + std::to_string(kMaxNames) + " entries");
  }
}

constexpr Member<ClaimReading> kClaim[] = {
    {"queues",
     [](Reader& r, ClaimReading& out) {
       out.queues = true;
       out.body.request.queues = read_strings(r);
       limit_names(r, out.body.request.queues);
     }},
    {"types",
     [](Reader& r, ClaimReading& out) {
       out.body.request.types = read_strings(r);
       limit_names(r, out.body.request.types);
     }},
    {"max", [](Reader& r, ClaimReading& out) { out.body.request.max = read_int(r); }},
    {"worker",
     [](Reader& r, ClaimReading& out) {
       out.worker = true;
       out.body.request.worker = r.string();
     }},
    {"wait_ms",
     [](Reader& r, ClaimReading& out) {
       out.body.wait = base::milliseconds(r.integer({0, kMaxWaitMs}));
     }},
    {"lease_ms", [](Reader& r, ClaimReading& out) { out.body.request.lease = read_ms(r); }},
};

ClaimBody read_claim(Reader& reader) {
  ClaimReading reading;
  json::read_members<ClaimReading>(reader, reading, kClaim);
  if (reader.ok() && !reading.queues) reader.refuse_member("queues", "is required");
  if (reader.ok() && !reading.worker) reader.refuse_member("worker", "is required");
  return std::move(reading.body);
}

// ---- Calls

// Everything that any call may bring.
struct CallReading {
  WorkCall call;
  std::string op;            // in a batch
  std::string execution_id;  // in a batch
  std::string message;
  bool token = false;
  bool has_message = false;
  bool result = false;
  bool result_base64 = false;
  bool result_type = false;
  bool category = false;
  bool jobs = false;
};

Outcome& result_of(CallReading& reading) {
  if (!reading.call.result) reading.call.result.emplace();
  return *reading.call.result;
}

void read_token(Reader& reader, CallReading& out) {
  out.token = true;
  // A text that cannot be a token is one that nobody holds.
  out.call.token = parse_lease_token(reader.string()).value_or(LeaseToken{});
}

void read_result_base64(Reader& reader, CallReading& out) {
  out.result_base64 = true;
  auto bytes = base::decode_base64(reader.string());
  if (!bytes) return reader.refuse("must be base64, with padding");
  result_of(out).bytes = std::move(*bytes);
}

void read_message(Reader& reader, CallReading& out) {
  out.has_message = true;
  out.message = reader.string();
}

constexpr Member<CallReading> kCall[] = {
    {"op", [](Reader& r, CallReading& out) { out.op = r.string(); }},
    {"execution_id", [](Reader& r, CallReading& out) { out.execution_id = r.string(); }},
    {"lease_token", read_token},
    {"execution_ms", [](Reader& r, CallReading& out) { out.call.execution_limit = read_ms(r); }},
    {"progress",
     [](Reader& r, CallReading& out) {
       out.call.progress = static_cast<int>(r.integer({0, 100}));
     }},
    {"message", read_message},
    {"checkpoint", [](Reader& r, CallReading& out) { out.call.checkpoint = r.raw(); }, true},
    {"result",
     [](Reader& r, CallReading& out) {
       out.result = true;
       result_of(out).bytes = r.raw();
     },
     true},
    {"result_base64", read_result_base64},
    {"result_content_type",
     [](Reader& r, CallReading& out) {
       out.result_type = true;
       result_of(out).content_type = r.string();
     }},
    {"spawn", [](Reader& r, CallReading& out) { out.call.spawn = read_submissions(r); }},
    {"jobs",
     [](Reader& r, CallReading& out) {
       out.jobs = true;
       out.call.spawn = read_submissions(r);
     }},
    {"category",
     [](Reader& r, CallReading& out) {
       out.category = true;
       out.call.failure.category = read_word<FailureCategory>(r);
     }},
    {"code", [](Reader& r, CallReading& out) { out.call.failure.code = r.string(); }},
    {"cause", [](Reader& r, CallReading& out) { out.call.failure.cause = r.string(); }},
    {"retry_after_ms", [](Reader& r, CallReading& out) { out.call.retry_after = read_ms(r); }},
    {"reason", read_message},
};

// The members that a call may have beside its token.
struct Allowed {
  CallKind kind;
  std::array<std::string_view, 5> names;
};

constexpr Allowed kAllowed[] = {
    {CallKind::kStart, {"execution_ms"}},
    {CallKind::kHeartbeat, {"progress", "message", "checkpoint"}},
    {CallKind::kCommit, {"result", "result_base64", "result_content_type", "spawn"}},
    {CallKind::kDone, {}},
    {CallKind::kAck, {"result", "result_base64", "result_content_type", "spawn"}},
    {CallKind::kNack, {"category", "message", "code", "cause", "retry_after_ms"}},
    {CallKind::kReject, {"reason"}},
    {CallKind::kCancelled, {}},
    {CallKind::kSpawn, {"jobs"}},
};

const Allowed* allowed_for(CallKind kind) {
  const auto* row = std::find_if(std::begin(kAllowed), std::end(kAllowed),
                                 [&](const Allowed& one) { return one.kind == kind; });
  return row == std::end(kAllowed) ? nullptr : row;
}

constexpr std::string_view kInEvery[] = {"lease_token"};
constexpr std::string_view kInEveryOp[] = {"lease_token", "op", "execution_id"};

// Refuses a member that this kind of call does not have.
void check_allowed(Reader& reader, std::uint64_t seen, const Allowed& allowed,
                   std::span<const std::string_view> in_every) {
  for (std::size_t i = 0; i < std::size(kCall); ++i) {
    const std::string_view member = kCall[i].name;
    if ((seen >> i & 1U) == 0) continue;
    if (std::find(in_every.begin(), in_every.end(), member) != in_every.end()) continue;
    if (std::find(allowed.names.begin(), allowed.names.end(), member) != allowed.names.end())
      continue;
    return reader.refuse_member(member,
                                "is not a known field of " + std::string(name(allowed.kind)));
  }
}

void check_result(Reader& reader, CallReading& reading) {
  if (reading.result && reading.result_base64) {
    return reader.refuse_member("result_base64", "excludes result");
  }
  if (reading.result_base64 && !reading.result_type) {
    result_of(reading).content_type = "application/octet-stream";
  }
  if (reading.result_type && !reading.result_base64) {
    return reader.refuse_member("result_content_type", "needs result_base64");
  }
}

// What can be said only of all members together.
void check_together(Reader& reader, CallReading& reading) {
  if (!reader.ok()) return;
  WorkCall& call = reading.call;
  if (!reading.token) return reader.refuse_member("lease_token", "is required");
  if (call.kind == CallKind::kNack && !reading.category) {
    return reader.refuse_member("category", "is required");
  }
  if (call.kind == CallKind::kSpawn && !reading.jobs) {
    return reader.refuse_member("jobs", "is required");
  }
  if (call.kind == CallKind::kHeartbeat) {
    if (reading.has_message) call.message = std::move(reading.message);
  } else {
    call.failure.message = std::move(reading.message);
  }
  check_result(reader, reading);
}

// One element of `ops`.
void read_op(Reader& reader, std::vector<WorkCall>& out) {
  CallReading reading;
  const std::uint64_t seen = json::read_members<CallReading>(reader, reading, kCall);
  if (!reader.ok()) return;
  const auto kind = parse<CallKind>(reading.op);
  const Allowed* allowed = kind ? allowed_for(*kind) : nullptr;
  if (allowed == nullptr) {
    return reader.refuse_member(
        "op", "must be one of start, heartbeat, commit, done, ack, nack, reject, cancelled, spawn");
  }
  reading.call.kind = *kind;
  check_allowed(reader, seen, *allowed, kInEveryOp);
  check_together(reader, reading);
  if (reading.execution_id.empty()) return reader.refuse_member("execution_id", "is required");
  // An id that cannot be one is an execution that nobody has; the other calls are not touched.
  reading.call.execution =
      parse_execution_id(reading.execution_id).value_or(ExecutionId{});
  out.push_back(std::move(reading.call));
}

constexpr Member<WorkBatch> kWorkBatch[] = {
    {"ops",
     [](Reader& r, WorkBatch& out) {
       r.elements([&] {
         if (out.calls.size() == lifecycle::kMaxBatch) {
           return r.refuse("is more than the " + std::to_string(lifecycle::kMaxBatch) +
                           " that one call may bring");
         }
         read_op(r, out.calls);
       });
     }},
    {"claim", [](Reader& r, WorkBatch& out) { out.claim = read_claim(r); }},
};

}  // namespace

Result<ClaimBody> decode_claim(std::string_view body) {
  Reader reader(body);
  ClaimBody claim = read_claim(reader);
  if (const Status status = reader.finish(); !status) return status.error();
  return claim;
}

Result<WorkCall> decode_work_call(std::string_view body, CallKind kind,
                                         const ExecutionId& execution) {
  CallReading reading;
  reading.call.kind = kind;
  reading.call.execution = execution;
  Reader reader(body);
  const std::uint64_t seen = json::read_members<CallReading>(reader, reading, kCall);
  check_allowed(reader, seen, *allowed_for(kind), kInEvery);
  check_together(reader, reading);
  if (const Status status = reader.finish(); !status) return status.error();
  return std::move(reading.call);
}

Result<WorkBatch> decode_work_batch(std::string_view body) {
  return read_document<WorkBatch>(body, kWorkBatch);
}

}  // namespace baton::api
