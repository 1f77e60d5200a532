#include "base/json_writer.h"

#include <charconv>

#include "base/assert.h"

namespace baton::base {

void JsonWriter::key(std::string_view name) {
  before_value();
  quote(name);
  out_ += pretty_ ? ": " : ":";
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
  has_members_.push_back(false);
}

void JsonWriter::close(char bracket) {
  BATON_ASSERT(!has_members_.empty());
  const bool had_members = has_members_.back();
  has_members_.pop_back();
  if (had_members) new_line();
  out_.push_back(bracket);
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_members_.empty()) return;
  if (has_members_.back()) out_.push_back(',');
  has_members_.back() = true;
  new_line();
}

void JsonWriter::new_line() {
  if (!pretty_) return;
  out_.push_back('\n');
  out_.append(has_members_.size() * 2, ' ');
}

void JsonWriter::quote(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out_.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_.push_back('\\');
      out_.push_back(c);
    } else if (byte < 0x20) {
      out_ += "\\u00";
      out_.push_back(kHex[byte >> 4]);
      out_.push_back(kHex[byte & 0x0F]);
    } else {
      out_.push_back(c);
    }
  }
  out_.push_back('"');
}

}  // namespace baton::base
