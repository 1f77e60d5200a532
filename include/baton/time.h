// Durations and times in whole milliseconds. Sums and differences saturate instead of overflowing,
// so that no delay that a caller can name wraps around into the past. What std::chrono has is taken
// as it is: `.delay = 5s`.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace baton {

// a + b, held at the ends of the range.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

struct Duration {
  std::int64_t ms = 0;

  constexpr Duration() = default;
  constexpr explicit Duration(std::int64_t milliseconds) : ms(milliseconds) {}
  template <class Rep, class Period>
  constexpr Duration(std::chrono::duration<Rep, Period> duration)
      : ms(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) {}

  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }
  constexpr std::chrono::milliseconds chrono() const { return std::chrono::milliseconds(ms); }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Duration(saturating_add(a.ms, b.ms));
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(saturating_add(a.ms, -b.ms));
  }
  friend constexpr Duration operator/(Duration a, std::int64_t by) { return Duration(a.ms / by); }
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
};

// Counted from the Unix epoch, UTC. Zero means "not set": no job was made in 1970.
struct Time {
  std::int64_t ms = 0;

  constexpr Time() = default;
  constexpr explicit Time(std::int64_t milliseconds) : ms(milliseconds) {}
  template <class Period>
  constexpr Time(std::chrono::time_point<std::chrono::system_clock, Period> time)
      : ms(Duration(time.time_since_epoch()).ms) {}

  constexpr bool is_set() const { return ms != 0; }
  constexpr std::chrono::sys_time<std::chrono::milliseconds> chrono() const {
    return std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms));
  }

  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time time, Duration duration) {
    return Time(saturating_add(time.ms, duration.ms));
  }
  friend constexpr Duration operator-(Time a, Time b) {
    return Duration(saturating_add(a.ms, -b.ms));
  }
};

}  // namespace baton
