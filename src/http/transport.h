// One socket, plain or TLS, as a connection sees it, and what makes sockets: threads, an acceptor
// and a tick. Behind this seam is Asio; nothing in front of it knows. Every method of a Transport
// and every event belong to the one thread that the socket was given to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "baton/result.h"
#include "http/server.h"

namespace baton::http {

class Transport {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_open() = 0;                      // bytes may be sent from here on
    virtual void on_read(std::size_t count) = 0;     // 0: the client sends nothing more
    virtual void on_written(std::size_t count) = 0;  // some of what write() was given
    virtual void on_broken() = 0;                    // neither way works any more
    virtual void on_hangup() = 0;                    // as watch_hangup() says
  };

  virtual ~Transport() = default;
  // `events` is kept alive only by calls that are under way.
  virtual void start(std::weak_ptr<Events> events) = 0;
  // One at a time; `into` must stay until the event.
  virtual void read(std::span<char> into) = 0;
  // Sends what can be sent at once and says how much; or returns 0, and on_written() follows.
  // Until then the bytes must stay and no other write may begin.
  virtual std::size_t write(const std::vector<std::string_view>& bytes) = 0;
  // Until the next read: on_hangup() comes once the client has closed its side, though what it sent
  // before was not read.
  virtual void watch_hangup() = 0;
  // Tells the client that nothing more comes. Reading goes on.
  virtual void finish_sending() = 0;
  // No event follows.
  virtual void close() = 0;
};

class Network {
 public:
  // All calls on the thread they name, except that accepting is spread over all threads.
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_thread_start(std::size_t thread) = 0;
    virtual void on_accept(std::size_t thread, std::unique_ptr<Transport> transport) = 0;
    virtual void on_tick(std::size_t thread) = 0;
  };

  // Listens; nothing is accepted before run(). Errors as Server::start.
  static Result<std::unique_ptr<Network>> open(const ServerOptions& options, Duration tick);
  virtual ~Network() = default;

  virtual std::uint16_t port() const = 0;
  virtual void run(Events& events) = 0;
  // Any thread. What is posted after stop() is never called.
  virtual void post(std::size_t thread, std::function<void()> task) = 0;
  virtual void stop_accepting() = 0;
  // Calls what was posted before, ends the threads and waits for them.
  virtual void stop() = 0;
};

}  // namespace baton::http
