// The classes of characters that HTTP's grammar is made of. Pure; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace baton::http {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// RFC 9110's tchar.
inline constexpr std::array<bool, 256> kTokens = [] {
  std::array<bool, 256> tokens{};
  for (int c = 0; c < 128; ++c)
    tokens.at(static_cast<std::size_t>(c)) =
        is_digit(static_cast<char>(c)) || is_letter(static_cast<char>(c));
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    tokens.at(static_cast<unsigned char>(c)) = true;
  return tokens;
}();
constexpr bool is_token(char c) { return kTokens[static_cast<unsigned char>(c)]; }
// What the value of a field may hold: tabs, spaces, visible ASCII and bytes beyond ASCII.
constexpr bool is_field_value(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}
constexpr bool is_visible(char c) { return c > 0x20 && c < 0x7F; }

// Whether every character is in a class. A template argument is inlined; a function would not be.
template <bool (*kIsIn)(char)>
constexpr bool all_are(std::string_view text) {
  for (const char c : text)
    if (!kIsIn(c)) return false;
  return true;
}

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return to_lower(x) == to_lower(y);
         });
}

// Without the spaces and tabs around it.
constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

}  // namespace baton::http
