// The second half of Connection: answers in their order, and their way out.
#include <algorithm>
#include <new>
#include <utility>

#include "http/connection.h"

namespace baton::http {
namespace {

Duration time_for(std::size_t bytes, const ServerOptions& options) {
  return base::milliseconds(static_cast<std::int64_t>(bytes * 1000 / options.min_bytes_per_second));
}

Duration shortly_for(std::size_t bytes, const ServerOptions& options) {
  return options.short_timeout + base::milliseconds(static_cast<std::int64_t>(
                                     bytes * 1000 / options.short_bytes_per_second));
}

// So much of a stream is made before its reader has taken the rest.
constexpr std::size_t kStreamAhead = std::size_t{64} << 10;
// Who holds more than this is looked at when memory is short.
constexpr std::size_t kMuch = std::size_t{1} << 20;

}  // namespace

void Connection::deliver(MailboxDelivery delivery) {
  HttpExchange& exchange = *delivery.exchange;
  switch (delivery.kind) {
    case MailboxDelivery::Kind::kAbandoned:
      if (exchange.state == HttpExchange::State::kStreaming) return close();
      if (exchange.state != HttpExchange::State::kOpen) return;
      // One that was answered, and yet was abandoned, found no memory for its way here.
      delivery.response = loop_.options().format_problem(
          exchange.answered.exchange(true) ? out_of_memory()
                                           : Problem{Fault::kInternal, "the request was given up"});
      make_answer(exchange, delivery);
      break;
    case MailboxDelivery::Kind::kNoRoom:
      delivery.response = loop_.options().format_problem(out_of_memory());
      make_answer(exchange, delivery);
      break;
    case MailboxDelivery::Kind::kAnswer:
      make_answer(exchange, delivery);
      if (waiting_ + output_.held() > loop_.options().max_held_bytes) return close();
      break;
    case MailboxDelivery::Kind::kStream:
      exchange.state = HttpExchange::State::kStreaming;
      exchange.response = std::move(delivery.response);
      exchange.source = std::move(delivery.source);
      exchange.has_more = exchange.source != nullptr;
      exchange.bytes.reset();
      break;
    case MailboxDelivery::Kind::kMore:
      exchange.has_more = exchange.source != nullptr;
      exchange.more_told = false;
      break;
    case MailboxDelivery::Kind::kPiece:
      if (exchange.head_only) return;
      exchange.response.body += delivery.response.body;
      if (output_.unsent() + exchange.response.body.size() > loop_.options().max_unsent_bytes)
        return close();
      break;
    case MailboxDelivery::Kind::kEnd:
      exchange.state = HttpExchange::State::kStreamEnded;
      break;
  }
  if (!pumping_) loop_.has_answers(shared_from_this());
}

// The record, or whatever it is made of, is let go as soon as the answer is there.
void Connection::make_answer(HttpExchange& exchange, MailboxDelivery& delivery) {
  exchange.state = HttpExchange::State::kAnswered;
  try {
    exchange.response = delivery.make ? delivery.make() : std::move(delivery.response);
  } catch (const std::bad_alloc&) {
    exchange.response = loop_.options().format_problem(out_of_memory());
  }
  delivery.make = nullptr;
  const std::size_t bytes = exchange.response.body.capacity();
  if (bytes >= kUncountedBytes && bytes != delivery.held.bytes()) {
    loop_.budgets().answers->take_anyway(bytes);
    delivery.held = Share(loop_.budgets().answers, bytes);
  }
  exchange.held = std::move(delivery.held);
  exchange.bytes.reset();
  waiting_ += bytes;
  loop_.made(bytes);
  if (loop_.budgets().answers->is_exceeded()) loop_.relieve();
}

void Connection::put_answers() {
  while (!open_.empty() && put_answer(*open_.front()))
    pop_exchange();
  if (continue_due_ && open_.empty()) {
    continue_due_ = false;
    output_.tail() += kContinue;
  }
}

// True when the answer is complete.
bool Connection::put_answer(HttpExchange& exchange) {
  switch (exchange.state) {
    case HttpExchange::State::kOpen:
      return false;
    case HttpExchange::State::kAnswered:
      waiting_ -= std::min(waiting_, exchange.response.body.capacity());
      put_head(exchange, Framing::kLength);
      if (!exchange.head_only && has_body(exchange.response.status))
        output_.append(std::move(exchange.response.body));
      return true;
    case HttpExchange::State::kStreaming:
    case HttpExchange::State::kStreamEnded:
      put_stream(exchange);
      return exchange.state == HttpExchange::State::kStreamEnded;
  }
  return false;
}

void Connection::put_head(HttpExchange& exchange, Framing framing) {
  append_head(output_.tail(), exchange.response,
              {.framing = framing,
               .keep_alive = exchange.keep_alive,
               .http_1_0 = exchange.http_1_0,
               .date_line = loop_.date_line()});
}

void Connection::put_stream(HttpExchange& exchange) {
  if (!exchange.head_sent) {
    exchange.head_sent = true;
    if (exchange.http_1_0) exchange.keep_alive = false;
    put_head(exchange, exchange.http_1_0 ? Framing::kUntilClose : Framing::kChunks);
  }
  const std::string piece = std::exchange(exchange.response.body, {});
  const bool no_body = exchange.head_only || !has_body(exchange.response.status);
  if (no_body) return;
  put_piece(exchange, piece);
  while (exchange.state == HttpExchange::State::kStreaming && ask_source(exchange)) {
  }
  if (exchange.state == HttpExchange::State::kStreamEnded && !exchange.http_1_0)
    output_.tail() += kLastChunk;
}

void Connection::put_piece(const HttpExchange& exchange, const std::string& piece) {
  if (exchange.http_1_0) {
    output_.tail() += piece;
  } else if (!piece.empty()) {
    append_chunk(output_.tail(), piece);
  }
}

// Puts the next piece, when the client has taken the ones before; true when there may be another.
bool Connection::ask_source(HttpExchange& exchange) {
  if (!exchange.has_more || output_.unsent() >= kStreamAhead) return false;
  const std::string piece = exchange.source();
  exchange.has_more = !piece.empty();
  put_piece(exchange, piece);
  return exchange.has_more;
}

bool Connection::has_more_of_a_stream() const {
  return !open_.empty() && open_.front()->state == HttpExchange::State::kStreaming &&
         open_.front()->has_more && !writing_;
}

void Connection::pop_exchange() {
  const std::shared_ptr<HttpExchange> done = std::move(open_.front());
  open_.pop_front();
  done->connection = nullptr;
  done->source = nullptr;
  done->held = {};
  std::function<void()> unused;
  {
    const std::lock_guard lock(done->mutex);
    unused.swap(done->on_closed);
  }
  active_at_ = loop_.now();
  if (done->keep_alive) return;
  // Nothing can follow. Only a stream to a client of HTTP/1.0 leaves requests behind it.
  last_request_ = true;
  const auto dropped = std::exchange(open_, {});
  for (const std::shared_ptr<HttpExchange>& exchange : dropped) {
    exchange->connection = nullptr;
    tell_closed(*exchange);
  }
}

void Connection::send() {
  if (writing_) return;
  while (!closed_ && output_.take_off()) {
    const std::size_t count = transport_->write(output_.in_flight());
    if (count == 0) {
      writing_ = true;
      if (!std::exchange(backlogged_, true)) {
        backlog_at_ = loop_.now();
        backlog_sent_ = 0;
      }
      return;
    }
    sent(count);
  }
  backlogged_ = false;
}

void Connection::on_written(std::size_t count) {
  if (closed_) return;
  loop_.read_clock();
  writing_ = false;
  sent(count);
  pump();
}

// Once a turn: what is counted needs no more precision.
void Connection::count_held() {
  const std::size_t held = output_.held();
  const std::size_t counted = held < kUncountedBytes ? 0 : held;
  if (counted == counted_) return;
  Budget& budget = *loop_.budgets().answers;
  budget.take_anyway(counted);
  budget.give_back(std::exchange(counted_, counted));
}

bool Connection::holds_much() const { return writing_ && counted_ > kMuch; }

void Connection::sent(std::size_t count) {
  progress_at_ = loop_.now();
  loop_.counters().writes.add(1);
  backlog_sent_ += count;
  output_.sent(count);
}

bool Connection::reader_is_too_slow() const {
  const ServerOptions& options = loop_.options();
  if (!writing_) return false;
  if (loop_.budgets().answers->is_short() && holds_much())
    return loop_.now() > backlog_at_ + shortly_for(backlog_sent_, options);
  return loop_.now() > backlog_at_ + options.write_timeout + time_for(backlog_sent_, options);
}

bool Connection::sender_is_too_slow() const {
  const ServerOptions& options = loop_.options();
  if (!in_message_) return false;
  const Duration now = loop_.now();
  if (!parser_.in_body()) return now > message_at_ + options.header_timeout;
  if (loop_.budgets().bodies->is_short() && parser_.body_bytes() > kMuch)
    return now > message_at_ + shortly_for(parser_.body_bytes(), options);
  return now > message_at_ + options.body_timeout + time_for(parser_.body_bytes(), options);
}

}  // namespace baton::http
