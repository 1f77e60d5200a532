// Jobs and what belongs to them, read from the server's JSON. The value at hand is read; an answer
// as a whole is in answers.h. Pure but for the Reader they are lent.
#pragma once

#include "baton/job.h"
#include "json/reader.h"

namespace baton::client {

void read_job(json::Reader& reader, Job& out);
void read_history_entry(json::Reader& reader, HistoryEntry& out);
void read_execution(json::Reader& reader, Execution& out);
void read_explanation(json::Reader& reader, Explanation& out);
void read_retry(json::Reader& reader, Retry& out);
void read_timeouts(json::Reader& reader, Timeouts& out);

// Checkpoints are bytes here and JSON there. Bytes that are no JSON travel as {"base64":"…"}.
std::string checkpoint_from_json(std::string json);
std::string checkpoint_to_json(const std::string& bytes);

}  // namespace baton::client
