// The signals that end a program in good order, SIGTERM and SIGINT. They are blocked in the thread
// that makes the object and in those that it starts from then on; one thread waits for them.
#pragma once

#include <pthread.h>

#include <chrono>
#include <csignal>

namespace baton::cli {

class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  void wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
  }

  // True when one came within the time.
  bool wait(std::chrono::milliseconds time) const {
    const timespec limit{time.count() / 1000, (time.count() % 1000) * 1'000'000};
    return sigtimedwait(&signals_, nullptr, &limit) > 0;
  }

 private:
  sigset_t signals_{};
};

}  // namespace baton::cli
