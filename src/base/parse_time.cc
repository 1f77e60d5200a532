#include "base/parse_time.h"

#include <chrono>

namespace baton::base {
namespace {

// The last moment of the year 9999 in UTC. A later one could not be written again.
constexpr Time kLatest{253'402'300'799'999};

// Takes the text from its front.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  bool ended() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_letter(char upper) { return take(upper) || take(static_cast<char>(upper + 32)); }

  // Exactly so many digits, with a value of at most `max`.
  std::optional<int> number(std::size_t digits, int max) {
    if (text_.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char c = text_[i];
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(digits);
    return value <= max ? std::optional(value) : std::nullopt;
  }

  // The digits behind a decimal point, as milliseconds.
  std::optional<int> fraction_ms() {
    int ms = 0;
    int unit = 100;
    bool any = false;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
      ms += (text_.front() - '0') * unit;
      unit /= 10;
      any = true;
      text_.remove_prefix(1);
    }
    return any ? std::optional(ms) : std::nullopt;
  }

 private:
  std::string_view text_;
};

std::optional<std::int64_t> read_date_ms(Scan& scan) {
  const auto year = scan.number(4, 9999);
  if (!year || !scan.take('-')) return std::nullopt;
  const auto month = scan.number(2, 12);
  if (!month || !scan.take('-')) return std::nullopt;
  const auto day = scan.number(2, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1970) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * days(1).ms;
}

std::optional<std::int64_t> read_clock_ms(Scan& scan) {
  const auto hour = scan.number(2, 23);
  if (!hour || !scan.take(':')) return std::nullopt;
  const auto minute = scan.number(2, 59);
  if (!minute || !scan.take(':')) return std::nullopt;
  const auto second = scan.number(2, 59);
  if (!second) return std::nullopt;
  const auto fraction = scan.take('.') ? scan.fraction_ms() : 0;
  if (!fraction) return std::nullopt;
  return hours(*hour).ms + minutes(*minute).ms + seconds(*second).ms + *fraction;
}

// How far the clock is ahead of UTC.
std::optional<std::int64_t> read_offset_ms(Scan& scan) {
  if (scan.take_letter('Z')) return 0;
  const bool ahead = scan.take('+');
  if (!ahead && !scan.take('-')) return std::nullopt;
  const auto hour = scan.number(2, 23);
  if (!hour || !scan.take(':')) return std::nullopt;
  const auto minute = scan.number(2, 59);
  if (!minute) return std::nullopt;
  const std::int64_t ms = hours(*hour).ms + minutes(*minute).ms;
  return ahead ? ms : -ms;
}

}  // namespace

std::optional<Time> parse_time(std::string_view text) {
  Scan scan(text);
  const auto date = read_date_ms(scan);
  if (!date || !scan.take_letter('T')) return std::nullopt;
  const auto clock = read_clock_ms(scan);
  if (!clock) return std::nullopt;
  const auto offset = read_offset_ms(scan);
  if (!offset || !scan.ended()) return std::nullopt;
  const Time time{*date + *clock - *offset};
  return time >= Time{} && time <= kLatest ? std::optional(time) : std::nullopt;
}

}  // namespace baton::base
