// Reads a JSON document that a stranger sent. The caller asks for what it expects; the first thing
// that is otherwise becomes the error, with the path of the field that is to blame, and from then
// on nothing more is read and every question is answered with nothing. So a decoder reads straight
// on and looks at the outcome once, at the end.
//
// The text is copied once, so that it may go while values are read. One thread; on each thread one
// Reader at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "baton/result.h"

namespace baton::json {

enum class Kind : std::uint8_t { kObject, kArray, kString, kNumber, kBoolean, kNull };

struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

struct RealRange {
  double min = 0;
  double max = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view text);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Calls `read(name)` for each member of the object at hand, with the member's value at hand. A
  // value that is not read is passed over. An error if it is no object.
  template <class F>
  void members(F read) {
    each_member(&read, [](void* f, std::string_view name) { (*static_cast<F*>(f))(name); });
  }
  // Calls `read()` for each element of the array at hand. An error if it is no array.
  template <class F>
  void elements(F read) {
    each_element(&read, [](void* f) { (*static_cast<F*>(f))(); });
  }

  Kind kind();
  bool is_null() { return kind() == Kind::kNull; }

  std::string string();
  std::int64_t integer();
  std::int64_t integer(IntegerRange range);
  double real();
  double real(RealRange range);
  bool boolean();
  // The value's own text, whatever it is, checked to be JSON.
  std::string raw();

  bool ok() const { return !error_; }
  // Refuses the value at hand: bad_request, with its path, which also begins the message ("must be
  // a string"). Only the first refusal counts.
  void refuse(std::string_view message);
  // Refuses the member `name` of the object at hand.
  void refuse_member(std::string_view name, std::string_view message);

  // The end: nothing may be left of the document.
  Status finish();

 private:
  struct Workspace;

  using MemberCall = void (*)(void*, std::string_view);
  using ElementCall = void (*)(void*);
  void each_member(void* read, MemberCall call);
  void each_element(void* read, ElementCall call);
  void begin();
  std::optional<std::int64_t> whole_number();
  std::optional<double> any_number();
  void malformed(std::string_view what);

  Workspace& space_;
  std::optional<Error> error_;
};

}  // namespace baton::json
