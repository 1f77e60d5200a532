// Submissions as the server reads them. Only what is set is written, so that the server's defaults
// hold for the rest. Pure; any thread.
#pragma once

#include "base/json_writer.h"
#include "baton/job.h"

namespace baton::client {

// The submission as the value that comes next.
void write_submission(base::JsonWriter& json, const Submission& job);

void write_retry(base::JsonWriter& json, const Retry& retry);
void write_timeouts(base::JsonWriter& json, const Timeouts& timeouts);
void write_tags(base::JsonWriter& json, const Tags& tags);

// `bytes` as they are under `name` when they are JSON; else under `<name>_base64`, with their type
// under `type_name`.
struct BytesNames {
  std::string_view json;
  std::string_view base64;
  std::string_view type;
};
void write_bytes(base::JsonWriter& json, const BytesNames& names, const Outcome& content);

}  // namespace baton::client
