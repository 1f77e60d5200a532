#include <utility>

#include "base/assert.h"
#include "http/connection.h"
#include "http/exchange.h"
#include "http/handler.h"

namespace baton::http {

Responder::Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {
  exchange_->responders.fetch_add(1, std::memory_order_relaxed);
}

Responder::Responder(const Responder& other) : exchange_(other.exchange_) {
  if (exchange_) exchange_->responders.fetch_add(1, std::memory_order_relaxed);
}

Responder& Responder::operator=(Responder other) noexcept {
  std::swap(exchange_, other.exchange_);
  return *this;
}

Responder::~Responder() {
  if (!exchange_ || exchange_->responders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (exchange_->answered.load(std::memory_order_relaxed) &&
      !exchange_->streaming.load(std::memory_order_relaxed))
    return;
  Mailbox& mailbox = *exchange_->mailbox;
  mailbox.put({std::move(exchange_), Delivery::Kind::kAbandoned});
}

void Responder::send(Response response) const {
  give({exchange_, Delivery::Kind::kAnswer, std::move(response)});
}

void Responder::send(std::function<Response()> make) const {
  give({exchange_, Delivery::Kind::kAnswer, {}, std::move(make)});
}

void Responder::give(Delivery delivery) const {
  BATON_ASSERT(exchange_ && !exchange_->answered.exchange(true, std::memory_order_acq_rel));
  if (!exchange_->mailbox->on_its_thread()) {
    exchange_->mailbox->put(std::move(delivery));
  } else if (exchange_->connection != nullptr) {
    exchange_->connection->deliver(std::move(delivery));
  }
}

// Streams always go through the mailbox, so that pieces of several threads keep their order.
void Responder::begin_stream(Response head) const {
  BATON_ASSERT(exchange_ && !exchange_->answered.exchange(true, std::memory_order_acq_rel));
  exchange_->streaming.store(true, std::memory_order_relaxed);
  exchange_->mailbox->put({exchange_, Delivery::Kind::kStream, std::move(head)});
}

bool Responder::write(std::string piece) const {
  BATON_ASSERT(exchange_ && exchange_->answered.load(std::memory_order_relaxed));
  if (closed()) return false;
  if (piece.empty()) return true;
  Delivery delivery{exchange_, Delivery::Kind::kPiece};
  delivery.response.body = std::move(piece);
  exchange_->mailbox->put(std::move(delivery));
  return true;
}

void Responder::end() const {
  BATON_ASSERT(exchange_ && exchange_->answered.load(std::memory_order_relaxed));
  exchange_->streaming.store(false, std::memory_order_relaxed);
  exchange_->mailbox->put({exchange_, Delivery::Kind::kEnd});
}

void Responder::on_closed(std::function<void()> callback) const {
  {
    const std::lock_guard lock(exchange_->mutex);
    if (!exchange_->closed.load()) {
      exchange_->on_closed = std::move(callback);
      return;
    }
  }
  callback();
}

bool Responder::closed() const { return exchange_->closed.load(); }

void tell_closed(Exchange& exchange) {
  std::function<void()> callback;
  {
    const std::lock_guard lock(exchange.mutex);
    if (exchange.closed.exchange(true)) return;
    callback.swap(exchange.on_closed);
  }
  if (callback) callback();
}

}  // namespace baton::http
