// Turns an asynchronous verb of a store into a blocking one. An answer that does not come within a
// generous time ends the test with a sentence instead of hanging it; a second answer to the same
// call fails the test too.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "store/store.h"

namespace baton::store::conformance {

inline constexpr std::chrono::seconds kPatience{60};

// Thrown when a test cannot go on; GoogleTest shows the sentence.
struct CannotGoOn : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class Answer>
class Awaited {
 public:
  Done<Answer> done() {
    return [state = state_](Result<Answer> answer) {
      if (state->calls.fetch_add(1) == 0) {
        state->promise.set_value(std::move(answer));
      } else {
        ADD_FAILURE() << "a call was answered twice";
      }
    };
  }

  Result<Answer> get(const std::string& verb) {
    std::future<Result<Answer>> future = state_->promise.get_future();
    if (future.wait_for(kPatience) == std::future_status::ready) return future.get();
    throw CannotGoOn("the store did not answer to " + verb + " within " +
                     std::to_string(kPatience.count()) + " seconds");
  }

 private:
  struct State {
    std::promise<Result<Answer>> promise;
    std::atomic<int> calls{0};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// `call` hands the completion it is given to a verb: await<Stats>("stats", [&](auto done) {…}).
template <class Answer, class Call>
Result<Answer> await(const std::string& verb, Call&& call) {
  Awaited<Answer> awaited;
  std::forward<Call>(call)(awaited.done());
  return awaited.get(verb);
}

}  // namespace baton::store::conformance
