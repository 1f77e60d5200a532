// Ends a call from another thread, whatever the call waits for. The thread that wants the end fires
// it; the connection watches its token. Any thread.
#pragma once

#include <stop_token>

namespace baton::client {

class Interrupt {
 public:
  // Ends the call that is under way, or the next one.
  void fire() { source_.request_stop(); }
  bool fired() const { return source_.stop_requested(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

}  // namespace baton::client
