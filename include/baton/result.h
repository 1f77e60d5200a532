// What a call gives back: a value, or an Error that says why not. Codes are stable and the same in
// the library, over HTTP and on the command line; messages are for people and may change. Nothing
// here starts a thread; a Result is as thread-safe as the value in it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "baton/time.h"
#include "baton/words.h"

namespace baton {

struct Error {
  Code code = Code::kBadRequest;
  std::string message = {};
  std::string field = {};  // the part of the request that is to blame; empty when no single one is
  Duration retry_after{};  // how long to wait before asking again; zero when unknown

  friend bool operator==(const Error&, const Error&) = default;
};

// "stale_lease: the lease is over", for logs and people.
inline std::string to_string(const Error& error) {
  return std::string(name(error.code)) + ": " + error.message;
}

// Thrown by Result::value() when there is none. The library itself throws nothing else.
class Refused : public std::runtime_error {
 public:
  explicit Refused(Error error) : std::runtime_error(to_string(error)), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  // Both are implicit, so that a function can say `return value;` or `return Error{…};`.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // The value; throws Refused when there is an error instead.
  const T& value() const& { return std::get<0>(checked(*this).state_); }
  T& value() & { return std::get<0>(checked(*this).state_); }
  T&& value() && { return std::get<0>(std::move(checked(*this).state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  // The error; throws std::bad_variant_access when there is a value instead.
  const Error& error() const { return std::get<1>(state_); }

 private:
  template <class Self>
  static Self& checked(Self& self) {
    if (!self.ok()) throw Refused(self.error());
    return self;
  }

  std::variant<T, Error> state_;
};

// The result of something that has no value to give.
struct Ok {
  friend bool operator==(Ok, Ok) = default;
};
using Status = Result<Ok>;

// Called exactly once with the answer to an asynchronous call, on a thread of the library or before
// the call returns. It must be quick, must not throw, and must not make a blocking call.
template <class T>
using Completion = std::function<void(Result<T>)>;

}  // namespace baton
