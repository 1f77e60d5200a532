#include "client/connections.h"

#include <utility>

#include "client/socket.h"

namespace baton::client {
namespace {

constexpr std::size_t kMostIdle = 32;

}  // namespace

std::unique_ptr<Connection> Connections::take_open() {
  const std::lock_guard lock(mutex_);
  while (!open_.empty()) {
    std::unique_ptr<Connection> connection = std::move(open_.back());
    open_.pop_back();
    if (connection->reusable()) return connection;
  }
  return nullptr;
}

Result<std::unique_ptr<Connection>> Connections::open_new() const {
  Result<std::unique_ptr<Socket>> socket = Socket::connect(address_, connect_timeout_);
  if (!socket) return socket.error();
  if (!tls_) return std::make_unique<Connection>(*std::move(socket));
  auto secure = TlsStream::greet(*std::move(socket), tls_, address_, connect_timeout_);
  if (!secure) return secure.error();
  return std::make_unique<Connection>(*std::move(secure));
}

void Connections::give_back(std::unique_ptr<Connection> connection) {
  if (!connection->reusable()) return;
  const std::lock_guard lock(mutex_);
  if (open_.size() < kMostIdle) open_.push_back(std::move(connection));
}

void Connections::forget_all() {
  std::vector<std::unique_ptr<Connection>> forgotten;
  const std::lock_guard lock(mutex_);
  forgotten.swap(open_);
}

}  // namespace baton::client
