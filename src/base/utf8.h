// Characters of UTF-8 (RFC 3629) in bytes. Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace baton::base {

// How many bytes the character at the front has, 1 to 4; 0 when none begins there: bytes that do
// not belong together, a character that is longer than need be, half of a surrogate pair, or one
// beyond the last code point. Also 0 for an empty text.
std::size_t character_size(std::string_view text);

// Whether the byte is one of a character but not its first.
constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// How many characters a text has: its bytes that do not continue one.
std::size_t character_count(std::string_view text);

}  // namespace baton::base
