// How answers that other threads give come to the thread of a connection. All connections of one
// thread share a Mailbox; a burst of answers wakes the thread once, and each connection then writes
// once. It outlives the server for as long as anyone holds a Responder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http/budget.h"
#include "http/message.h"

namespace baton::http {

struct HttpExchange;

struct MailboxDelivery {
  enum class Kind : std::uint8_t { kAnswer, kNoRoom, kStream, kPiece, kMore, kEnd, kAbandoned };

  std::shared_ptr<HttpExchange> exchange;
  Kind kind = Kind::kAnswer;
  Response response{};                    // a piece of a stream is its body
  std::function<Response()> make{};       // set: makes the answer, on the connection's thread
  Share held{};                           // for what the answer takes, or what it is made of
  std::function<std::string()> source{};  // of a stream: its next piece; empty for now
};

class Mailbox {
 public:
  // `wake` makes the thread call take() soon; it may be called from any thread.
  Mailbox(std::function<void()> wake, std::shared_ptr<Budget> answers)
      : wake_(std::move(wake)), answers_(std::move(answers)) {}

  const std::shared_ptr<Budget>& answers() const { return answers_; }

  // Called by the thread itself, before anything is delivered.
  void belongs_to_this_thread() { owner_ = std::this_thread::get_id(); }
  bool on_its_thread() const { return std::this_thread::get_id() == owner_; }

  // Any thread. Once closed, the delivery is dropped.
  void put(MailboxDelivery delivery);
  // The same with a kAbandoned, which needs no memory: it is how a lack of memory is told.
  void abandon(std::shared_ptr<HttpExchange> exchange) noexcept;
  // The owner's thread: everything that has come, into an empty vector; and the first of a chain of
  // exchanges that were abandoned, each after what was delivered to it.
  void take(std::vector<MailboxDelivery>& into, std::shared_ptr<HttpExchange>& abandoned);
  // Nothing is taken, and nobody woken, from here on.
  void close();

 private:
  std::mutex mutex_;
  std::function<void()> wake_;
  std::shared_ptr<Budget> answers_;
  std::vector<MailboxDelivery> waiting_;
  std::shared_ptr<HttpExchange> abandoned_;  // the first of a chain
  bool closed_ = false;
  std::thread::id owner_;
};

}  // namespace baton::http
