// What workers ask for and do.
#include <array>

#include "wire/bytes.h"
#include "wire/shapes.h"

namespace baton::wire {
namespace {

// ---- Claims

constexpr std::int64_t kMaxWaitMs = 60'000;
constexpr std::size_t kMaxNames = 100;

template <auto Names>
void read_names(RowInput& in, ClaimRequest& out) {
  read_value(in, out.*Names);
  if (in.json.ok() && (out.*Names).size() > kMaxNames) {
    in.json.refuse("must have at most " + std::to_string(kMaxNames) + " entries");
  }
}

void read_wait(RowInput& in, ClaimRequest& out) {
  out.wait = Duration(in.json.integer({0, kMaxWaitMs}));
}
void write_wait(RowOutput& out, std::string_view name, const ClaimRequest& claim) {
  if (claim.wait > Duration(0)) write_always<&ClaimRequest::wait>(out, name, claim);
}

constexpr Row<ClaimRequest> kClaim[] = {
    {"queues", read_names<&ClaimRequest::queues>, write_always<&ClaimRequest::queues>, kRequired},
    {"types", read_names<&ClaimRequest::types>, write_member<&ClaimRequest::types>},
    always<&ClaimRequest::max>("max"),
    always<&ClaimRequest::worker>("worker", kRequired),
    {"wait_ms", read_wait, write_wait},
    field<&ClaimRequest::lease>("lease_ms"),
    field<&ClaimRequest::max_lease>("max_lease_ms"),
};

void write_attempt(RowOutput& out, std::string_view name, const Claimed& claimed) {
  out.key(name);
  out.json.number(claimed.execution.attempt());
}
void write_previous(RowOutput& out, std::string_view name, const Claimed& claimed) {
  write_execution(out, name, claimed.execution.job(), claimed.execution.attempt() - 1);
}

// The result has three members, as that of a job.
void write_dependency_result(RowOutput& out, std::string_view, const DependencyResult& one) {
  write_result(out.json, one.result ? &*one.result : nullptr);
}
Outcome& result_of(DependencyResult& one) {
  return one.result ? *one.result : one.result.emplace();
}

constexpr Row<DependencyResult> kDependencyResult[] = {
    field<&DependencyResult::job>("job_id", kRequired),
    field<&DependencyResult::state>("state"),
    {"result", [](RowInput& in, DependencyResult& out) { result_of(out).bytes = in.json.raw(); },
     write_dependency_result},
    {"result_base64",
     [](RowInput& in, DependencyResult& out) { result_of(out).bytes = read_base64(in); }},
    {"result_content_type",
     [](RowInput& in, DependencyResult& out) { result_of(out).content_type = in.json.string(); }},
    field<&DependencyResult::result_bytes>("result_bytes"),
};

void check_dependency_result(RowInput&, DependencyResult& out, const Found&) {
  if (out.result) settle_null(out.result->bytes, out.result->content_type);
}

constexpr Row<Claimed> kClaimed[] = {
    field<&Claimed::execution>("execution_id", kRequired),
    field<&Claimed::token>("lease_token", kRequired),
    {"lease_version", nullptr, write_attempt},
    field<&Claimed::lease_expires_at>("lease_expires_at"),
    field<&Claimed::deadline_at>("deadline_at"),
    {"attempt", nullptr, write_attempt},
    {"previous_execution_id", nullptr, write_previous},
    field<&Claimed::job>("job"),
    always<&Claimed::dependency_results>("dependency_results"),
};

// A worker measures its lease from the moment of the claim.
void check_claimed(RowInput& in, Claimed& out, const Found&) {
  if (!out.job.started_at.is_set()) in.json.refuse_member("job.started_at", "is missing");
}

// ---- Calls

Outcome& result_of(CallBody& call) { return call.result ? *call.result : call.result.emplace(); }

// A word that is no call of a batch becomes one that no batch may have.
void read_op(RowInput& in, CallBody& out) {
  out.kind = parse<CallKind>(in.json.string()).value_or(CallKind::kAsset);
}

// An id that cannot be one is an execution that nobody has; the other calls are not touched.
void read_execution(RowInput& in, CallBody& out) {
  const std::string text = in.json.string();
  if (text.empty()) return in.json.refuse("is required");
  out.execution = parse_execution_id(text).value_or(ExecutionId{});
}

// A text that cannot be a token is one that nobody holds.
void read_token(RowInput& in, CallBody& out) {
  out.token = parse_lease_token(in.json.string()).value_or(LeaseToken{});
}

void write_mended(RowOutput& out, std::string_view name, const std::string& text) {
  out.key(name);
  out.json.string(as_utf8(text));
}

// check_call() moves it to where a heartbeat has it, whose kind may come later.
void read_message(RowInput& in, CallBody& out) { out.failure.message = in.json.string(); }
void write_message(RowOutput& out, std::string_view name, const CallBody& call) {
  if (call.kind != CallKind::kHeartbeat) return write_mended(out, name, call.failure.message);
  if (call.message) write_mended(out, name, *call.message);
}

template <auto Text>
void write_text(RowOutput& out, std::string_view name, const CallBody& call) {
  if (!(call.failure.*Text).empty()) write_mended(out, name, call.failure.*Text);
}

void write_checkpoint(RowOutput& out, std::string_view name, const CallBody& call) {
  if (!call.checkpoint) return;
  out.key(name);
  out.json.raw(checkpoint_to_json(*call.checkpoint));
}

void write_outcome(RowOutput& out, std::string_view, const CallBody& call) {
  if (call.result) {
    write_bytes(out, kResultNames, call.result->bytes, call.result->content_type);
  }
}

// Everything that any call may bring.
constexpr Row<CallBody> kCall[] = {
    {"op", read_op, write_always<&CallBody::kind>},
    {"execution_id", read_execution, write_always<&CallBody::execution>},
    {"lease_token", read_token, write_always<&CallBody::token>},
    field<&CallBody::execution_limit>("execution_ms"),
    {"progress",
     [](RowInput& in, CallBody& out) {
       out.progress = static_cast<int>(in.json.integer({0, 100}));
     },
     write_member<&CallBody::progress>},
    always<&CallBody::failure, &Failure::category>("category"),
    {"message", read_message, write_message},
    {"code", read_member<&CallBody::failure, &Failure::code>, write_text<&Failure::code>},
    {"cause", read_member<&CallBody::failure, &Failure::cause>, write_text<&Failure::cause>},
    field<&CallBody::retry_after>("retry_after_ms"),
    {"checkpoint", [](RowInput& in, CallBody& out) { out.checkpoint = in.json.raw(); },
     write_checkpoint, kNullIsAValue},
    {"result", [](RowInput& in, CallBody& out) { result_of(out).bytes = in.json.raw(); },
     write_outcome, kNullIsAValue},
    {"result_base64", [](RowInput& in, CallBody& out) { result_of(out).bytes = read_base64(in); }},
    {"result_content_type",
     [](RowInput& in, CallBody& out) { result_of(out).content_type = in.json.string(); }},
    field<&CallBody::spawn>("spawn"),
    always<&CallBody::spawn>("jobs"),
    {"reason", read_message, write_message},
    field<&CallBody::delay>("delay_ms"),
};

consteval std::size_t place(std::string_view name) { return place_of<CallBody>(kCall, name); }

// The members that a call may have beside its token.
constexpr std::string_view kStartNames[] = {"execution_ms"};
constexpr std::string_view kHeartbeatNames[] = {"progress", "message", "checkpoint"};
constexpr std::string_view kCommitNames[] = {"result", "result_base64", "result_content_type",
                                             "spawn"};
constexpr std::string_view kNackNames[] = {"category", "message", "code", "cause",
                                           "retry_after_ms"};
constexpr std::string_view kRejectNames[] = {"reason"};
constexpr std::string_view kReleaseNames[] = {"delay_ms", "reason"};
constexpr std::string_view kSpawnNames[] = {"jobs"};

struct Allowed {
  CallKind kind;
  std::span<const std::string_view> names;
};

constexpr Allowed kAllowed[] = {
    {CallKind::kStart, kStartNames},   {CallKind::kHeartbeat, kHeartbeatNames},
    {CallKind::kCommit, kCommitNames}, {CallKind::kDone, {}},
    {CallKind::kAck, kCommitNames},    {CallKind::kNack, kNackNames},
    {CallKind::kReject, kRejectNames}, {CallKind::kCancelled, {}},
    {CallKind::kSpawn, kSpawnNames},   {CallKind::kRelease, kReleaseNames},
};

// The same as places in kCall, a bit for each; 0 for what is no call of a batch.
using Places = std::array<std::uint32_t, kNames<CallKind>.size()>;
consteval Places places_of(std::span<const Allowed> rows) {
  Places places{};
  for (const Allowed& row : rows) {
    std::uint32_t bits = 1U << place("lease_token");
    for (const std::string_view name : row.names) {
      bits |= 1U << place(name);
    }
    places[static_cast<std::size_t>(row.kind)] = bits;
  }
  return places;
}
constexpr Places kAllowedPlaces = places_of(kAllowed);
constexpr std::uint32_t kInEveryOp = 1U << place("op") | 1U << place("execution_id");

std::uint32_t allowed_places(CallKind kind) {
  return kAllowedPlaces[static_cast<std::size_t>(kind)];
}

void check_allowed(RowInput& in, CallKind kind, std::uint32_t allowed, const Found& found) {
  for (std::size_t i = 0; i < std::size(kCall); ++i) {
    if (!found.named[i] || (allowed >> i & 1U) != 0) continue;
    return in.json.refuse_member(kCall[i].name,
                                 "is not a known field of " + std::string(name(kind)));
  }
}

void check_result(RowInput& in, CallBody& call, const Found& found) {
  const bool base64 = found.given[place("result_base64")];
  const bool type = found.given[place("result_content_type")];
  if (found.given[place("result")] && base64) {
    return in.json.refuse_member("result_base64", "excludes result");
  }
  if (base64 && !type) call.result->content_type = "application/octet-stream";
  if (type && !base64) in.json.refuse_member("result_content_type", "needs result_base64");
}

void check_call(RowInput& in, CallBody& call, const Found& found) {
  const auto need = [&](std::size_t row) {
    if (!found.given[row]) in.json.refuse_member(kCall[row].name, "is required");
  };
  need(place("lease_token"));
  if (call.kind == CallKind::kNack) need(place("category"));
  if (call.kind == CallKind::kSpawn) need(place("jobs"));
  if (call.kind == CallKind::kHeartbeat && found.given[place("message")]) {
    call.message = std::exchange(call.failure.message, {});
  }
  check_result(in, call, found);
}

void check_op(RowInput& in, CallBody& call, const Found& found) {
  if (!found.given[place("op")] || allowed_places(call.kind) == 0) {
    return in.json.refuse_member(
        "op",
        "must be one of start, heartbeat, commit, done, ack, nack, reject, cancelled, release, "
        "spawn");
  }
  check_allowed(in, call.kind, allowed_places(call.kind) | kInEveryOp, found);
  if (!in.json.ok()) return;
  check_call(in, call, found);
  if (!found.given[place("execution_id")]) in.json.refuse_member("execution_id", "is required");
}

AnyCall any_call(CallBody body) {
  switch (body.kind) {
    case CallKind::kStart:
      return StartCall{body.execution_limit};
    case CallKind::kHeartbeat:
      return HeartbeatCall{body.progress, std::move(body.message), std::move(body.checkpoint)};
    case CallKind::kCommit:
      return CommitCall{std::move(body.result), std::move(body.spawn)};
    case CallKind::kDone:
      return DoneCall{};
    case CallKind::kAck:
      return AckCall{std::move(body.result), std::move(body.spawn)};
    case CallKind::kNack:
      return NackCall{std::move(body.failure), body.retry_after};
    case CallKind::kReject:
      return RejectCall{std::move(body.failure.message)};
    case CallKind::kCancelled:
      return CancelledCall{};
    case CallKind::kSpawn:
      return SpawnCall{std::move(body.spawn)};
    case CallKind::kRelease:
      return ReleaseCall{body.delay, std::move(body.failure.message)};
    case CallKind::kAsset:
      break;
  }
  return AssetCall{};
}

// Puts what a call brings to where its row looks for it.
struct FillBody {
  CallBody& body;

  void operator()(const StartCall& call) const { body.execution_limit = call.execution_limit; }
  void operator()(const HeartbeatCall& call) const {
    body.progress = call.progress;
    body.message = call.message;
    body.checkpoint = call.checkpoint;
  }
  void operator()(const CommitCall& call) const { fill(call.result, call.spawn); }
  void operator()(const AckCall& call) const { fill(call.result, call.spawn); }
  void operator()(const NackCall& call) const {
    body.failure = call.failure;
    body.retry_after = call.retry_after;
  }
  void operator()(const RejectCall& call) const { body.failure.message = call.reason; }
  void operator()(const ReleaseCall& call) const {
    body.delay = call.delay;
    body.failure.message = call.reason;
  }
  void operator()(const SpawnCall& call) const { body.spawn = call.jobs; }
  void operator()(const DoneCall&) const {}
  void operator()(const CancelledCall&) const {}
  void operator()(const AssetCall&) const {}

  void fill(const std::optional<Outcome>& result, const Children& spawn) const {
    body.result = result;
    body.spawn = spawn;
  }
};

constexpr Row<Exchange> kExchange[] = {
    {"ops",
     [](RowInput& in, Exchange& out) {
       in.json.elements([&] {
         if (!has_room(in, out.calls.size())) return;
         CallBody body;
         read_value(in, body);
         out.calls.push_back(call_of(std::move(body)));
       });
     }},
    {"claim", read_member<&Exchange::claim>},
};

// ---- Answers to calls

constexpr Row<WorkAnswer> kAnswer[] = {
    field<&WorkAnswer::status>("status"),
    always<&WorkAnswer::state>("state"),
    always<&WorkAnswer::canonical_state>("canonical_state"),
    field<&WorkAnswer::lease_expires_at>("lease_expires_at"),
    field<&WorkAnswer::cancel_requested>("cancel_requested"),
    field<&WorkAnswer::staged>("staged"),
};
constexpr std::span<const Row<WorkAnswer>> kStatusRows(kAnswer, 3);
constexpr std::span<const Row<WorkAnswer>> kHeartbeatRows(kAnswer + 3, 2);
constexpr std::span<const Row<WorkAnswer>> kSpawnRows(kAnswer + 5, 1);

}  // namespace

WorkCall call_of(CallBody body) {
  WorkCall call{.execution = body.execution, .token = body.token};
  call.call = any_call(std::move(body));
  return call;
}

void read_call(RowInput& in, CallBody& out) {
  const Found found = read_rows<CallBody>(in, out, kCall);
  if (in.json.ok()) check_allowed(in, out.kind, allowed_places(out.kind), found);
  if (in.json.ok()) check_call(in, out, found);
}

std::vector<std::string_view> call_members(CallKind kind) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::size(kCall); ++i) {
    if ((allowed_places(kind) >> i & 1U) != 0) names.push_back(kCall[i].name);
  }
  return names;
}

// Only the members that its kind has.
void write_value(RowOutput& out, const WorkCall& call) {
  CallBody body{.kind = call.kind(), .execution = call.execution, .token = call.token};
  std::visit(FillBody{body}, call.call);
  const std::uint32_t places = allowed_places(body.kind) | kInEveryOp;
  out.json.begin_object();
  for (std::size_t i = 0; i < std::size(kCall); ++i) {
    if ((places >> i & 1U) != 0) write_row(out, kCall[i], body);
  }
  out.json.end_object();
}

void write_members(RowOutput& out, CallKind kind, const WorkAnswer& answer) {
  if (kind == CallKind::kHeartbeat) return write_rows(out, answer, kHeartbeatRows);
  if (kind == CallKind::kSpawn) return write_rows(out, answer, kSpawnRows);
  write_rows(out, answer, kStatusRows);
}

// clang-format off
template <> Table<ClaimRequest> table_of<ClaimRequest>() { return {kClaim}; }
template <> Table<DependencyResult> table_of<DependencyResult>() { return {kDependencyResult, check_dependency_result}; }
template <> Table<Claimed> table_of<Claimed>() { return {kClaimed, check_claimed}; }
template <> Table<CallBody> table_of<CallBody>() { return {kCall, check_op}; }
template <> Table<WorkAnswer> table_of<WorkAnswer>() { return {kAnswer}; }
template <> Table<Exchange> table_of<Exchange>() { return {kExchange}; }
// clang-format on

}  // namespace baton::wire
