// A whole server: a store, the duties beside it, and the HTTP calls on top. The only place where
// concrete types are named and put together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "baton/result.h"

namespace baton::server {

struct Options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 2286;                // 0: a free one
  std::string store = "file:./baton-data";  // or memory:
  std::size_t threads = 1;                  // that read requests and send answers
  std::string certificate_file{};           // PEM; both or none
  std::string key_file{};
  bool accept_clock = false;  // however far it is ahead of the last change of the store
  // Told what an operator should know of; may be unset.
  std::function<void(const std::string&)> notice{};
  // A submission that is not acknowledged by then is answered with submission_timeout.
  Duration submission_limit = base::seconds(30);
  // Names by which it may be called, besides addresses and localhost; and hosts whose pages may.
  std::vector<std::string> allowed_hosts{};
};

// "HOST:PORT", also with an IPv6 address in brackets. bad_request for anything else.
Status parse_listen(const std::string& text, Options& options);

// Whether nobody but this machine can reach the host: an address of its own, or "localhost". Other
// names are not asked for, because who answers for them is not known.
bool is_loopback(const std::string& host);

class Server {
 public:
  // Opens the store and listens. Errors: bad_request (no such store, an address that is not safe to
  // listen on), conflict (the directory or the address is taken), store_unavailable.
  static Result<std::unique_ptr<Server>> start(const Options& options);
  // Cuts off what is under way.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

  // Waits until stop() was called, or the store failed: then the error says how.
  Status wait();
  // Makes wait() return. Any thread.
  void stop();

  // No new claims; waiting ones and streams end; open requests are answered; the store is closed.
  // True when nothing had to be cut off at the deadline. Once.
  bool drain(Duration deadline);

 private:
  class Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace baton::server
