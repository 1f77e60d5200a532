// Reads moments that were written for people and programs alike. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace baton::base {

// RFC 3339, from the year 1970 to the year 9999 in UTC: "2030-01-02T03:04:05Z", with a fraction of
// any length (what is below a millisecond is dropped) and with an offset in place of the Z. nullopt
// for anything else.
std::optional<Time> parse_time(std::string_view text);

}  // namespace baton::base
