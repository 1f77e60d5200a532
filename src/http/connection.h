// One connection: reads requests, hands them to the handler, and sends the answers in the order of
// the requests. Everything that has arrived is handled before anything is sent, so that one write
// carries all answers that are ready. It stops reading while too many requests are open or too much
// is unsent. When it ends, it tells the client so and waits for it to close, because a socket that
// is closed over unread bytes takes the last answer down with it. One thread.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "http/exchange.h"
#include "http/input.h"
#include "http/loop.h"
#include "http/output.h"
#include "http/parser.h"
#include "http/transport.h"

namespace baton::http {

class Connection final : public Transport::Events, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, std::unique_ptr<Transport> transport, Loop::Welcome welcome);

  void start() { transport_->start(weak_from_this()); }
  // An answer, or a part of one, to one of the open exchanges. It is sent by the next pump().
  void deliver(MailboxDelivery delivery);
  // Does everything that can be done now.
  void pump();
  // Ends the connection if the client is too slow.
  void tick();
  // Takes no request that has not begun, and closes after the last answer.
  void drain();
  // Ends the connection at once.
  void close();

  // Much waits to be sent, and the client does not take it.
  bool holds_much() const;
  bool stalls_longer_than(const Connection& other) const {
    return progress_at_ < other.progress_at_;
  }

  void on_open() override;
  void on_read(std::size_t count) override;
  void on_written(std::size_t count) override;
  void on_broken() override { close(); }
  void on_hangup() override;

 private:
  // ---- Requests: connection.cc --------------------------------------------------------------
  bool is_idle() const;
  bool may_take_requests() const;
  void take_requests();
  void take_request();
  void refuse(const Problem& problem, bool framed);
  std::shared_ptr<HttpExchange> next_exchange();
  void read_on();
  void client_is_done();
  void begin_linger();
  void do_all();
  void no_room_to_read();
  void read_ahead();
  bool has_more_of_a_stream() const;

  // ---- Answers: connection_answers.cc -------------------------------------------------------
  void put_answers();
  bool put_answer(HttpExchange& exchange);
  void put_head(HttpExchange& exchange, Framing framing);
  void put_stream(HttpExchange& exchange);
  void put_piece(const HttpExchange& exchange, const std::string& piece);
  bool ask_source(HttpExchange& exchange);
  void make_answer(HttpExchange& exchange, MailboxDelivery& delivery);
  void pop_exchange();
  void count_held();
  void send();
  void sent(std::size_t count);
  bool reader_is_too_slow() const;
  bool sender_is_too_slow() const;

  Loop& loop_;
  std::unique_ptr<Transport> transport_;
  Loop::Welcome welcome_;
  RequestParser parser_;
  Input input_;
  Output output_;
  std::deque<std::shared_ptr<HttpExchange>> open_;  // oldest first; answers leave at the front

  bool opened_ = false;
  bool pumping_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool starved_ = true;        // everything that has arrived was parsed
  bool paused_ = false;        // bytes wait because too much is open or unsent
  bool last_request_ = false;  // no more are taken
  bool client_done_ = false;   // it sends nothing more
  bool draining_ = false;
  bool lingering_ = false;
  bool closed_ = false;
  bool hung_up_ = false;       // the client closed its side, and has sent what was not yet read
  bool continue_due_ = false;  // once all earlier answers are out

  Duration active_at_{};   // when it began, last read, or finished an answer or lingering
  Duration message_at_{};  // when the current head or body began
  bool in_message_ = false;
  bool backlogged_ = false;  // something could not be sent at once
  Duration backlog_at_{};    // since when
  std::size_t backlog_sent_ = 0;
  Duration progress_at_{};   // when something could last be sent
  std::size_t waiting_ = 0;  // bytes of answers that wait for their turn
  std::size_t counted_ = 0;  // of what is to be sent, in the budget of all connections
};

}  // namespace baton::http
