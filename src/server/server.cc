#include "server/server.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "api/api.h"
#include "api/events.h"
#include "api/origin.h"
#include "api/submission_clock.h"
#include "base/clock.h"
#include "base/random.h"
#include "engine/pace.h"
#include "engine/running_store.h"
#include "http/server.h"
#include "server/descriptors.h"
#include "server/duties.h"
#include "store/local/local_store.h"

namespace baton::server {
namespace {

Status check_host(const Options& options) {
  if (is_loopback(options.host)) return Ok{};
  return Error{Code::kBadRequest,
               "without tokens the server listens on loopback only, not on " + options.host,
               "listen",
               {}};
}

Status check_allowed_hosts(const Options& options) {
  for (const std::string& name : options.allowed_hosts) {
    if (api::is_host_name(name)) continue;
    return Error{Code::kBadRequest,
                 "allow-host must be a host's name or address without a port, not \"" + name + "\"",
                 "allow-host",
                 {}};
  }
  return Ok{};
}

http::ServerOptions http_options(const Options& options) {
  http::ServerOptions http;
  http.host = options.host == "localhost" ? "127.0.0.1" : options.host;
  http.port = options.port;
  http.threads = options.threads;
  http.certificate_file = options.certificate_file;
  http.key_file = options.key_file;
  const ConnectionLimits limits = connections_for(descriptor_limit());
  http.max_connections = limits.served;
  http.max_turned_away = limits.turned_away;
  return http;
}

}  // namespace

class Server::Parts {
 public:
  Parts(std::unique_ptr<store::Store> store, const Options& options)
      : running_(std::move(store), clock_),
        pace_(clock_),
        events_(running_.alarm(), base::Random::unpredictable().next()),
        submissions_(running_.alarm(), clock_, options.submission_limit),
        api_({running_.store(), running_.workers(), running_.claims(), running_.waits(), pace_,
              events_, submissions_, clock_, [this] { return !draining_; },
              options.allowed_hosts}) {
    running_.watch([this](const std::vector<store::Happening>& happenings) {
      pace_.happened(happenings);
      events_.happened(happenings);
    });
    duties_.emplace(running_.store(), running_.alarm(),
                    [this](const Error& error) { fail(error); });
  }

  ~Parts() {
    running_.store().before_leases_end({});
    http_.reset();
    close();
    duties_.reset();
    running_.stop();
  }

  Status listen(const Options& options) {
    auto started = http::HttpServer::start(http_options(options), api_);
    if (!started) return started.error();
    http_ = std::move(*started);
    running_.store().before_leases_end(
        [this](std::function<void()> caught_up) { http_->when_read(std::move(caught_up)); });
    return Ok{};
  }

  std::uint16_t port() const { return http_->port(); }

  Status wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || failure_; });
    if (failure_) return *failure_;
    return Ok{};
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  bool drain(Duration deadline) {
    {
      // A store that failed speaks for itself.
      const std::lock_guard lock(mutex_);
      draining_ = !failure_;
    }
    close();
    return http_->drain(deadline);
  }

 private:
  void close() {
    running_.close();
    events_.close();
  }

  void fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    failure_ = error;
    changed_.notify_all();
  }

  base::SystemClock clock_;
  engine::RunningStore running_;
  engine::Pace pace_;
  api::EventStreams events_;
  api::SubmissionClock submissions_;
  api::Api api_;
  std::optional<Duties> duties_;
  std::unique_ptr<http::HttpServer> http_;

  std::atomic<bool> draining_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;          // guarded by mutex_
  std::optional<Error> failure_;  // guarded by mutex_
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const Options& options) {
  static const base::SystemClock kStoreClock;
  store::local::FileOptions store_options;
  store_options.clock = &kStoreClock;
  store_options.accept_clock = options.accept_clock;
  store_options.notice = options.notice;
  if (const auto checked = check_host(options); !checked) return checked.error();
  if (const auto checked = check_allowed_hosts(options); !checked) return checked.error();
  auto store = store::local::open_store(options.store, store_options);
  if (!store) return store.error();
  auto parts = std::make_unique<Parts>(std::move(*store), options);
  if (const auto listening = parts->listen(options); !listening) return listening.error();
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

std::uint16_t Server::port() const { return parts_->port(); }
Status Server::wait() { return parts_->wait(); }
void Server::stop() { parts_->stop(); }
bool Server::drain(Duration deadline) { return parts_->drain(deadline); }

}  // namespace baton::server
