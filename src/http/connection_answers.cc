// The second half of Connection: answers in their order, and their way out.
#include <utility>

#include "http/connection.h"

namespace baton::http {
namespace {

base::Duration time_for(std::size_t bytes, const ServerOptions& options) {
  return base::milliseconds(static_cast<std::int64_t>(bytes * 1000 / options.min_bytes_per_second));
}

}  // namespace

void Connection::deliver(Delivery delivery) {
  Exchange& exchange = *delivery.exchange;
  switch (delivery.kind) {
    case Delivery::Kind::kAbandoned:
      if (exchange.state == Exchange::State::kStreaming) return close();
      exchange.answered = true;
      delivery.response =
          loop_.options().format_problem({Fault::kInternal, "the request was given up"});
      [[fallthrough]];
    case Delivery::Kind::kAnswer:
      exchange.state = Exchange::State::kAnswered;
      exchange.response = delivery.make ? delivery.make() : std::move(delivery.response);
      exchange.bytes.reset();
      break;
    case Delivery::Kind::kStream:
      exchange.state = Exchange::State::kStreaming;
      exchange.response = std::move(delivery.response);
      exchange.bytes.reset();
      break;
    case Delivery::Kind::kPiece:
      if (exchange.head_only) return;
      exchange.response.body += delivery.response.body;
      if (output_.unsent() + exchange.response.body.size() > loop_.options().max_unsent_bytes)
        return close();
      break;
    case Delivery::Kind::kEnd:
      exchange.state = Exchange::State::kStreamEnded;
      break;
  }
  if (!pumping_) loop_.has_answers(shared_from_this());
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
bool Connection::put_answer(Exchange& exchange) {
  switch (exchange.state) {
    case Exchange::State::kOpen:
      return false;
    case Exchange::State::kAnswered:
      put_head(exchange, Framing::kLength);
      if (!exchange.head_only && has_body(exchange.response.status))
        output_.append(std::move(exchange.response.body));
      return true;
    case Exchange::State::kStreaming:
    case Exchange::State::kStreamEnded:
      put_stream(exchange);
      return exchange.state == Exchange::State::kStreamEnded;
  }
  return false;
}

void Connection::put_head(Exchange& exchange, Framing framing) {
  append_head(output_.tail(), exchange.response,
              {.framing = framing,
               .keep_alive = exchange.keep_alive,
               .http_1_0 = exchange.http_1_0,
               .date_line = loop_.date_line()});
}

void Connection::put_stream(Exchange& exchange) {
  if (!exchange.head_sent) {
    exchange.head_sent = true;
    if (exchange.http_1_0) exchange.keep_alive = false;
    put_head(exchange, exchange.http_1_0 ? Framing::kUntilClose : Framing::kChunks);
  }
  const std::string piece = std::exchange(exchange.response.body, {});
  const bool no_body = exchange.head_only || !has_body(exchange.response.status);
  if (no_body) return;
  if (exchange.http_1_0) {
    output_.tail() += piece;
    return;
  }
  if (!piece.empty()) append_chunk(output_.tail(), piece);
  if (exchange.state == Exchange::State::kStreamEnded) output_.tail() += kLastChunk;
}

void Connection::pop_exchange() {
  const std::shared_ptr<Exchange> done = std::move(open_.front());
  open_.pop_front();
  done->connection = nullptr;
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
  for (const std::shared_ptr<Exchange>& exchange : dropped) {
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

void Connection::sent(std::size_t count) {
  loop_.counters().writes.add(1);
  backlog_sent_ += count;
  output_.sent(count);
}

bool Connection::reader_is_too_slow() const {
  const ServerOptions& options = loop_.options();
  return writing_ &&
         loop_.now() > backlog_at_ + options.write_timeout + time_for(backlog_sent_, options);
}

bool Connection::sender_is_too_slow() const {
  const ServerOptions& options = loop_.options();
  if (!in_message_) return false;
  const base::Duration now = loop_.now();
  if (!parser_.in_body()) return now > message_at_ + options.header_timeout;
  return now > message_at_ + options.body_timeout + time_for(parser_.body_bytes(), options);
}

}  // namespace baton::http
