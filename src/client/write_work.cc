#include "client/write_work.h"

#include <cstdint>

#include "client/read_job.h"
#include "client/write_submission.h"
#include "json/flaw.h"

namespace baton::client {
namespace {

using base::JsonWriter;

unsigned char byte_at(const std::string& text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the character that begins here, 0 when there is none: the table of RFC 3629.
std::size_t character_at(const std::string& text, std::size_t at) {
  struct Utf8Row {
    unsigned char first_min, first_max, second_min, second_max;
    std::size_t length;
  };
  static constexpr Utf8Row kRows[] = {
      {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
      {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
      {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
  };
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return 1;
  for (const Utf8Row& row : kRows) {
    if (first < row.first_min || first > row.first_max) continue;
    const unsigned char second = byte_at(text, at + 1);
    if (second < row.second_min || second > row.second_max) return 0;
    for (std::size_t i = 2; i < row.length; ++i) {
      if ((byte_at(text, at + i) & 0xC0U) != 0x80U) return 0;
    }
    return row.length;
  }
  return 0;
}

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
    const std::size_t length = character_at(text, at);
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
