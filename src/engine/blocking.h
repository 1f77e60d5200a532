// Turns a call with a completion into one that blocks. Blocking inside a completion would wait for
// the very thread that has to answer; that is a bug of the caller and stops the process with a
// sentence, instead of hanging it.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "baton/result.h"

namespace baton::engine {

// While one of these lives, this thread is inside a completion.
class InCompletion {
 public:
  InCompletion() : before_(std::exchange(outside, false)) {}
  ~InCompletion() { outside = before_; }
  InCompletion(const InCompletion&) = delete;
  InCompletion& operator=(const InCompletion&) = delete;

  static bool here() { return !outside; }

 private:
  // Not the other way round: where all thread-local variables begin as zero, mold 1.10 makes
  // programs that, depending on their layout, cannot be loaded.
  static inline thread_local bool outside = true;
  bool before_;
};

// Prints what was done wrong and aborts.
[[noreturn]] void blocked_in_completion();

// `call` hands the completion that it is given to a verb: await<Job>([&](auto done) {…}).
template <class Answer, class Call>
Result<Answer> await(Call&& call) {
  if (InCompletion::here()) blocked_in_completion();
  auto promise = std::make_shared<std::promise<Result<Answer>>>();
  std::future<Result<Answer>> future = promise->get_future();
  std::forward<Call>(call)(
      [promise](Result<Answer> answer) { promise->set_value(std::move(answer)); });
  return future.get();
}

// Calls a completion of the embedding program.
template <class Answer>
void complete(const Completion<Answer>& done, Result<Answer> answer) {
  const InCompletion inside;
  done(std::move(answer));
}

}  // namespace baton::engine
