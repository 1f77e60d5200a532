// Makes one call of the API: a request on a connection, and its answer or the error in it. Decides
// when a call is made a second time. Any thread.
#pragma once

#include <string>

#include "baton/client.h"
#include "client/connections.h"
#include "client/interrupt.h"

namespace baton::client {

class Caller {
 public:
  Caller(Address address, const ClientOptions& options, std::shared_ptr<const TlsSettings> tls);

  // The answer, when it is a 2xx; else the error that it brings. A call that is repeatable is made
  // again, once and on a new connection, when the one that was used before turns out to be closed.
  Result<RawAnswer> call(const RawRequest& request, Interrupt* interrupt = nullptr);

 private:
  std::string bytes_of(const RawRequest& request) const;
  Attempt attempt(std::unique_ptr<Connection> connection, const std::string& bytes,
                  Deadline deadline, Interrupt* interrupt);

  std::string token_;
  Duration answer_timeout_;
  Connections connections_;
};

}  // namespace baton::client
