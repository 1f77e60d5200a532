#include "cli/times.h"

#include <algorithm>
#include <charconv>

#include "base/clock.h"
#include "base/parse_time.h"
#include "cli/output.h"

namespace baton::cli {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};

// The largest first; "ms" before "m", which it begins with.
constexpr Unit kUnits[] = {
    {"d", 86'400'000}, {"h", 3'600'000}, {"ms", 1}, {"m", 60'000}, {"s", 1000}};

constexpr std::int64_t kMostMs = std::int64_t{100} * 365 * 86'400'000;

std::optional<Duration> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  bool bare = true;
  while (!text.empty()) {
    std::int64_t count = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
    if (end.ec != std::errc() || count < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
    const Unit* unit = nullptr;
    for (const Unit& each : kUnits) {
      if (unit == nullptr && text.starts_with(each.name)) unit = &each;
    }
    if (unit == nullptr && !(text.empty() && bare)) return std::nullopt;
    const std::int64_t factor = unit == nullptr ? 1000 : unit->ms;
    if (count > kMostMs / factor) return std::nullopt;
    total = std::min(total + count * factor, kMostMs);
    if (unit != nullptr) text.remove_prefix(unit->name.size());
    bare = false;
  }
  return Duration(total);
}

bool wrong(const char* option, const std::string& wanted) {
  complain(std::string(option) + " must be a " + wanted);
  return false;
}

}  // namespace

bool take_duration(const char* option, std::string_view text, std::optional<Duration>& into,
                   const char* like) {
  if (text.empty()) return true;
  into = parse_duration(text);
  return into || wrong(option, std::string("duration like ") + like);
}

bool take_moment(const char* option, std::string_view text, Time& into) {
  if (text.empty()) return true;
  const auto time = base::parse_time(text);
  if (!time) return wrong(option, "time like 2030-01-02T03:04:05Z");
  into = *time;
  return true;
}

std::string duration_text(Duration duration) {
  const std::int64_t ms = std::max<std::int64_t>(duration.ms, 0);
  if (ms < 1000) return std::to_string(ms) + "ms";
  if (ms < 60'000) return std::to_string(ms / 1000) + "s";
  if (ms < 3'600'000) return std::to_string(ms / 60'000) + "m";
  if (ms < 172'800'000) return std::to_string(ms / 3'600'000) + "h";
  return std::to_string(ms / 86'400'000) + "d";
}

std::string moment_text(Time time) {
  if (!time.is_set()) return {};
  std::string text = base::format_time(time);
  // "2030-01-02T03:04:05.006Z": people want no fractions.
  text.resize(std::min<std::size_t>(text.size(), 19));
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string age(Time time) {
  const std::int64_t now = base::SystemClock().wall().ms;
  return duration_text(Duration(now - time.ms));
}

}  // namespace baton::cli
