#include "base/utf8.h"

#include <algorithm>

namespace baton::base {
namespace {

struct Row {
  unsigned char first_min, first_max, second_min, second_max;
  std::size_t size;
};

// The table of RFC 3629, section 4. Bytes after the second are any that continue a character.
constexpr Row kRows[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

}  // namespace

std::size_t character_size(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  for (const Row& row : kRows) {
    if (first < row.first_min || first > row.first_max) continue;
    if (text.size() < row.size) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    if (second < row.second_min || second > row.second_max) return 0;
    const std::string_view rest = text.substr(2, row.size - 2);
    return std::all_of(rest.begin(), rest.end(), continues_character) ? row.size : 0;
  }
  return 0;
}

std::size_t character_count(std::string_view text) {
  const auto continuing = std::count_if(text.begin(), text.end(), continues_character);
  return text.size() - static_cast<std::size_t>(continuing);
}

}  // namespace baton::base
