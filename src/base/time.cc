#include "base/time.h"

#include <algorithm>
#include <chrono>

namespace baton::base {
namespace {

// What fits into four digits of a year; others are shown as the nearest that does.
constexpr Time kFirst{-62'167'219'200'000};
constexpr Time kLast{253'402'300'799'999};

// At least `width` digits.
void append_number(std::string& out, std::int64_t value, std::size_t width) {
  char digits[20];
  std::size_t count = 0;
  for (; value > 0 || count < width; value /= 10) {
    digits[count++] = static_cast<char>('0' + value % 10);
  }
  while (count > 0)
    out += digits[--count];
}

}  // namespace

void append_time(std::string& out, Time time) {
  const std::chrono::sys_time<std::chrono::milliseconds> point{
      std::chrono::milliseconds(std::clamp(time, kFirst, kLast).ms)};
  const auto midnight = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date(midnight);
  const std::int64_t ms = (point - midnight).count();
  append_number(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_number(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_number(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_number(out, ms / hours(1).ms, 2);
  out += ':';
  append_number(out, ms / minutes(1).ms % 60, 2);
  out += ':';
  append_number(out, ms / seconds(1).ms % 60, 2);
  out += '.';
  append_number(out, ms % 1000, 3);
  out += 'Z';
}

std::string format_time(Time time) {
  std::string text;
  text.reserve(24);
  append_time(text, time);
  return text;
}

}  // namespace baton::base
