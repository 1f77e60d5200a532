#include "http/connection.h"

#include <new>
#include <utility>

#include "base/assert.h"

namespace baton::http {
namespace {

ParserLimits limits_of(const ServerOptions& options) {
  return {.max_header_bytes = options.max_header_bytes,
          .max_target_bytes = options.max_target_bytes,
          .max_body_bytes = options.max_body_bytes,
          .max_discarded_bytes = options.max_discarded_bytes};
}

// How often in a row a stream is asked for more.
constexpr int kMostRounds = 16;

}  // namespace

Connection::Connection(Loop& loop, std::unique_ptr<Transport> transport, Loop::Welcome welcome)
    : loop_(loop),
      transport_(std::move(transport)),
      welcome_(welcome),
      parser_(limits_of(loop.options())),
      input_(loop.budgets().bodies),
      active_at_(loop.now()) {}

void Connection::on_open() {
  loop_.read_clock();
  opened_ = true;
  active_at_ = loop_.now();
  if (welcome_ == Loop::Welcome::kTurnAway)
    refuse({Fault::kTooManyConnections, "the server has too many connections"}, false);
  if (draining_) return drain();
  pump();
}

// Requests and answers have their own ways to tell of a lack of memory; what is left are the few
// bytes between them, without which nothing can be told.
void Connection::pump() {
  if (pumping_ || closed_ || !opened_) return;
  const auto self = shared_from_this();
  pumping_ = true;
  try {
    do_all();
  } catch (const std::bad_alloc&) {
    close();
  }
  pumping_ = false;
}

void Connection::do_all() {
  int rounds = 0;
  do {
    take_requests();
    put_answers();
    send();
    // What was sent may have made room for more. A long stream lets others have their turn.
  } while (!closed_ && (may_take_requests() || (has_more_of_a_stream() && ++rounds < kMostRounds)));
  if (closed_) return;
  count_held();
  if (has_more_of_a_stream()) loop_.mailbox()->put({open_.front(), MailboxDelivery::Kind::kMore});
  if (open_.empty() && output_.idle() && !lingering_) {
    if (client_done_) return close();
    if (last_request_) begin_linger();
  }
  paused_ = !starved_ && !last_request_;
  read_on();
}

bool Connection::is_idle() const { return input_.empty() && open_.empty() && output_.idle(); }

bool Connection::may_take_requests() const {
  return !starved_ && !last_request_ && open_.size() < loop_.options().max_open_requests &&
         output_.unsent() + waiting_ < loop_.options().max_waiting_bytes;
}

void Connection::take_requests() {
  // The time during which we did not read is not the client's.
  if (paused_ && may_take_requests()) message_at_ = loop_.now();
  while (may_take_requests()) {
    Window window = input_.window();
    const Progress progress = window.size == 0 ? Progress::kNeedMore : parser_.parse(window);
    input_.shorten(window.size);
    switch (progress) {
      case Progress::kNeedMore:
        starved_ = true;
        if (client_done_) last_request_ = true;
        if (window.size != 0 && !in_message_) {
          in_message_ = true;
          message_at_ = loop_.now();
        }
        break;
      case Progress::kHead:
        in_message_ = true;
        message_at_ = loop_.now();
        continue_due_ = parser_.expects_continue();
        break;
      case Progress::kComplete:
        take_request();
        break;
      case Progress::kRefused:
        refuse(parser_.problem(), parser_.framed());
        break;
    }
  }
}

std::shared_ptr<HttpExchange> Connection::next_exchange() {
  auto exchange = std::make_shared<HttpExchange>();
  exchange->mailbox = loop_.mailbox();
  exchange->connection = this;
  continue_due_ = false;
  in_message_ = false;
  open_.push_back(exchange);
  return exchange;
}

void Connection::take_request() {
  const std::shared_ptr<HttpExchange> exchange = next_exchange();
  Request& request = exchange->request;
  parser_.fill(input_.window().data, request);
  request.arrived = loop_.now();
  if (draining_) request.keep_alive = false;
  exchange->bytes = input_.hold();
  exchange->head_only = request.method == Method::kHead;
  exchange->only_reads = exchange->head_only || request.method == Method::kGet;
  exchange->http_1_0 = request.http_1_0;
  exchange->keep_alive = request.keep_alive;
  last_request_ = !request.keep_alive;
  input_.advance(parser_.position());
  parser_.reset();
  loop_.counters().requests.add(1);
  if (hung_up_) tell_closed(*exchange);
  try {
    loop_.handler().handle(request, Responder(exchange));
  } catch (const std::bad_alloc&) {
    exchange->gave_up = true;
    if (!exchange->answered.exchange(true)) deliver({exchange, MailboxDelivery::Kind::kNoRoom});
  }
  put_answers();
}

// A problem is an answer in its turn. Unless the request was read to its end, it is the last one.
void Connection::refuse(const Problem& problem, bool framed) {
  const std::shared_ptr<HttpExchange> exchange = next_exchange();
  exchange->answered = true;
  exchange->state = HttpExchange::State::kAnswered;
  exchange->response = loop_.options().format_problem(problem);
  exchange->keep_alive = framed && parser_.keep_alive() && !draining_;
  if (framed) {
    Request request;
    parser_.fill(input_.window().data, request);
    exchange->head_only = request.method == Method::kHead;
    exchange->http_1_0 = request.http_1_0;
    input_.advance(parser_.position());
  }
  last_request_ = !exchange->keep_alive;
  parser_.reset();
  loop_.counters().problems.add(1);
}

void Connection::read_on() {
  if (reading_ || client_done_ || closed_) return;
  // While answers are awaited, reading is how we learn that the client has gone.
  if (!last_request_ && !starved_) return read_ahead();
  if (last_request_) input_.clear();
  const auto room = input_.room({parser_.expected_size(), is_idle()});
  if (!room) return no_room_to_read();
  reading_ = true;
  transport_->read(*room);
}

// Nothing is taken now. What has come since is read as far as there is room for it.
void Connection::read_ahead() {
  const bool enough = input_.window().size >= loop_.options().max_read_ahead_bytes;
  const auto room = enough ? std::nullopt : input_.room({});
  if (!room) return transport_->watch_hangup();
  reading_ = true;
  transport_->read(*room);
}

// What is left of a body is read and thrown away, so that the client sees the answer.
void Connection::no_room_to_read() {
  if (last_request_ || parser_.is_discarding()) return close();
  if (!parser_.in_body()) {
    refuse(out_of_memory(), false);
    return loop_.has_answers(shared_from_this());
  }
  parser_.discard_body(out_of_memory());
  Window window = input_.window();
  BATON_ASSERT(parser_.parse(window) == Progress::kNeedMore);
  input_.shorten(window.size);
  const auto room = input_.room({});
  if (!room) return close();
  reading_ = true;
  transport_->read(*room);
}

// Nobody waits for a client that has gone. What it has sent is still handled, as far as it wants
// nothing of the future: it may have closed only its own side.
void Connection::on_hangup() {
  if (closed_) return;
  const auto self = shared_from_this();
  hung_up_ = true;
  const auto open = open_;
  for (const std::shared_ptr<HttpExchange>& exchange : open)
    tell_closed(*exchange);
}

void Connection::on_read(std::size_t count) {
  if (closed_) return;
  reading_ = false;
  loop_.read_clock();
  if (count == 0) return client_is_done();
  loop_.counters().reads.add(1);
  input_.arrived(count);
  if (!lingering_) active_at_ = loop_.now();
  if (!last_request_) starved_ = false;
  pump();
}

// It may still be reading: what is answered from here on is sent. But who waits for something on
// the client's behalf should stop.
void Connection::client_is_done() {
  const auto self = shared_from_this();
  client_done_ = true;
  if (lingering_) return close();
  if (starved_) last_request_ = true;
  hung_up_ = true;
  const auto open = open_;
  for (const std::shared_ptr<HttpExchange>& exchange : open)
    tell_closed(*exchange);
  pump();
}

void Connection::begin_linger() {
  lingering_ = true;
  active_at_ = loop_.now();
  transport_->finish_sending();
}

void Connection::drain() {
  draining_ = true;
  if (last_request_ || !opened_) return;
  if (is_idle()) return close();
  if (input_.empty()) {
    last_request_ = true;
    if (!open_.empty()) open_.back()->keep_alive = false;
  }
  pump();
}

void Connection::close() {
  if (closed_) return;
  const auto self = shared_from_this();
  closed_ = true;
  transport_->close();
  const auto open = std::exchange(open_, {});
  for (const std::shared_ptr<HttpExchange>& exchange : open) {
    exchange->connection = nullptr;
    exchange->source = nullptr;
  }
  loop_.budgets().answers->give_back(std::exchange(counted_, 0));
  loop_.forget(self);
  for (const std::shared_ptr<HttpExchange>& exchange : open)
    tell_closed(*exchange);
}

void Connection::tick() {
  const Duration now = loop_.now();
  const ServerOptions& options = loop_.options();
  if (is_idle()) output_.let_go();
  if (lingering_) {
    if (now > active_at_ + options.linger) close();
  } else if (!opened_) {
    if (now > active_at_ + options.header_timeout) close();
  } else if (reader_is_too_slow()) {
    close();
  } else if (reading_ && !last_request_ && !paused_) {
    if (sender_is_too_slow()) {
      refuse({Fault::kRequestTimeout, "the request took too long to arrive"}, false);
      pump();
    } else if (is_idle() && now > active_at_ + options.idle_timeout) {
      close();
    }
  }
}

}  // namespace baton::http
