// How single values look on the wire: numbers, texts, words, durations in milliseconds, times as in
// RFC 3339, ids, lists, tags. `read_value` reads the value at hand, `write_value` writes the value
// that comes next. Pure but for the reader or writer that is lent; any thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baton/ids.h"
#include "baton/job.h"
#include "wire/row.h"

namespace baton::wire {

// More than a store takes are not compared with each other, which would take long.
inline constexpr std::size_t kMaxComparedTags = 64;

// ---- Reading

void read_value(RowInput& in, bool& out);
void read_value(RowInput& in, int& out);  // larger and smaller numbers become the ends of the range
void read_value(RowInput& in, std::int64_t& out);
void read_value(RowInput& in, std::size_t& out);
void read_value(RowInput& in, double& out);
void read_value(RowInput& in, std::string& out);
void read_value(RowInput& in, Duration& out);
void read_value(RowInput& in, Time& out);
void read_value(RowInput& in, JobId& out);
void read_value(RowInput& in, ExecutionId& out);
void read_value(RowInput& in, LeaseToken& out);
void read_value(RowInput& in, Tags& out);
void read_value(RowInput& in, Priority& out);     // requests may have its number, too
void read_value(RowInput& in, Idempotency& out);  // by the profile is no word, but unset
void read_value(RowInput& in, std::vector<Dependency>& out);  // one may stand without the array
// At most kMaxBatch.
void read_value(RowInput& in, std::vector<std::shared_ptr<const Submission>>& out);

// Bytes in base64.
std::string read_base64(RowInput& in);

// Refuses a word that is none of `words`.
void refuse_word(RowInput& in, std::span<const std::string_view> words);
// Refuses the element at hand when a list has kMaxBatch already.
bool has_room(RowInput& in, std::size_t size);

template <Named Enum>
void read_value(RowInput& in, Enum& out) {
  const auto value = parse<Enum>(in.json.string());
  value ? void(out = *value) : refuse_word(in, kNames<Enum>);
}

template <class T>
void read_value(RowInput& in, std::optional<T>& out) {
  read_value(in, out.emplace());
}

template <class T>
void read_value(RowInput& in, std::vector<T>& out) {
  in.json.elements([&] { read_value(in, out.emplace_back()); });
}

template <class T>
void read_value(RowInput& in, std::shared_ptr<const T>& out) {
  read_value(in, own(out));
}

// ---- Writing

inline void write_value(RowOutput& out, bool value) { out.json.boolean(value); }
inline void write_value(RowOutput& out, int value) { out.json.number(value); }
inline void write_value(RowOutput& out, std::int64_t value) { out.json.number(value); }
inline void write_value(RowOutput& out, std::size_t value) {
  out.json.number(static_cast<std::int64_t>(value));
}
inline void write_value(RowOutput& out, double value) { out.json.real(value); }
inline void write_value(RowOutput& out, std::string_view value) { out.json.string(value); }
inline void write_value(RowOutput& out, const std::string& value) { out.json.string(value); }
inline void write_value(RowOutput& out, Duration value) { out.json.number(value.ms); }
void write_value(RowOutput& out, Time value);
void write_value(RowOutput& out, const JobId& value);
void write_value(RowOutput& out, const ExecutionId& value);
void write_value(RowOutput& out, const LeaseToken& value);
void write_value(RowOutput& out, const Tags& value);
void write_value(RowOutput& out, Idempotency value);

// The member `name`: the execution of the job with this number, null for number 0.
void write_execution(RowOutput& out, std::string_view name, const JobId& job, int attempt);

template <Named Enum>
void write_value(RowOutput& out, Enum value) {
  out.json.string(name(value));
}

template <class T>
void write_value(RowOutput& out, const std::optional<T>& value) {
  write_value(out, *value);
}

template <class T>
void write_value(RowOutput& out, const std::vector<T>& value) {
  out.json.begin_array();
  for (const T& each : value)
    write_value(out, each);
  out.json.end_array();
}

template <class T>
void write_value(RowOutput& out, const std::shared_ptr<const T>& value) {
  write_value(out, *value);
}

}  // namespace baton::wire
