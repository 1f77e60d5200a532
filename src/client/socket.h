// A TCP connection to a server, without delays for small pieces. One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "client/address.h"
#include "client/stream.h"

namespace baton::client {

class Socket final : public Stream {
 public:
  // Tries the addresses of the host one after the other, each for at most `timeout`. The name is
  // looked up by the system, which has timeouts of its own. store_unavailable when none answers.
  static Result<std::unique_ptr<Socket>> connect(const Address& address, Duration timeout);

  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() override;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  Status send(std::string_view bytes, Deadline deadline) override;
  Result<std::size_t> receive(std::span<char> into, Deadline deadline) override;
  bool quiet() override;
  int descriptor() const override { return descriptor_; }

 private:
  int descriptor_;  // does not block
};

}  // namespace baton::client
