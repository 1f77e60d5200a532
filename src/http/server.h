// An HTTP/1.1 server: threads that accept connections, read requests, hand them to a Handler and
// send the answers, over TCP or TLS. All requests that have arrived on a connection are handled
// before one write answers them. It knows HTTP and nothing of what the requests are about; who may
// ask what, and where it is safe to listen, is for the layer above. What it refuses itself is in
// problem.h; what counts as a request is in parser.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "baton/result.h"
#include "http/handler.h"
#include "http/problem.h"

namespace baton::http {

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: a free one
  std::size_t threads = 1;

  // Beyond a limit the client is told: 431, 414, 413, 503.
  std::size_t max_header_bytes = 16U << 10;  // of all fields
  std::size_t max_target_bytes = 8U << 10;
  std::size_t max_body_bytes = 20U << 20;
  // A body that is too large is read to its end if it is not larger than this, so that the client
  // sees the answer instead of a broken connection.
  std::size_t max_discarded_bytes = 32U << 20;
  std::size_t max_connections = 10'000;
  // How many beyond that are told so; more are closed without a word.
  std::size_t max_turned_away = 64;

  // Beyond these the server takes no request from a connection until answers have gone out. It
  // reads on a little, because the end of what a client sends stands behind what it sent.
  std::size_t max_open_requests = 128;
  std::size_t max_waiting_bytes = 1U << 20;
  std::size_t max_read_ahead_bytes = 1U << 20;
  // A stream whose reader leaves more than this unread is cut off.
  std::size_t max_unsent_bytes = 256U << 10;
  // A connection on which more than this waits to be sent is cut off: it asked for much and does
  // not read.
  std::size_t max_held_bytes = 128U << 20;

  // Of all connections together; small ones are not counted. A body that does not fit is read to
  // its end and answered with 503, and so is a GET whose answer does not fit. Answers to changes
  // are never refused; when they exceed the budget, who reads slowest is cut off.
  std::size_t max_bodies_bytes = 256U << 20;
  std::size_t max_answers_bytes = 256U << 20;

  Duration idle_timeout = base::seconds(75);    // between requests: closed
  Duration header_timeout = base::seconds(10);  // a head, or a TLS handshake: 408
  // A body and a reader may fall behind the slowest allowed pace by this much: 408, or cut off.
  Duration body_timeout = base::seconds(10);
  Duration write_timeout = base::seconds(30);
  std::size_t min_bytes_per_second = 1U << 10;
  // The same while half of a budget is used: then nobody may hold much of it for long.
  Duration short_timeout = base::seconds(2);
  std::size_t short_bytes_per_second = 256U << 10;
  // After the last answer, how long the client has to close its side.
  Duration linger = base::seconds(2);

  // PEM files. Both or none; with them the server speaks TLS 1.2 and 1.3 only.
  std::string certificate_file;
  std::string key_file;

  ProblemFormat format_problem = problem_response;
};

// Since the start. Reads and writes count the calls to the system that carried data.
struct ServerStats {
  std::uint64_t open_connections = 0;
  std::uint64_t accepted = 0;
  std::uint64_t refused_connections = 0;
  std::uint64_t requests = 0;
  std::uint64_t problems = 0;  // refused before a handler saw them
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t body_bytes = 0;    // of large bodies, held now
  std::uint64_t answer_bytes = 0;  // of large answers, held now
};

class HttpServer {
 public:
  // Listens, and starts the threads. `handler` must outlive the server. Errors: conflict when the
  // address is taken; bad_request when it is none, or a certificate or key cannot be used.
  static Result<std::unique_ptr<HttpServer>> start(ServerOptions options, RequestHandler& handler);
  // Closes every connection as it is. Responders that are left do nothing from here on. Not on a
  // thread of the server.
  ~HttpServer();

  std::uint16_t port() const;

  // Accepts no more connections, closes the idle ones, lets requests that have begun come to their
  // answers and closes the others' connections then. Waits for that, until the deadline; what is
  // left is cut off. True when nothing was. Requests that wait for something else must be answered
  // by their handler. Once, and not on a thread of the server.
  bool drain(Duration deadline);

  // Calls `done` when every thread has handled what had arrived on its connections by now, and what
  // came while it was at it. A flood does not hold it up for ever. Never called when the server is
  // destroyed before. Any thread.
  void when_read(std::function<void()> done);

  ServerStats stats() const;

 private:
  class Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace baton::http
