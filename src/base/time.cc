#include "base/time.h"

#include <cstdio>
#include <ctime>

namespace baton::base {

std::string format_time(Time time) {
  std::int64_t seconds = time.ms / 1000;
  std::int64_t millis = time.ms % 1000;
  if (millis < 0) {
    millis += 1000;
    --seconds;
  }
  const std::time_t whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[80];
  const int length =
      std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                    parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                    static_cast<int>(millis));
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace baton::base
