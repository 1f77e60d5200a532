// Is a text JSON, as RFC 8259 says? For values that are kept as the bytes they came in: nothing is
// converted, so a number may be as large as it likes. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace baton::json {

// Arrays and objects inside each other; the RFC leaves the limit to us.
inline constexpr std::size_t kMaxNesting = 512;

struct Flaw {
  std::size_t at = 0;     // the byte where it shows
  std::string_view what;  // for a person; a literal
};

// The first thing that keeps `text` from being one JSON value, or nothing.
std::optional<Flaw> find_flaw(std::string_view text);

}  // namespace baton::json
