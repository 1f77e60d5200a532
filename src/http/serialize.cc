#include "http/serialize.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "base/assert.h"
#include "http/ascii.h"

namespace baton::http {
namespace {

void append_number(std::string& out, std::size_t number, int base = 10) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

void append_clean(std::string& out, std::string_view value) {
  const std::size_t begin = out.size();
  out += value;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return !is_field_value(c); }, ' ');
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  append_clean(out, name);
  out += ": ";
  append_clean(out, value);
  out += "\r\n";
}

std::string date_line(std::int64_t second) {
  using namespace std::chrono;
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_seconds time{seconds(second)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 64> text;
  const int size = std::snprintf(
      text.data(), text.size(), "Date: %s, %02u %s %04d %02d:%02d:%02d GMT\r\n",
      kDays.at(weekday(day).c_encoding()), static_cast<unsigned>(date.day()),
      kMonths.at(static_cast<unsigned>(date.month()) - 1), static_cast<int>(date.year()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

void DateLine::set(Time now) {
  const std::int64_t second = now.ms / 1000;
  if (second == second_) return;
  second_ = second;
  line_ = date_line(second);
}

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

void append_head(std::string& out, const Response& response, const HeadOptions& options) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(response.status));
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  out += options.date_line;
  if (!response.content_type.empty()) append_field(out, "Content-Type", response.content_type);
  for (const Field& field : response.fields)
    append_field(out, field.name, field.value);
  if (has_body(response.status)) {
    if (options.framing == Framing::kLength) {
      out += "Content-Length: ";
      append_number(out, response.body.size());
      out += "\r\n";
    } else if (options.framing == Framing::kChunks) {
      out += "Transfer-Encoding: chunked\r\n";
    }
  }
  if (!options.keep_alive) {
    out += "Connection: close\r\n";
  } else if (options.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

void append_chunk(std::string& out, std::string_view bytes) {
  BATON_ASSERT(!bytes.empty());
  append_number(out, bytes.size(), 16);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
}

}  // namespace baton::http
