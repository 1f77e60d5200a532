#include "client/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace baton::client {
namespace {

Error unavailable(const std::string& message) {
  return {.code = Code::kStoreUnavailable, .message = message};
}

Error failed(const char* what, int number) {
  return unavailable(std::string(what) + ": " + std::strerror(number));
}

// Waits until the socket can do it; an error when the time is over.
Status wait_for(int descriptor, short event, Deadline deadline) {
  pollfd waiting{.fd = descriptor, .events = event, .revents = 0};
  while (true) {
    const int left = deadline.left_ms();
    const int ready = ::poll(&waiting, 1, left);
    if (ready > 0) return Ok{};
    if (ready < 0 && errno != EINTR) return failed("cannot wait for the server", errno);
    if (ready == 0) return unavailable("the server did not answer in time");
  }
}

// Zero, or the number of the error.
int connect_to(int descriptor, const addrinfo& address, Duration timeout) {
  if (::connect(descriptor, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (!wait_for(descriptor, POLLOUT, Deadline::in(timeout))) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace

Result<std::unique_ptr<Socket>> Socket::connect(const Address& address, Duration timeout) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int looked_up = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &list);
  const std::string where = "cannot connect to " + address.authority();
  if (looked_up != 0) return unavailable(where + ": " + ::gai_strerror(looked_up));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    const int descriptor =
        ::socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, each->ai_protocol);
    if (descriptor < 0) {
      error = errno;
      continue;
    }
    auto socket = std::make_unique<Socket>(descriptor);
    error = connect_to(descriptor, *each, timeout);
    if (error != 0) continue;
    const int on = 1;
    // Without these a call is only slower, and a dead server found out later.
    (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return socket;
  }
  return failed(where.c_str(), error);
}

Socket::~Socket() { ::close(descriptor_); }

Status Socket::send(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (Status ready = wait_for(descriptor_, POLLOUT, deadline); !ready) return ready;
    } else if (errno != EINTR) {
      return failed("the connection to the server broke", errno);
    }
  }
  return Ok{};
}

Result<std::size_t> Socket::receive(std::span<char> into, Deadline deadline) {
  while (true) {
    const ssize_t count = ::recv(descriptor_, into.data(), into.size(), 0);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN) {
      if (Status ready = wait_for(descriptor_, POLLIN, deadline); !ready) return ready.error();
    } else if (errno != EINTR) {
      return failed("the connection to the server broke", errno);
    }
  }
}

bool Socket::quiet() {
  char byte = 0;
  const ssize_t count = ::recv(descriptor_, &byte, 1, MSG_PEEK);
  return count < 0 && errno == EAGAIN;
}

}  // namespace baton::client
