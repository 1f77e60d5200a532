// Result<T>: either a value or an Error. Functions that can refuse return one; no exception
// leaves a module. Reading the value of a refused result is a bug and asserts. A Result is as
// thread-safe as the value in it.
#pragma once

#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/error.h"

namespace baton::base {

template <class T>
class [[nodiscard]] Result {
 public:
  // Both conversions are implicit so that a function can say `return value;` or `return Error{…};`.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    BATON_ASSERT(ok());
    return std::get<0>(state_);
  }
  T& value() & {
    BATON_ASSERT(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    BATON_ASSERT(ok());
    return std::get<0>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const {
    BATON_ASSERT(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// The result of something that has no value to give.
struct Ok {
  friend bool operator==(Ok, Ok) = default;
};
using Status = Result<Ok>;

}  // namespace baton::base
