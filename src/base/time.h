// Lengths of time by their units, and times as text. Duration and Time themselves are in
// baton/time.h. This header reads no clock (see clock.h).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "baton/time.h"

namespace baton::base {

inline constexpr std::int64_t kMaxMs = std::numeric_limits<std::int64_t>::max();

constexpr Duration milliseconds(std::int64_t count) { return Duration(count); }
constexpr Duration seconds(std::int64_t count) { return Duration(count * 1000); }
constexpr Duration minutes(std::int64_t count) { return seconds(count * 60); }
constexpr Duration hours(std::int64_t count) { return minutes(count * 60); }
constexpr Duration days(std::int64_t count) { return hours(count * 24); }

// RFC 3339 in UTC with milliseconds: "2030-01-02T03:04:05.006Z".
std::string format_time(Time time);
void append_time(std::string& out, Time time);

}  // namespace baton::base
