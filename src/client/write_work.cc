#include "client/write_work.h"

#include <algorithm>

#include "base/utf8.h"
#include "client/read_job.h"
#include "client/write_submission.h"
#include "json/flaw.h"

namespace baton::client {
namespace {

using base::JsonWriter;

void write_mended(JsonWriter& json, std::string_view key, const std::string& text) {
  if (text.empty()) return;
  json.key(key);
  json.string(as_utf8(text));
}

void write_heartbeat(JsonWriter& json, const WorkCall& call) {
  if (call.progress) {
    json.key("progress");
    json.number(*call.progress);
  }
  if (call.message) {
    json.key("message");
    json.string(as_utf8(*call.message));
  }
  if (call.checkpoint) {
    json.key("checkpoint");
    json.raw(checkpoint_to_json(*call.checkpoint));
  }
}

void write_spawn(JsonWriter& json, std::string_view key, const std::vector<Submission>& jobs) {
  json.key(key);
  json.begin_array();
  for (const Submission& job : jobs)
    write_submission(json, job);
  json.end_array();
}

void write_commit(JsonWriter& json, const WorkCall& call) {
  if (call.result) {
    write_bytes(json, {"result", "result_base64", "result_content_type"}, *call.result);
  }
  if (!call.spawn.empty()) write_spawn(json, "spawn", call.spawn);
}

void write_nack(JsonWriter& json, const WorkCall& call) {
  json.key("category");
  json.string(name(call.failure.category));
  json.key("message");
  json.string(as_utf8(call.failure.message));
  write_mended(json, "code", call.failure.code);
  write_mended(json, "cause", call.failure.cause);
  if (call.retry_after) {
    json.key("retry_after_ms");
    json.number(call.retry_after->ms);
  }
}

// What the call has besides its execution and token.
void write_members(JsonWriter& json, const WorkCall& call) {
  switch (call.kind) {
    case CallKind::kStart:
      if (!call.execution_limit) return;
      json.key("execution_ms");
      return json.number(call.execution_limit->ms);
    case CallKind::kHeartbeat:
      return write_heartbeat(json, call);
    case CallKind::kCommit:
    case CallKind::kAck:
      return write_commit(json, call);
    case CallKind::kNack:
      return write_nack(json, call);
    case CallKind::kReject:
      json.key("reason");
      return json.string(as_utf8(call.failure.message));
    case CallKind::kSpawn:
      return write_spawn(json, "jobs", call.spawn);
    case CallKind::kDone:
    case CallKind::kCancelled:
    case CallKind::kAsset:  // has a request of its own
      return;
  }
}

}  // namespace

std::string as_utf8(const std::string& text) {
  std::string mended;
  mended.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = base::character_size(std::string_view(text).substr(at));
    if (length == 0) {
      mended += "\xEF\xBF\xBD";
    } else {
      mended.append(text, at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return mended;
}

Result<std::string> op_of(const WorkCall& call) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("op");
  json.string(name(call.kind));
  json.key("execution_id");
  json.string(call.execution_id);
  json.key("lease_token");
  json.string(call.lease_token);
  write_members(json, call);
  json.end_object();
  if (const auto flaw = json::find_flaw(text)) {
    return Error{.code = Code::kInvalidJob,
                 .message = "the call cannot be sent: " + std::string(flaw->what)};
  }
  return text;
}

void write_claim(JsonWriter& json, const ClaimRequest& claim) {
  const auto strings = [&](std::string_view key, const std::vector<std::string>& all) {
    json.key(key);
    json.begin_array();
    for (const std::string& each : all)
      json.string(each);
    json.end_array();
  };
  json.begin_object();
  strings("queues", claim.queues);
  if (!claim.types.empty()) strings("types", claim.types);
  json.key("max");
  json.number(claim.max);
  json.key("worker");
  json.string(claim.worker);
  if (claim.wait > Duration(0)) {
    json.key("wait_ms");
    json.number(claim.wait.ms);
  }
  if (claim.lease) {
    json.key("lease_ms");
    json.number(claim.lease->ms);
  }
  json.end_object();
}

}  // namespace baton::client
