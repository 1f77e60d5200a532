// Decoders as tables: which members an object may have, and where each goes; and values that many
// of them have. Pure but for the Reader they are lent.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "json/reader.h"

namespace baton::json {

template <class T>
struct Member {
  std::string_view name;
  void (*read)(Reader& reader, T& out);
  bool null_is_a_value = false;  // else null leaves the member unset
};

// What to do with a member that the table does not have: a request with one is refused, an answer
// may bring more than its reader knows.
enum class Unknown : std::uint8_t { kRefused, kIgnored };

// Reads the object at hand by a table of at most 64 members. Unknown members and members given
// twice are refused by name. Returns which were there, a bit for each row of the table.
template <class T>
std::uint64_t read_members(Reader& reader, T& out, std::span<const Member<T>> table,
                           Unknown unknown = Unknown::kRefused) {
  BATON_ASSERT(table.size() <= 64);
  std::uint64_t seen = 0;
  reader.members([&](std::string_view name) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Member<T>& member = table[i];
      if (member.name != name) continue;
      if ((seen >> i & 1U) != 0) return reader.refuse("is given twice");
      seen |= std::uint64_t{1} << i;
      if (!member.null_is_a_value && reader.is_null()) return;
      return member.read(reader, out);
    }
    if (unknown == Unknown::kRefused) reader.refuse("is not a known field");
  });
  return seen;
}

// Larger and smaller numbers become the ends of the range.
inline int read_int(Reader& reader) {
  return static_cast<int>(std::clamp<std::int64_t>(reader.integer(), INT_MIN, INT_MAX));
}

inline std::vector<std::string> read_strings(Reader& reader) {
  std::vector<std::string> strings;
  reader.elements([&] { strings.push_back(reader.string()); });
  return strings;
}

}  // namespace baton::json
