// One request and the answer to come: what a Responder and its connection share. The request and
// the bytes it points into are kept here until the answer is given. All members belong to the
// connection's thread, apart from those that say otherwise.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "http/mailbox.h"
#include "http/message.h"

namespace baton::http {

class Connection;

struct HttpExchange {
  Request request;
  std::shared_ptr<const void> bytes;  // what the request's views point into
  std::shared_ptr<Mailbox> mailbox;

  Connection* connection = nullptr;  // null once it is closed

  bool only_reads = false;  // GET or HEAD: asking again does no harm
  bool head_only = false;
  bool http_1_0 = false;
  bool keep_alive = true;

  enum class State : std::uint8_t { kOpen, kAnswered, kStreaming, kStreamEnded };
  State state = State::kOpen;
  bool head_sent = false;
  Response response;  // the answer, or a stream's head and the pieces that wait for their turn
  Share held;         // of the answers that all connections hold
  std::function<std::string()> source;  // of a stream that is asked for its pieces
  bool has_more = false;                // the source may have one

  // Any thread.
  std::atomic<int> responders{0};
  std::atomic<bool> gave_up{false};    // for want of memory; an answer that still comes is dropped
  std::atomic<bool> more_told{false};  // the connection knows that the source may have more
  std::shared_ptr<HttpExchange> next_abandoned;  // guarded by the mailbox
  std::atomic<bool> answered{false};
  std::atomic<bool> streaming{false};  // a stream has begun, and its end was not asked for
  std::atomic<bool> closed{false};
  std::mutex mutex;
  std::function<void()> on_closed;  // guarded by mutex
};

// The client is gone: marks the exchange and calls back, if anyone wants to know.
void tell_closed(HttpExchange& exchange);

}  // namespace baton::http
