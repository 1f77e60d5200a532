#include "base/json_writer.h"

#include <array>
#include <charconv>
#include <cstring>

#include "base/assert.h"
#include "base/hex.h"

namespace baton::base {
namespace {

constexpr std::array<bool, 256> make_escaped() {
  std::array<bool, 256> escaped{};
  for (std::size_t i = 0; i < 0x20; ++i)
    escaped[i] = true;
  escaped['"'] = true;
  escaped['\\'] = true;
  return escaped;
}

constexpr std::array<bool, 256> kEscaped = make_escaped();

// Whether one of eight characters is to be escaped: below a space, a quote or a backslash.
bool any_escaped(std::uint64_t eight) {
  constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kHighBits = kEach * 0x80;
  const std::uint64_t quotes = eight ^ (kEach * '"');
  const std::uint64_t backslashes = eight ^ (kEach * '\\');
  const std::uint64_t below_space = (eight - kEach * ' ') & ~eight;
  const std::uint64_t zero = ((quotes - kEach) & ~quotes) | ((backslashes - kEach) & ~backslashes);
  return ((below_space | zero) & kHighBits) != 0;
}

// How many characters at the front need no escape, counted in eights.
std::size_t words_without_escape(std::string_view text) {
  std::size_t count = 0;
  for (; count + 8 <= text.size(); count += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + count, sizeof eight);
    if (any_escaped(eight)) break;
  }
  return count;
}

}  // namespace

void JsonWriter::key(std::string_view name) {
  before_value();
  quote(name);
  out_ += pretty_ ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::plain_key(std::string_view name) {
  before_value();
  out_.push_back('"');
  out_ += name;
  out_ += pretty_ ? "\": " : "\":";
  after_key_ = true;
}

void JsonWriter::string(std::string_view text) {
  before_value();
  quote(text);
}

void JsonWriter::number(std::int64_t value) {
  before_value();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
}

void JsonWriter::real(double value) {
  before_value();
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
}

void JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
}

void JsonWriter::null() {
  before_value();
  out_ += "null";
}

void JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
}

void JsonWriter::open(char bracket) {
  before_value();
  out_.push_back(bracket);
  BATON_ASSERT(depth_ < kMaxDepth);
  has_members_ &= ~(std::uint64_t{1} << depth_);
  ++depth_;
}

void JsonWriter::close(char bracket) {
  BATON_ASSERT(depth_ > 0);
  --depth_;
  if ((has_members_ >> depth_ & 1U) != 0) new_line();
  out_.push_back(bracket);
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  const std::uint64_t level = std::uint64_t{1} << (depth_ - 1);
  if ((has_members_ & level) != 0) out_.push_back(',');
  has_members_ |= level;
  new_line();
}

void JsonWriter::new_line() {
  if (!pretty_) return;
  out_.push_back('\n');
  out_.append(depth_ * 2, ' ');
}

void JsonWriter::quote(std::string_view text) {
  out_.push_back('"');
  // Most texts have nothing to escape, and are copied as they are.
  std::size_t copied = 0;
  for (std::size_t i = words_without_escape(text); i < text.size(); ++i) {
    if (!kEscaped[static_cast<unsigned char>(text[i])]) continue;
    out_.append(text, copied, i - copied);
    escape(text[i]);
    copied = i + 1;
  }
  out_.append(text, copied);
  out_.push_back('"');
}

void JsonWriter::escape(char c) {
  if (c == '"' || c == '\\') {
    out_.push_back('\\');
    out_.push_back(c);
    return;
  }
  out_ += "\\u00";
  append_hex(out_, static_cast<std::uint8_t>(c));
}

}  // namespace baton::base
