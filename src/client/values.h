// Small values in answers of the server, which several readers share. Pure but for the Reader they
// are lent.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse_time.h"
#include "baton/result.h"
#include "baton/words.h"
#include "json/members.h"
#include "json/reader.h"

namespace baton::client {

using json::Member;
using json::read_int;
using json::read_strings;
using json::Reader;

inline Duration read_ms(Reader& reader) { return Duration(reader.integer()); }

inline Time read_time(Reader& reader) {
  const auto time = base::parse_time(reader.string());
  if (!time) reader.refuse("must be a time");
  return time.value_or(Time{});
}

template <class Enum>
Enum read_word(Reader& reader) {
  const auto value = parse<Enum>(reader.string());
  if (!value) reader.refuse("is a word that this client does not know");
  return value.value_or(Enum{});
}

// An answer may have more members than a client knows.
template <class T>
void read_known(Reader& reader, T& out, std::span<const Member<T>> table) {
  json::read_members<T>(reader, out, table, json::Unknown::kIgnored);
}

// Refuses an object without the member by which it is known for what it should be.
inline void need(Reader& reader, std::string_view name, bool there) {
  if (reader.ok() && !there) reader.refuse_member(name, "is missing");
}

// The end of an answer: its value, or that it was not understood.
template <class T>
Result<T> finish(Reader& reader, T value) {
  const Status status = reader.finish();
  if (status) return value;
  return Error{.code = Code::kStoreUnavailable,
               .message = "the server's answer is not understood: " + status.error().message};
}

// Reads a whole answer that is an object.
template <class T>
Result<T> read_answer(std::string_view text, std::span<const Member<T>> table) {
  Reader reader(text);
  T out{};
  read_known<T>(reader, out, table);
  return finish(reader, std::move(out));
}

// An array that is the member `name` of an answer; whatever else the answer has is passed over.
template <class T, class ReadOne>
std::vector<T> read_list(Reader& reader, ReadOne read_one) {
  std::vector<T> list;
  reader.elements([&] { read_one(reader, list.emplace_back()); });
  return list;
}

}  // namespace baton::client
