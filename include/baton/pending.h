// The answer of a call that is already under way. Block for it with get(), or hand it to a callback
// with then(); drop it, and the call goes on while its answer is forgotten. One of the two, once. A
// Pending is moved, never copied; one thread at a time may use it, and it may outlive whatever it
// came from: an engine or client that is closed answers every call first.
//
//   baton::Job job = engine->get(id).get().value();
//   engine->get(id).then([](baton::Result<baton::Job> job) { … });
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "baton/result.h"

namespace baton {

namespace pending {

// While one of these lives, this thread is inside a completion.
class InCompletion {
 public:
  InCompletion();
  ~InCompletion();
  InCompletion(const InCompletion&) = delete;
  InCompletion& operator=(const InCompletion&) = delete;

 private:
  bool before_;
};

// Blocking inside a completion would wait for the very thread that has to answer: stops the process
// with a sentence instead of hanging it.
void check_may_block();
// A Pending was used twice: stops the process with a sentence.
[[noreturn]] void used_twice();

// What both ends of a call share. It is made with two references, one for each end.
template <class T>
class State {
 public:
  void answer(Result<T> value) {
    answer_.emplace(std::move(value));
    if (stage_.exchange(kAnswered, std::memory_order_acq_rel) == kHasCompletion) {
      complete();
    } else {
      stage_.notify_one();
    }
    release();
  }

  Result<T> wait() {
    check_may_block();
    stage_.wait(kOpen, std::memory_order_acquire);
    return *std::move(answer_);
  }

  void then(Completion<T> done) {
    done_ = std::move(done);
    int open = kOpen;
    if (!stage_.compare_exchange_strong(open, kHasCompletion, std::memory_order_acq_rel)) {
      complete();
    }
  }

  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  enum Stage : int { kOpen, kHasCompletion, kAnswered };

  void complete() {
    const InCompletion inside;
    done_(*std::move(answer_));
  }

  std::atomic<int> stage_{kOpen};
  std::atomic<int> references_{2};
  std::optional<Result<T>> answer_;  // set before kAnswered, and not touched by its setter after it
  Completion<T> done_;               // set before kHasCompletion
};

// The end that answers: a Completion that must be called exactly once, from any thread. A plain
// pointer, so that a std::function holds it without an allocation of its own.
template <class T>
class Answering {
 public:
  explicit Answering(State<T>* state) : state_(state) {}
  void operator()(Result<T> value) const { state_->answer(std::move(value)); }

 private:
  State<T>* state_;
};

}  // namespace pending

template <class T>
class [[nodiscard]] Pending {
 public:
  // For whoever implements a call: hands `start` the Completion that answers it.
  template <class Start>
  static Pending begun(Start&& start) {
    auto* state = new pending::State<T>;
    Pending made(state);
    std::forward<Start>(start)(Completion<T>(pending::Answering<T>(state)));
    return made;
  }

  Pending(Pending&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Pending& operator=(Pending&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Pending() {
    if (state_ != nullptr) state_->release();
  }

  // Waits for the answer. Not inside a completion: that is a bug, which stops the process.
  Result<T> get() {
    const Pending taken = take();
    return taken.state_->wait();
  }

  // Calls `done` with the answer: here and now if it is there already, else on a thread of the
  // engine or client (see Completion).
  void then(Completion<T> done) {
    const Pending taken = take();
    taken.state_->then(std::move(done));
  }

 private:
  explicit Pending(pending::State<T>* state) : state_(state) {}
  Pending take() {
    if (state_ == nullptr) pending::used_twice();
    return std::move(*this);
  }

  pending::State<T>* state_;
};

}  // namespace baton
