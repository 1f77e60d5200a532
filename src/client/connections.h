// Connections to one server that are open and not in use. Whoever needs one takes one out, or
// opens a new one, and brings it back after the answer. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "client/address.h"
#include "client/connection.h"
#include "client/tls.h"

namespace baton::client {

class Connections {
 public:
  // With `tls` for an address that is secure, without for others.
  Connections(Address address, Duration connect_timeout, std::shared_ptr<const TlsSettings> tls)
      : address_(std::move(address)), connect_timeout_(connect_timeout), tls_(std::move(tls)) {}

  const Address& address() const { return address_; }

  // The one that was used last, or nothing when none is open.
  std::unique_ptr<Connection> take_open();
  // store_unavailable when the server cannot be reached.
  Result<std::unique_ptr<Connection>> open_new() const;
  // Keeps it for the next call, unless it has ended or there are enough.
  void give_back(std::unique_ptr<Connection> connection);
  // Those that are not in use are likely as dead as the one that was found so.
  void forget_all();

 private:
  Address address_;
  Duration connect_timeout_;
  std::shared_ptr<const TlsSettings> tls_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> open_;
};

}  // namespace baton::client
