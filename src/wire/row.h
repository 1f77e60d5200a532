// A shape of the wire as a table of rows, one for each member of a JSON object, and the loops that
// read and write by such a table. A row is `field<&Retry::initial>("initial_ms")`: the type of the
// C++ member picks the codec (codec.h). A member with needs of its own has a row with its own pair
// of functions; a row without a reader is only written, one without a writer only read.
//
// The server reads requests and writes answers, a client does the opposite, all by the same table.
// Pure but for the reader or writer that is lent; any thread.
#pragma once

#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/json_writer.h"
#include "base/member_path.h"
#include "baton/job.h"
#include "json/reader.h"

namespace baton::wire {

// A request is read strictly, so that no misspelt member is lost, and written with only what is
// set, so that the server's defaults hold. An answer may bring members that its reader does not
// know, and has every member that its writer knows, null when it is unset.
enum class Message : std::uint8_t { kRequest, kAnswer };

struct RowInput {
  json::Reader& json;
  Message message;

  bool is_request() const { return message == Message::kRequest; }
};

// The parts of a job that can be large.
struct Parts {
  bool payload = true;
  bool result = true;
  bool checkpoint = true;
};
inline constexpr Parts kNoParts{false, false, false};

// How an answer shows a job.
struct JobForm {
  Parts parts = {};
  bool brief = false;         // free texts are null: at most about 3 KB beside the parts
  std::string_view ref = {};  // what a batch called the job; a store keeps no such names
};

struct RowOutput {
  base::JsonWriter& json;
  Message message;
  JobForm form = {};
  JobId job = {};            // whose history this is
  std::string scratch = {};  // room for a text on its way, so that not every value allocates

  bool is_request() const { return message == Message::kRequest; }
  // The name of the member whose value comes next.
  void key(std::string_view name) { json.plain_key(name); }
};

enum Flags : std::uint8_t {
  kPlain = 0,
  kRequired = 1,      // refused without it
  kNullIsAValue = 2,  // its reader is called for null, too, which else leaves the member unset
  kFreeText = 4,      // null in the brief form
  kPayloadPart = 8,   // left out of answers without this part of the job
  kResultPart = 16,
  kCheckpointPart = 32,
};
constexpr Flags operator|(Flags a, Flags b) {
  return static_cast<Flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

template <class T>
struct Row {
  std::string_view name;
  void (*read)(RowInput& in, T& out) = nullptr;
  // Writes the name and the value, or nothing.
  void (*write)(RowOutput& out, std::string_view name, const T& object) = nullptr;
  Flags flags = kPlain;
};

// Which rows of a table an object had, by their places in it.
inline constexpr std::size_t kMaxRows = 96;
using RowSet = std::bitset<kMaxRows>;
struct Found {
  RowSet named;  // the member was there
  RowSet given;  // and had a value
};

template <class T>
struct Table {
  std::span<const Row<T>> rows;
  // What can be said only of all members together. Not called after a refusal.
  void (*check)(RowInput& in, T& out, const Found& found) = nullptr;
};

// The table of a shape; shapes.h declares them all.
template <class T>
Table<T> table_of() = delete;
template <class T>
concept Shape = requires {
  table_of<T>();
};

// The place of a row, found by the compiler.
template <class T>
consteval std::size_t place_of(std::span<const Row<T>> rows, std::string_view name) {
  std::size_t place = 0;
  while (rows[place].name != name)
    ++place;
  return place;
}

// ---- Reading and writing by a table -----------------------------------------------------------

// Writers of JSON keep an order, so the next member is looked for behind the last one first.
template <class T>
std::size_t find_row(std::span<const Row<T>> rows, std::string_view name, std::size_t start) {
  for (std::size_t i = start; i < rows.size(); ++i) {
    if (rows[i].name == name) return i;
  }
  for (std::size_t i = 0; i < start; ++i) {
    if (rows[i].name == name) return i;
  }
  return rows.size();
}

// For the members of an answer that a table does not have.
struct PassOver {
  void operator()(std::string_view) const {}
};

// Reads the object at hand. `other(name)` is called for a member of an answer that no row reads,
// and that is not null, with its value at hand.
template <class T, class Other = PassOver>
Found read_rows(RowInput& in, T& out, std::span<const Row<T>> rows, Other other = {}) {
  BATON_ASSERT(rows.size() <= kMaxRows);
  Found found;
  std::size_t next = 0;
  in.json.members([&](std::string_view name) {
    const std::size_t i = find_row(rows, name, next);
    if (i == rows.size() || rows[i].read == nullptr) {
      if (in.is_request()) return in.json.refuse("is not a known field");
      if constexpr (!std::same_as<Other, PassOver>) {
        if (!in.json.is_null()) other(name);
      }
      return;
    }
    next = i + 1;
    if (found.named[i]) return in.json.refuse("is given twice");
    found.named[i] = true;
    if ((rows[i].flags & kNullIsAValue) == 0 && in.json.is_null()) return;
    found.given[i] = true;
    rows[i].read(in, out);
  });
  for (std::size_t i = 0; i < rows.size() && in.json.ok(); ++i) {
    if ((rows[i].flags & kRequired) == 0 || found.given[i]) continue;
    in.json.refuse_member(rows[i].name, in.is_request() ? "is required" : "is missing");
  }
  return found;
}

inline bool is_left_out(const Parts& parts, Flags flags) {
  return ((flags & kPayloadPart) != 0 && !parts.payload) ||
         ((flags & kResultPart) != 0 && !parts.result) ||
         ((flags & kCheckpointPart) != 0 && !parts.checkpoint);
}

template <class T>
void write_row(RowOutput& out, const Row<T>& row, const T& object) {
  if (row.write == nullptr || is_left_out(out.form.parts, row.flags)) return;
  if ((row.flags & kFreeText) != 0 && out.form.brief) {
    out.key(row.name);
    return out.json.null();
  }
  row.write(out, row.name, object);
}

template <class T>
void write_rows(RowOutput& out, const T& object, std::span<const Row<T>> rows) {
  for (const Row<T>& row : rows)
    write_row(out, row, object);
}

template <Shape T>
void read_value(RowInput& in, T& out) {
  const Table<T> table = table_of<T>();
  const Found found = read_rows(in, out, table.rows);
  if (table.check != nullptr && in.json.ok()) table.check(in, out, found);
}

template <Shape T>
void write_value(RowOutput& out, const T& value) {
  out.json.begin_object();
  write_rows(out, value, table_of<T>().rows);
  out.json.end_object();
}

// ---- Rows for members -------------------------------------------------------------------------

using base::member_of;
using base::member_to_fill;
using base::ObjectOf;
using base::own;

template <auto... Path>
void read_member(RowInput& in, ObjectOf<Path...>& out) {
  read_value(in, member_to_fill<Path...>(out));
}

template <auto... Path>
void write_always(RowOutput& out, std::string_view name, const ObjectOf<Path...>& object) {
  out.key(name);
  write_value(out, member_of<Path...>(object));
}

// Whether a request may leave the member out: it still is what the server takes it for.
template <auto... Path>
bool has_default(const ObjectOf<Path...>& object) {
  const auto& value = member_of<Path...>(object);
  if constexpr (std::equality_comparable<std::remove_cvref_t<decltype(value)>>) {
    static const ObjectOf<Path...> kDefault = {};
    return value == member_of<Path...>(kDefault);
  } else {
    return false;
  }
}

// What is null in an answer.
template <class T>
bool is_unset(const T& value) {
  if constexpr (Named<T>) {
    return name(value).empty();
  } else if constexpr (std::same_as<T, Idempotency>) {
    return value == Idempotency::kByProfile;
  } else if constexpr (std::same_as<T, std::string>) {
    return value.empty();
  } else if constexpr (requires { value.is_nil(); }) {
    return value.is_nil();
  } else if constexpr (requires { value.is_set(); }) {
    return !value.is_set();
  } else if constexpr (requires { value.has_value(); }) {
    return !value.has_value() || is_unset(*value);
  } else {
    return false;
  }
}

template <auto... Path>
void write_member(RowOutput& out, std::string_view name, const ObjectOf<Path...>& object) {
  if (out.is_request()) {
    if (has_default<Path...>(object)) return;
  } else if (is_unset(member_of<Path...>(object))) {
    out.key(name);
    return out.json.null();
  }
  write_always<Path...>(out, name, object);
}

// A member of the shape's type; of a member of that, by a longer path, also through a
// shared_ptr<const …>.
template <auto... Path>
constexpr Row<ObjectOf<Path...>> field(std::string_view name, Flags flags = kPlain) {
  return {name, read_member<Path...>, write_member<Path...>, flags};
}

// A member that requests have even if it is as by default, and that is never null in answers.
template <auto... Path>
constexpr Row<ObjectOf<Path...>> always(std::string_view name, Flags flags = kPlain) {
  return {name, read_member<Path...>, write_always<Path...>, flags};
}

// A member that is only written.
template <auto... Path>
constexpr Row<ObjectOf<Path...>> written(std::string_view name, Flags flags = kPlain) {
  return {name, nullptr, write_member<Path...>, flags};
}

}  // namespace baton::wire
