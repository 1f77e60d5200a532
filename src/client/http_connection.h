// One HTTP/1.1 connection to a server, in the clear or with TLS: a request, its answer, the next
// request. Asio does the sockets and TLS, Beast reads the answers. Each connection has an
// io_context that runs only inside a call, on the caller's thread, so that every wait ends at its
// deadline or by an interrupt. One thread at a time. It never repeats a request.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "client/address.h"
#include "client/deadline.h"
#include "client/response.h"

namespace boost::asio::ssl {
class context;
}

namespace baton::client {

using TlsContext = boost::asio::ssl::context;

// What is trusted: the authorities in a PEM file; with no file, those of the system, or those that
// the variable SSL_CERT_FILE names. bad_request with the field "ca_file" when it cannot be read.
Result<std::shared_ptr<TlsContext>> make_tls_context(const std::string& ca_file);

// How a request on a connection ended: with an answer, or with an error.
struct Attempt {
  std::optional<HttpAnswer> response = {};
  Error error = {};
  // The connection ended before a byte of the answer came. On one that was used before this mostly
  // means that the server had closed it and never saw the request.
  bool closed_unanswered = false;
};

class HttpConnection {
 public:
  struct Target {
    Address address;
    Duration connect_timeout;         // for each address of the host, and for the TLS handshake
    std::shared_ptr<TlsContext> tls;  // none: in the clear
  };

  // Connects. store_unavailable when no address of the host answers, or the server does not prove
  // by a certificate that it is who its URL says; shutting_down when `stop` was requested. The
  // system looks the name up, with timeouts of its own.
  static Result<std::unique_ptr<HttpConnection>> open(const Target& target,
                                                      const std::stop_token& stop);

  HttpConnection() = default;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  virtual ~HttpConnection() = default;

  // Sends the bytes of a request and reads its answer. store_unavailable when the connection
  // breaks, the deadline passes or the answer is not HTTP with a certain end; shutting_down when
  // `stop` was requested.
  virtual Attempt send(const std::string& request, Deadline deadline,
                       const std::stop_token& stop) = 0;

  // Whether another request may go out here: the last answer allows it, and the server has
  // neither sent anything since nor closed.
  virtual bool reusable() = 0;
};

}  // namespace baton::client
