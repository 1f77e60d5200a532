// Duration and Time in whole milliseconds, as strong types. Sums and products saturate instead of
// overflowing, so that no delay that a caller can name wraps around into the past. Time counts
// from the Unix epoch in UTC. This header reads no clock (see clock.h).
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace baton::base {

inline constexpr std::int64_t kMaxMs = std::numeric_limits<std::int64_t>::max();

// a + b, held at the ends of the range.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kMaxMs : std::numeric_limits<std::int64_t>::min();
}

struct Duration {
  std::int64_t ms = 0;

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return {saturating_add(a.ms, b.ms)};
  }
};

constexpr Duration milliseconds(std::int64_t count) { return {count}; }
constexpr Duration seconds(std::int64_t count) { return {count * 1000}; }
constexpr Duration minutes(std::int64_t count) { return seconds(count * 60); }
constexpr Duration hours(std::int64_t count) { return minutes(count * 60); }
constexpr Duration days(std::int64_t count) { return hours(count * 24); }

// A Time of zero means "not set": no job of ours was made in 1970.
struct Time {
  std::int64_t ms = 0;

  constexpr bool is_set() const { return ms != 0; }
  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time t, Duration d) { return {saturating_add(t.ms, d.ms)}; }
  friend constexpr Duration operator-(Time a, Time b) { return {saturating_add(a.ms, -b.ms)}; }
};

// RFC 3339 in UTC with milliseconds: "2030-01-02T03:04:05.006Z".
std::string format_time(Time time);
void append_time(std::string& out, Time time);

}  // namespace baton::base
