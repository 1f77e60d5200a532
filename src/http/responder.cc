#include <new>
#include <utility>

#include "base/assert.h"
#include "http/connection.h"
#include "http/exchange.h"
#include "http/handler.h"

namespace baton::http {

Responder::Responder(std::shared_ptr<HttpExchange> exchange) : exchange_(std::move(exchange)) {
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
  mailbox.abandon(std::move(exchange_));
}

namespace {

// False when the answer must not be given: there is no room for it. Only what changed nothing can
// be asked again.
bool make_room(const HttpExchange& exchange, std::size_t bytes, MailboxDelivery& delivery) {
  if (bytes < kUncountedBytes) return true;
  const std::shared_ptr<Budget>& budget = exchange.mailbox->answers();
  if (!exchange.only_reads) {
    budget->take_anyway(bytes);
  } else if (!budget->take(bytes)) {
    return false;
  }
  delivery.held = Share(budget, bytes);
  return true;
}

}  // namespace

void Responder::send(Response response) const {
  const std::size_t bytes = response.body.size();
  give({exchange_, MailboxDelivery::Kind::kAnswer, std::move(response)}, bytes);
}

void Responder::send(std::function<Response()> make, std::size_t bytes) const {
  give({exchange_, MailboxDelivery::Kind::kAnswer, {}, std::move(make)}, bytes);
}

void Responder::give(MailboxDelivery delivery, std::size_t bytes) const {
  BATON_ASSERT(exchange_ != nullptr);
  if (exchange_->answered.exchange(true, std::memory_order_acq_rel)) {
    BATON_ASSERT(exchange_->gave_up.load());
    return;
  }
  if (!make_room(*exchange_, bytes, delivery)) {
    delivery.response = {};
    delivery.make = nullptr;
    delivery.kind = MailboxDelivery::Kind::kNoRoom;
  }
  if (exchange_->mailbox->on_its_thread()) {
    if (exchange_->connection != nullptr) exchange_->connection->deliver(std::move(delivery));
    return;
  }
  try {
    exchange_->mailbox->put(std::move(delivery));
  } catch (const std::bad_alloc&) {
    exchange_->mailbox->abandon(exchange_);
  }
}

// Streams always go through the mailbox, so that pieces of several threads keep their order.
void Responder::begin_stream(Response head) const {
  BATON_ASSERT(exchange_ && !exchange_->answered.exchange(true, std::memory_order_acq_rel));
  exchange_->streaming.store(true, std::memory_order_relaxed);
  exchange_->mailbox->put({exchange_, MailboxDelivery::Kind::kStream, std::move(head)});
}

void Responder::begin_stream(Response head, std::function<std::string()> source) const {
  BATON_ASSERT(exchange_ && !exchange_->answered.exchange(true, std::memory_order_acq_rel));
  exchange_->streaming.store(true, std::memory_order_relaxed);
  MailboxDelivery delivery{exchange_, MailboxDelivery::Kind::kStream, std::move(head)};
  delivery.source = std::move(source);
  exchange_->mailbox->put(std::move(delivery));
}

bool Responder::more() const {
  if (closed()) return false;
  // One that is on its way is enough: the source is asked for all there is.
  if (exchange_->more_told.exchange(true)) return true;
  try {
    exchange_->mailbox->put({exchange_, MailboxDelivery::Kind::kMore});
  } catch (const std::bad_alloc&) {
    exchange_->more_told = false;
  }
  return true;
}

bool Responder::write(std::string piece) const {
  BATON_ASSERT(exchange_ && exchange_->answered.load(std::memory_order_relaxed));
  if (closed()) return false;
  if (piece.empty()) return true;
  MailboxDelivery delivery{exchange_, MailboxDelivery::Kind::kPiece};
  delivery.response.body = std::move(piece);
  exchange_->mailbox->put(std::move(delivery));
  return true;
}

void Responder::end() const {
  BATON_ASSERT(exchange_ && exchange_->answered.load(std::memory_order_relaxed));
  exchange_->streaming.store(false, std::memory_order_relaxed);
  exchange_->mailbox->put({exchange_, MailboxDelivery::Kind::kEnd});
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

void tell_closed(HttpExchange& exchange) {
  std::function<void()> callback;
  {
    const std::lock_guard lock(exchange.mutex);
    if (exchange.closed.exchange(true)) return;
    callback.swap(exchange.on_closed);
  }
  if (callback) callback();
}

}  // namespace baton::http
