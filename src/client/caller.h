// Makes calls of the API: a request on a kept or a new connection, and its answer or the error in
// it. Keeps connections that are not in use for the next call, and decides when a call is made a
// second time. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "baton/client.h"
#include "client/http_connection.h"
#include "client/interrupt.h"

namespace baton::client {

class Caller {
 public:
  // With `tls` for an address that is secure, without for others.
  Caller(Address address, const ClientOptions& options, std::shared_ptr<TlsContext> tls);

  // The answer, when it is a 2xx; else the error in it. A call that is repeatable is made again,
  // once and on a new connection, when a kept connection turns out to be closed. Nothing else is
  // ever sent twice.
  Result<RawAnswer> call(const RawRequest& request, Interrupt* interrupt = nullptr);

 private:
  std::string bytes_of(const RawRequest& request) const;
  // The kept connection that was used last, or none.
  std::unique_ptr<HttpConnection> take_kept();
  // For the next call, unless the connection has ended or there are enough.
  void keep(std::unique_ptr<HttpConnection> connection);
  void drop_kept();

  HttpConnection::Target server_;
  std::string token_;
  Duration answer_timeout_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<HttpConnection>> kept_;
};

}  // namespace baton::client
