// Writes JSON by appending to a string it is lent. It places commas and escapes strings; the
// caller keeps objects and arrays paired. Output is compact; `pretty` output has one member a line
// and two spaces a level. It never fails and holds nothing but the nesting. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace baton::base {

class JsonWriter {
 public:
  enum class Layout { kCompact, kPretty };
  static constexpr std::size_t kMaxDepth = 64;  // of arrays and objects inside each other

  explicit JsonWriter(std::string& out, Layout layout = Layout::kCompact)
      : out_(out), pretty_(layout == Layout::kPretty) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // The name of the member whose value comes next.
  void key(std::string_view name);
  // The same for a name that needs no escapes, which is not looked at.
  void plain_key(std::string_view name);

  void string(std::string_view text);
  void number(std::int64_t value);
  void real(double value);
  void boolean(bool value);
  void null();
  // Appends bytes that are already JSON.
  void raw(std::string_view json);

  // A name and its value: a text, a whole number or a truth value.
  template <class Value>
  void member(std::string_view name, const Value& value) {
    key(name);
    if constexpr (std::is_same_v<Value, bool>) {
      boolean(value);
    } else if constexpr (std::is_integral_v<Value>) {
      number(static_cast<std::int64_t>(value));
    } else {
      string(value);
    }
  }

 private:
  void open(char bracket);
  void close(char bracket);
  void before_value();
  void new_line();
  void quote(std::string_view text);
  void escape(char c);

  std::string& out_;
  bool pretty_;
  bool after_key_ = false;
  std::size_t depth_ = 0;
  std::uint64_t has_members_ = 0;  // one bit a level of nesting
};

}  // namespace baton::base
