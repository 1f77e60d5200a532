// What the connections of one thread share: options, the clock, the mailbox, the counters. It keeps
// them alive, looks after their timeouts with every tick, and sees to it that a burst of answers
// leads to one write for each connection. Its own thread only, apart from what says otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "http/budget.h"
#include "http/handler.h"
#include "http/mailbox.h"
#include "http/serialize.h"
#include "http/server.h"
#include "http/transport.h"

namespace baton::http {

class Connection;

// One thread adds, any thread reads.
class Counter {
 public:
  void add(std::uint64_t count) {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct LoopCounters {
  Counter requests;
  Counter problems;
  Counter reads;
  Counter writes;
};

class Loop {
 public:
  struct Hooks {
    std::function<void()> wake;               // makes the thread call woken(); any thread
    std::function<void()> connection_closed;  // called once for each
  };
  Loop(const ServerOptions& options, RequestHandler& handler, Budgets budgets, Hooks hooks);
  ~Loop();

  // ---- For the server -----------------------------------------------------------------------

  enum class Welcome : std::uint8_t { kServe, kTurnAway };
  void adopt(std::unique_ptr<Transport> transport, Welcome welcome);
  void woken();
  void tick();
  void drain();
  void close_all();
  const LoopCounters& counters() const { return counters_; }  // any thread

  // ---- For connections ----------------------------------------------------------------------

  const ServerOptions& options() const { return options_; }
  RequestHandler& handler() { return handler_; }
  const std::shared_ptr<Mailbox>& mailbox() { return mailbox_; }
  LoopCounters& counters() { return counters_; }
  const Budgets& budgets() const { return budgets_; }
  // The time is read once for each thing that happens, not for each request in it.
  void read_clock();
  Duration now() const { return now_; }
  std::string_view date_line() const { return date_.line(); }
  // The connection has answers to send and is not at it already.
  void has_answers(std::shared_ptr<Connection> connection);
  void forget(const std::shared_ptr<Connection>& connection);
  // So many bytes of an answer were made.
  void made(std::size_t bytes) { made_ += bytes; }
  // Cuts off who reads slowest, until the answers fit into their budget or nobody is left who holds
  // much.
  void relieve();

 private:
  bool deliver_all();
  void abandon_all();
  std::vector<std::shared_ptr<Connection>> all() const;

  const ServerOptions& options_;
  RequestHandler& handler_;
  Budgets budgets_;
  Hooks hooks_;
  base::SystemClock clock_;
  Duration now_{};
  DateLine date_;
  LoopCounters counters_;
  std::shared_ptr<Mailbox> mailbox_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::vector<std::shared_ptr<Connection>> answering_;
  std::vector<MailboxDelivery> deliveries_;
  std::size_t delivered_ = 0;                // of them
  std::shared_ptr<HttpExchange> abandoned_;  // the first of a chain
  std::size_t made_ = 0;                     // bytes of answers since the thread was woken
  bool awake_ = false;
  bool draining_ = false;
};

}  // namespace baton::http
