// Members that many shapes have, null when they are unset. Internal to the folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/time.h"
#include "lifecycle/states.h"
#include "store/ids.h"

namespace baton::api {

inline void write_text(base::JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  text.empty() ? json.null() : json.string(text);
}

inline void write_number(base::JsonWriter& json, std::string_view key, std::int64_t value) {
  json.key(key);
  json.number(value);
}

template <class Number>
void write_number(base::JsonWriter& json, std::string_view key, std::optional<Number> value) {
  json.key(key);
  value ? json.number(static_cast<std::int64_t>(*value)) : json.null();
}

inline void write_ms(base::JsonWriter& json, std::string_view key, std::optional<Duration> value) {
  json.key(key);
  value ? json.number(value->ms) : json.null();
}

inline void write_flag(base::JsonWriter& json, std::string_view key, bool value) {
  json.key(key);
  json.boolean(value);
}

inline void write_time(base::JsonWriter& json, std::string_view key, Time time) {
  json.key(key);
  time.is_set() ? json.string(base::format_time(time)) : json.null();
}

inline void write_id(base::JsonWriter& json, std::string_view key, const JobId& id) {
  json.key(key);
  id.is_nil() ? json.null() : json.string(to_string(id));
}

// The execution with this number of the job; null for number 0.
inline void write_execution_id(base::JsonWriter& json, std::string_view key,
                               const JobId& job, int attempt) {
  json.key(key);
  attempt < 1 ? json.null() : json.string(to_string(execution_id(job, attempt)));
}

// A backoff's table; null when it has none.
inline void write_table(base::JsonWriter& json, const std::vector<Duration>& table) {
  json.key("table_ms");
  if (table.empty()) return json.null();
  json.begin_array();
  for (const Duration entry : table)
    json.number(entry.ms);
  json.end_array();
}

// Of a job's terms, or of a queue's settings.
template <class Timeouts>
void write_timeouts(base::JsonWriter& json, const Timeouts& timeouts) {
  json.key("timeouts");
  json.begin_object();
  write_ms(json, "execution_ms", timeouts.execution);
  write_ms(json, "lease_ms", timeouts.lease);
  write_ms(json, "lifetime_ms", timeouts.lifetime);
  json.end_object();
}

template <class Enum>
void write_word(base::JsonWriter& json, std::string_view key, std::optional<Enum> value) {
  json.key(key);
  value ? json.string(name(*value)) : json.null();
}

}  // namespace baton::api
