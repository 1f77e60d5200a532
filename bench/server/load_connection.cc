#include "bench/server/load_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace baton::bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

Error failed(const std::string& what) {
  return {Code::kStoreUnavailable, what + ": " + std::strerror(errno), {}, {}};
}

}  // namespace

LoadConnection::LoadConnection(LoadConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), host_(std::move(other.host_)) {}

LoadConnection::~LoadConnection() {
  if (socket_ >= 0) close(socket_);
}

Status LoadConnection::open(const client::Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) != 0) {
    return Error{Code::kBadRequest, "there is no host " + address.host, "server", {}};
  }
  socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = connect(socket_, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (!connected) return failed("cannot connect to " + address.authority());
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(socket_, F_SETFL, O_NONBLOCK);
  host_ = address.authority();
  return Ok{};
}

Status LoadConnection::post(std::string_view path, std::string_view body) {
  begin("POST ", path);
  output_ += "\r\nContent-Type: application/json\r\nContent-Length: ";
  output_ += std::to_string(body.size());
  output_ += "\r\n\r\n";
  output_ += body;
  return send_all();
}

Status LoadConnection::get(std::string_view path) {
  begin("GET ", path);
  output_ += "\r\n\r\n";
  return send_all();
}

void LoadConnection::begin(std::string_view method, std::string_view path) {
  output_.clear();
  output_ += method;
  output_ += path;
  output_ += " HTTP/1.1\r\nHost: ";
  output_ += host_;
  input_.clear();
  body_at_ = 0;
}

Status LoadConnection::send_all() {
  std::string_view left = output_;
  while (!left.empty()) {
    const ssize_t sent = send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      left.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd wait{socket_, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else {
      return failed("cannot send");
    }
  }
  return Ok{};
}

LoadConnection::Progress LoadConnection::read() {
  char bytes[kReadBytes];
  while (true) {
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got > 0) input_.append(bytes, static_cast<std::size_t>(got));
    if (got == 0) return Progress::kFailed;
    if (got < 0 && errno != EAGAIN) return Progress::kFailed;
    if (body_at_ == 0 && !parse_head() && got > 0) continue;
    if (body_at_ != 0 && input_.size() >= body_at_ + body_size_) return Progress::kAnswered;
    if (got < 0) return Progress::kWaiting;
  }
}

bool LoadConnection::parse_head() {
  const std::size_t end = input_.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const std::string_view head = std::string_view(input_).substr(0, end);
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t length = head.find(kLength);
  if (head.size() < 12 || length == std::string_view::npos) return false;
  std::from_chars(head.data() + 9, head.data() + 12, status_);
  std::from_chars(head.data() + length + kLength.size(), head.data() + head.size(), body_size_);
  body_at_ = end + 4;
  return true;
}

}  // namespace baton::bench
