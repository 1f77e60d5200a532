// Ends a call from another thread, whatever it waits for. The call tells it which connection it
// uses at the moment. Any thread.
#pragma once

#include <sys/socket.h>

#include <mutex>

namespace baton::client {

class Interrupt {
 public:
  // Ends the call that is under way, or that comes.
  void fire() {
    const std::lock_guard lock(mutex_);
    fired_ = true;
    // The connection is still its owner's, who notices and closes it.
    if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_RDWR);
  }

  // The call uses this connection from now on, -1: none. False when it must end instead.
  bool watch(int descriptor) {
    const std::lock_guard lock(mutex_);
    descriptor_ = descriptor;
    return !fired_;
  }

  bool fired() const {
    const std::lock_guard lock(mutex_);
    return fired_;
  }

 private:
  mutable std::mutex mutex_;
  int descriptor_ = -1;
  bool fired_ = false;
};

}  // namespace baton::client
