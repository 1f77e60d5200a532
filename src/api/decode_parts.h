// The pieces that several decoders share. Internal to the folder.
#pragma once

#include <string>

#include "json/members.h"
#include "json/reader.h"
#include "baton/queue.h"

namespace baton::api {

using json::Member;
using json::read_int;  // no limit allows the ends of its range
using json::read_strings;
using json::Reader;

inline Duration read_ms(Reader& reader) { return base::milliseconds(reader.integer()); }
Time read_time(Reader& reader);
Priority read_priority(Reader& reader);
std::vector<std::pair<std::string, std::string>> read_tags(Reader& reader);
void read_retry(Reader& reader, Retry& out);
void read_timeouts(Reader& reader, Timeouts& out);
void read_submission(Reader& reader, Submission& out);
std::vector<std::shared_ptr<const Submission>> read_submissions(Reader& reader);

// One of the words of an enum.
template <class Enum>
Enum read_word(Reader& reader) {
  const std::string text = reader.string();
  if (const auto value = parse<Enum>(text)) return *value;
  std::string words;
  for (const std::string_view word : kNames<Enum>) {
    if (word.empty()) continue;
    if (!words.empty()) words += ", ";
    words += word;
  }
  reader.refuse("must be one of " + words);
  return Enum{};
}

// Reads the whole document by a table.
template <class T>
Result<T> read_document(std::string_view text, std::span<const Member<T>> table, T out = {}) {
  Reader reader(text);
  json::read_members<T>(reader, out, table);
  if (Status status = reader.finish(); !status) return status.error();
  return out;
}

Error missing(const std::string& field);

}  // namespace baton::api
