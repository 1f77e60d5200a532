#include "json/flaw.h"

#include <bitset>

#include <simdjson.h>

#include "base/hex.h"

namespace baton::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Walks over the text once, without recursion. Each step returns false at a flaw.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::optional<Flaw> run() {
    if (!document()) return Flaw{at_, what_};
    return std::nullopt;
  }

 private:
  bool fail(std::string_view what) {
    what_ = what;
    return false;
  }
  bool ended() const { return at_ == text_.size(); }
  bool next_is(char c) const { return !ended() && text_[at_] == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  void space() {
    while (!ended() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool document() {
    space();
    if (!value()) return false;
    while (depth_ > 0) {
      if (!after_value()) return false;
    }
    space();
    return ended() || fail("there is something after the value");
  }

  // A scalar, or the beginning of an array or object up to its first scalar or its end.
  bool value() {
    while (true) {
      if (ended()) return fail("a value is missing");
      const char c = text_[at_];
      if (c != '{' && c != '[') return scalar(c);
      if (depth_ == kMaxNesting) return fail("it is nested too deeply");
      ++at_;
      in_object_[depth_++] = c == '{';
      space();
      if (take(c == '{' ? '}' : ']')) {
        --depth_;
        return true;
      }
      if (c == '{' && !name()) return false;
    }
  }

  // What follows a value inside an array or object.
  bool after_value() {
    const bool object = in_object_[depth_ - 1];
    space();
    if (take(object ? '}' : ']')) {
      --depth_;
      return true;
    }
    if (!take(',')) return fail(object ? "expected a comma or }" : "expected a comma or ]");
    space();
    if (object && !name()) return false;
    return value();
  }

  bool name() {
    if (!next_is('"')) return fail("expected a name in quotes");
    if (!string()) return false;
    space();
    if (!take(':')) return fail("expected a colon");
    space();
    return true;
  }

  bool scalar(char first) {
    switch (first) {
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return fail("expected a value");
    at_ += expected.size();
    return true;
  }

  bool digits() {
    if (ended() || !is_digit(text_[at_])) return fail("expected a digit");
    while (!ended() && is_digit(text_[at_]))
      ++at_;
    return true;
  }

  bool number() {
    const bool negative = take('-');
    if (!negative && (ended() || !is_digit(text_[at_]))) return fail("expected a value");
    if (!take('0') && !digits()) return false;
    if (!ended() && is_digit(text_[at_])) return fail("a number must not begin with a zero");
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  bool string() {
    ++at_;
    while (!ended()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a string");
      ++at_;
      if (c == '\\' && !escape()) return false;
    }
    return fail("a string does not end");
  }

  bool escape() {
    if (ended()) return fail("a string does not end");
    const char c = text_[at_++];
    if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) return true;
    if (c != 'u') {
      --at_;
      return fail("an unknown escape");
    }
    for (int i = 0; i < 4; ++i, ++at_) {
      if (ended() || base::hex_value(text_[at_]) < 0)
        return fail("expected four hexadecimal digits");
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::bitset<kMaxNesting> in_object_;
  std::string_view what_;
};

}  // namespace

std::optional<Flaw> find_flaw(std::string_view text) {
  if (!simdjson::validate_utf8(text.data(), text.size())) return Flaw{0, "it is not UTF-8"};
  return Walk(text).run();
}

}  // namespace baton::json
