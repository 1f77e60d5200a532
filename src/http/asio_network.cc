// Network and Transport by Asio. Each thread runs an io_context of its own, and a socket stays with
// the thread it was given to, so that nothing here needs a lock. One acceptor hands the sockets out
// in turn. Beside src/client/http_connection.cc this is the only source that includes Asio.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <new>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/thread_name.h"
#include "http/hangups.h"
#include "http/transport.h"

namespace baton::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Tls = asio::ssl::stream<tcp::socket>;

constexpr std::size_t kMostBuffers = 32;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

tcp::socket& lowest(tcp::socket& socket) { return socket; }
tcp::socket& lowest(Tls& stream) { return stream.next_layer(); }

// Who is to be told of hang-ups on one thread.
struct HangupLine {
  Hangups hangups;
  std::unordered_map<std::uint64_t, std::weak_ptr<Transport::Events>> watched;
  std::uint64_t last_key = 0;
};

template <class Stream>
class AsioTransport final : public Transport {
 public:
  static constexpr bool kSecure = std::is_same_v<Stream, Tls>;

  template <class... Arguments>
  explicit AsioTransport(HangupLine& line, Arguments&&... arguments)
      : line_(line), stream_(std::forward<Arguments>(arguments)...) {
    error_code ignored;
    lowest(stream_).set_option(tcp::no_delay(true), ignored);
    lowest(stream_).non_blocking(true, ignored);
  }

  void start(std::weak_ptr<Events> events) override {
    events_ = std::move(events);
    if constexpr (kSecure) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [owner = events_.lock()](error_code error) {
                                error ? owner->on_broken() : owner->on_open();
                              });
    } else {
      if (const auto owner = events_.lock()) owner->on_open();
    }
  }

  ~AsioTransport() override { stop_watching(); }

  void watch_hangup() override {
    if (watched_as_ != 0 || closed_) return;
    watched_as_ = ++line_.last_key;
    line_.watched.emplace(watched_as_, events_);
    line_.hangups.watch(lowest(stream_).native_handle(), watched_as_);
  }

  void read(std::span<char> into) override {
    stop_watching();
    stream_.async_read_some(asio::buffer(into.data(), into.size()),
                            [this, owner = events_.lock()](error_code error, std::size_t count) {
                              if (closed_) return;
                              if (!error) return owner->on_read(count);
                              ended(error) ? owner->on_read(0) : owner->on_broken();
                            });
  }

  std::size_t write(const std::vector<std::string_view>& bytes) override {
    buffers_.clear();
    for (const std::string_view piece : bytes)
      if (buffers_.size() < kMostBuffers) buffers_.emplace_back(piece.data(), piece.size());
    if constexpr (!kSecure) {
      error_code error;
      const std::size_t count = stream_.write_some(buffers_, error);
      if (!error) return count;
    }
    stream_.async_write_some(buffers_,
                             [this, owner = events_.lock()](error_code error, std::size_t count) {
                               if (closed_) return;
                               error ? owner->on_broken() : owner->on_written(count);
                             });
    return 0;
  }

  void finish_sending() override {
    if constexpr (kSecure) {
      stream_.async_shutdown([this, owner = events_.lock()](error_code) {
        error_code ignored;
        if (!closed_) lowest(stream_).shutdown(tcp::socket::shutdown_send, ignored);
      });
    } else {
      error_code ignored;
      stream_.shutdown(tcp::socket::shutdown_send, ignored);
    }
  }

  void close() override {
    stop_watching();
    closed_ = true;
    error_code ignored;
    lowest(stream_).close(ignored);
  }

 private:
  static bool ended(error_code error) {
    return error == asio::error::eof || error == asio::ssl::error::stream_truncated;
  }

  void stop_watching() {
    if (watched_as_ == 0) return;
    line_.watched.erase(std::exchange(watched_as_, 0));
    line_.hangups.forget(lowest(stream_).native_handle());
  }

  HangupLine& line_;
  std::uint64_t watched_as_ = 0;  // 0: it is not
  Stream stream_;
  std::weak_ptr<Events> events_;
  std::vector<asio::const_buffer> buffers_;
  bool closed_ = false;
};

struct Thread {
  HangupLine line;  // outlives the sockets
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer tick{context};
  asio::posix::stream_descriptor hangups{context};
  std::thread runs;

  ~Thread() { hangups.release(); }  // the line closes it
};

std::vector<std::unique_ptr<Thread>> make_threads(std::size_t count) {
  std::vector<std::unique_ptr<Thread>> threads;
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i)
    threads.push_back(std::make_unique<Thread>());
  return threads;
}

Error bad_option(std::string field, const std::string& message) {
  return {Code::kBadRequest, message, std::move(field), {}};
}

// A lack of memory ends what was under way, a connection that came for one, and nothing else.
void run_through(asio::io_context& context) {
  while (!context.stopped()) {
    try {
      context.run();
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
}

class AsioNetwork final : public Network {
 public:
  AsioNetwork(std::size_t threads, Duration tick)
      : threads_(make_threads(threads)), tick_(tick.ms) {}
  ~AsioNetwork() override { stop(); }

  Status listen(const ServerOptions& options);
  Status load_certificate(const ServerOptions& options);

  std::uint16_t port() const override { return port_; }
  void run(Events& events) override;
  void post(std::size_t thread, std::function<void()> task) override {
    asio::post(threads_[thread]->context, std::move(task));
  }
  void stop_accepting() override {
    post(0, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
    });
  }
  void stop() override;

 private:
  void accept();
  void accepted(error_code error, tcp::socket socket, std::size_t thread);
  void wait_for_tick(std::size_t thread);
  void wait_for_hangups(Thread& thread);

  std::vector<std::unique_ptr<Thread>> threads_;
  std::chrono::milliseconds tick_;
  std::unique_ptr<asio::ssl::context> tls_;
  tcp::acceptor acceptor_{threads_[0]->context};
  asio::steady_timer pause_{threads_[0]->context};
  std::uint16_t port_ = 0;
  std::size_t next_ = 0;
  Events* events_ = nullptr;
};

Status AsioNetwork::listen(const ServerOptions& options) {
  error_code error;
  tcp::resolver resolver(threads_[0]->context);
  const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                      tcp::resolver::numeric_service, error);
  const std::string where = options.host + ":" + std::to_string(options.port);
  if (error || found.empty())
    return bad_option("host", "cannot listen on " + where + ": " + error.message());
  const tcp::endpoint endpoint = *found.begin();
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) return Ok{};
  Error refused = bad_option("host", "cannot listen on " + where + ": " + error.message());
  if (error == asio::error::address_in_use) refused.code = Code::kConflict;
  return refused;
}

Status AsioNetwork::load_certificate(const ServerOptions& options) {
  if (options.certificate_file.empty() && options.key_file.empty()) return Ok{};
  if (options.certificate_file.empty() || options.key_file.empty())
    return bad_option("certificate_file", "TLS needs both a certificate and a key");
  using Context = asio::ssl::context;
  auto context = std::make_unique<Context>(Context::tls_server);
  error_code error;
  context->set_options(Context::default_workarounds | Context::no_tlsv1 | Context::no_tlsv1_1 |
                           Context::no_compression,
                       error);
  if (!error) context->use_certificate_chain_file(options.certificate_file, error);
  if (error)
    return bad_option("certificate_file", "cannot use the certificate " + options.certificate_file +
                                              ": " + error.message());
  context->use_private_key_file(options.key_file, Context::pem, error);
  if (error)
    return bad_option("key_file",
                      "cannot use the key " + options.key_file + ": " + error.message());
  // A client that asks again for other keys in the middle of a connection is not answered.
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  tls_ = std::move(context);
  return Ok{};
}

void AsioNetwork::run(Events& events) {
  events_ = &events;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i]->runs = std::thread([this, i] {
      base::name_this_thread("baton-http");
      events_->on_thread_start(i);
      wait_for_tick(i);
      error_code none_left;
      threads_[i]->hangups.assign(threads_[i]->line.hangups.descriptor(), none_left);
      if (!none_left) wait_for_hangups(*threads_[i]);
      run_through(threads_[i]->context);
    });
  }
  post(0, [this] { accept(); });
}

void AsioNetwork::wait_for_tick(std::size_t thread) {
  threads_[thread]->tick.expires_after(tick_);
  threads_[thread]->tick.async_wait([this, thread](error_code error) {
    if (error) return;
    wait_for_tick(thread);
    events_->on_tick(thread);
  });
}

void AsioNetwork::wait_for_hangups(Thread& thread) {
  thread.hangups.async_wait(asio::posix::stream_descriptor::wait_read, [this,
                                                                        &thread](error_code error) {
    if (error) return;
    // First, so that what comes from here on is told again.
    wait_for_hangups(thread);
    for (auto keys = thread.line.hangups.take(); !keys.empty(); keys = thread.line.hangups.take()) {
      for (const std::uint64_t key : keys) {
        const auto place = thread.line.watched.find(key);
        if (place == thread.line.watched.end()) continue;
        if (const auto owner = place->second.lock()) owner->on_hangup();
      }
    }
  });
}

void AsioNetwork::accept() {
  if (!acceptor_.is_open()) return;
  const std::size_t thread = next_++ % threads_.size();
  acceptor_.async_accept(threads_[thread]->context,
                         [this, thread](error_code error, tcp::socket socket) {
                           accepted(error, std::move(socket), thread);
                         });
}

void AsioNetwork::accepted(error_code error, tcp::socket socket, std::size_t thread) {
  if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
  if (error) {
    // Most likely there are no file descriptors left; some come back when clients go.
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](error_code) { accept(); });
    return;
  }
  // First, so that a lack of memory below costs this one connection only.
  accept();
  asio::post(threads_[thread]->context, [this, thread, socket = std::move(socket)]() mutable {
    HangupLine& line = threads_[thread]->line;
    std::unique_ptr<Transport> transport;
    if (tls_) {
      transport = std::make_unique<AsioTransport<Tls>>(line, std::move(socket), *tls_);
    } else {
      transport = std::make_unique<AsioTransport<tcp::socket>>(line, std::move(socket));
    }
    events_->on_accept(thread, std::move(transport));
  });
}

void AsioNetwork::stop() {
  for (const std::unique_ptr<Thread>& thread : threads_) {
    if (!thread->runs.joinable()) continue;
    asio::post(thread->context, [&thread] { thread->context.stop(); });
  }
  for (const std::unique_ptr<Thread>& thread : threads_)
    if (thread->runs.joinable()) thread->runs.join();
}

}  // namespace

Result<std::unique_ptr<Network>> Network::open(const ServerOptions& options, Duration tick) {
  auto network = std::make_unique<AsioNetwork>(options.threads, tick);
  if (const Status loaded = network->load_certificate(options); !loaded) return loaded.error();
  if (const Status listening = network->listen(options); !listening) return listening.error();
  return std::unique_ptr<Network>(std::move(network));
}

}  // namespace baton::http
