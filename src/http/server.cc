#include "http/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "http/loop.h"
#include "http/transport.h"

namespace baton::http {
namespace {

// While a server reads what has arrived.
constexpr std::size_t kReadsPerRound = 128;
constexpr std::size_t kMoreRounds = 16;
constexpr int kQuietRounds = 2;

// Timeouts are looked at so often; a quarter of the shortest is close enough.
Duration tick_of(const ServerOptions& options) {
  const Duration shortest =
      std::min({options.idle_timeout, options.header_timeout, options.body_timeout,
                options.write_timeout, options.linger, options.short_timeout});
  return base::milliseconds(std::clamp<std::int64_t>(shortest.ms / 4, 5, 1000));
}

}  // namespace

class HttpServer::Parts final : public Network::Events {
 public:
  Parts(ServerOptions options, RequestHandler& handler)
      : options_(std::move(options)),
        handler_(handler),
        budgets_{std::make_shared<Budget>(options_.max_bodies_bytes),
                 std::make_shared<Budget>(options_.max_answers_bytes)} {
    BATON_ASSERT(options_.min_bytes_per_second != 0 && options_.max_open_requests != 0);
  }

  Status start() {
    Result<std::unique_ptr<Network>> network = Network::open(options_, tick_of(options_));
    if (!network) return network.error();
    network_ = std::move(*network);
    for (std::size_t i = 0; i < std::max<std::size_t>(options_.threads, 1); ++i)
      loops_.push_back(std::make_unique<Loop>(
          options_, handler_, budgets_,
          Loop::Hooks{[this, i] { network_->post(i, [this, i] { loops_[i]->woken(); }); },
                      [this] { connection_closed(); }}));
    network_->run(*this);
    return Ok{};
  }

  void stop() {
    if (!network_) return;
    network_->stop_accepting();
    close_connections();
    network_->stop();
    for (const auto& loop : loops_)
      loop->mailbox()->close();
    // Sockets and timers go before the loops that their handlers point to.
    network_.reset();
  }

  bool drain(Duration deadline) {
    network_->stop_accepting();
    for (std::size_t i = 0; i < loops_.size(); ++i)
      network_->post(i, [this, i] { loops_[i]->drain(); });
    const bool done = wait_until_empty(deadline);
    close_connections();
    return done;
  }

  void when_read(std::function<void()> done) {
    auto open = std::make_shared<std::atomic<std::size_t>>(loops_.size());
    const auto shared = std::make_shared<std::function<void()>>(std::move(done));
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      // One round reads from as many connections as the system reports at once.
      look_for_reads(i, {.rounds = kMoreRounds + open_ / kReadsPerRound, .done = [open, shared] {
                           if (--*open == 0) (*shared)();
                         }});
    }
  }

  std::uint16_t port() const { return network_->port(); }

  ServerStats stats() const {
    ServerStats stats;
    stats.open_connections = open_;
    stats.accepted = accepted_;
    stats.refused_connections = refused_;
    stats.body_bytes = budgets_.bodies->taken();
    stats.answer_bytes = budgets_.answers->taken();
    for (const auto& loop : loops_) {
      const LoopCounters& counters = std::as_const(*loop).counters();
      stats.requests += counters.requests.value();
      stats.problems += counters.problems.value();
      stats.reads += counters.reads.value();
      stats.writes += counters.writes.value();
    }
    return stats;
  }

  void on_thread_start(std::size_t thread) override {
    loops_[thread]->mailbox()->belongs_to_this_thread();
  }
  void on_tick(std::size_t thread) override { loops_[thread]->tick(); }
  void on_accept(std::size_t thread, std::unique_ptr<Transport> transport) override {
    ++accepted_;
    const std::size_t open = ++open_;
    const bool too_many = open > options_.max_connections;
    if (too_many) ++refused_;
    if (open > options_.max_connections + options_.max_turned_away) {
      transport->close();
      connection_closed();
      return;
    }
    loops_[thread]->adopt(std::move(transport),
                          too_many ? Loop::Welcome::kTurnAway : Loop::Welcome::kServe);
  }

 private:
  struct Look {
    std::size_t rounds = 0;  // that are left at most
    std::uint64_t reads = 0;
    int quiet = 0;  // rounds without a read, one after the other
    std::function<void()> done;
  };

  // Each task comes back to the thread behind all that was ready before it: when nothing was read
  // between three of them, nothing had arrived.
  void look_for_reads(std::size_t thread, Look look) {
    network_->post(thread, [this, thread, look = std::move(look)]() mutable {
      const std::uint64_t reads = std::as_const(*loops_[thread]).counters().reads.value();
      look.quiet = reads == look.reads ? look.quiet + 1 : 0;
      look.reads = reads;
      if (look.quiet >= kQuietRounds || look.rounds == 0) return look.done();
      --look.rounds;
      look_for_reads(thread, std::move(look));
    });
  }

  void connection_closed() {
    if (--open_ != 0) return;
    const std::lock_guard lock(mutex_);
    empty_.notify_all();
  }

  bool wait_until_empty(Duration deadline) {
    std::unique_lock lock(mutex_);
    return empty_.wait_for(lock, std::chrono::milliseconds(deadline.ms),
                           [this] { return open_ == 0; });
  }

  void close_connections() {
    for (std::size_t i = 0; i < loops_.size(); ++i)
      network_->post(i, [this, i] { loops_[i]->close_all(); });
  }

  const ServerOptions options_;
  RequestHandler& handler_;
  const Budgets budgets_;
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::atomic<std::size_t> open_{0};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::mutex mutex_;
  std::condition_variable empty_;
};

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
HttpServer::~HttpServer() { parts_->stop(); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerOptions options,
                                                      RequestHandler& handler) {
  auto parts = std::make_unique<Parts>(std::move(options), handler);
  if (const Status started = parts->start(); !started) return started.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

std::uint16_t HttpServer::port() const { return parts_->port(); }
bool HttpServer::drain(Duration deadline) { return parts_->drain(deadline); }
void HttpServer::when_read(std::function<void()> done) { parts_->when_read(std::move(done)); }
ServerStats HttpServer::stats() const { return parts_->stats(); }

}  // namespace baton::http
