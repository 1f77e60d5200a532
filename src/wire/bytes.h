// Bytes with a content type: payloads, results and checkpoints. JSON travels as it is, kept as the
// text it came in; other bytes travel as base64 under a name of their own. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "baton/job.h"
#include "wire/row.h"

namespace baton::wire {

inline constexpr std::string_view kJson = "application/json";

struct BytesNames {
  std::string_view json;
  std::string_view base64;
  std::string_view type;
};
inline constexpr BytesNames kPayloadNames{"payload", "payload_base64", "content_type"};
inline constexpr BytesNames kResultNames{"result", "result_base64", "result_content_type"};

// In an answer both names are there, and at most one of them is not null: a program with the engine
// inside may have stored anything. A request has one of them, with the type behind base64.
void write_bytes(RowOutput& out, const BytesNames& names, std::string_view bytes,
                 std::string_view content_type);

// All three members of a job's result, null when there is none, inside an object that is open.
void write_result(base::JsonWriter& json, const Outcome* result);

// Bytes came as JSON or as base64, and `bytes` is empty: both were null. Then there are none,
// unless they are JSON, which then is null itself.
void settle_null(std::string& bytes, std::string_view content_type);

// Checkpoints are bytes for a worker and JSON for the server. Bytes that are no JSON travel as
// {"base64":"…"}.
std::string checkpoint_from_json(std::string json);
std::string checkpoint_to_json(const std::string& bytes);

// The text with U+FFFD in place of what is not UTF-8.
std::string as_utf8(std::string_view text);

}  // namespace baton::wire
