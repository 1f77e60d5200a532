#include "client/caller.h"

#include <utility>

#include "client/read_error.h"

namespace baton::client {
namespace {

constexpr std::size_t kMostKept = 32;

}  // namespace

Caller::Caller(Address address, const ClientOptions& options, std::shared_ptr<TlsContext> tls)
    : server_{std::move(address), options.connect_timeout, std::move(tls)},
      token_(options.token),
      answer_timeout_(options.answer_timeout) {}

std::string Caller::bytes_of(const RawRequest& request) const {
  const Address& address = server_.address;
  std::string bytes;
  bytes.reserve(request.body.size() + 256);
  bytes += request.method + " " + address.prefix + request.target + " HTTP/1.1\r\n";
  bytes += "Host: " + address.authority() + "\r\n";
  if (!token_.empty()) bytes += "Authorization: Bearer " + token_ + "\r\n";
  bytes += "Accept: application/json\r\n";
  if (!request.body.empty()) bytes += "Content-Type: application/json\r\n";
  if (request.minimal) bytes += "Prefer: return=minimal\r\n";
  if (request.method != "GET") {
    bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  bytes += "\r\n";
  bytes += request.body;
  return bytes;
}

Result<RawAnswer> Caller::call(const RawRequest& request, Interrupt* interrupt) {
  const std::string bytes = bytes_of(request);
  const Deadline deadline = Deadline::in(answer_timeout_ + request.wait);
  const std::stop_token stop = interrupt == nullptr ? std::stop_token() : interrupt->token();
  Attempt made{.closed_unanswered = true};
  std::unique_ptr<HttpConnection> connection = take_kept();
  if (connection) {
    made = connection->send(bytes, deadline, stop);
    // The other kept connections are likely as dead as this one.
    if (made.closed_unanswered) drop_kept();
    if (made.closed_unanswered && !request.repeatable) return made.error;
  }
  if (made.closed_unanswered) {
    auto fresh = HttpConnection::open(server_, stop);
    if (!fresh) return fresh.error();
    connection = *std::move(fresh);
    made = connection->send(bytes, deadline, stop);
  }
  if (!made.response) return made.error;
  keep(std::move(connection));
  HttpAnswer& response = *made.response;
  if (response.status < 200 || response.status > 299) return error_in(response);
  return RawAnswer{response.status, std::move(response.content_type), std::move(response.body)};
}

std::unique_ptr<HttpConnection> Caller::take_kept() {
  const std::lock_guard lock(mutex_);
  while (!kept_.empty()) {
    std::unique_ptr<HttpConnection> connection = std::move(kept_.back());
    kept_.pop_back();
    if (connection->reusable()) return connection;
  }
  return nullptr;
}

void Caller::keep(std::unique_ptr<HttpConnection> connection) {
  if (!connection->reusable()) return;
  const std::lock_guard lock(mutex_);
  if (kept_.size() < kMostKept) kept_.push_back(std::move(connection));
}

void Caller::drop_kept() {
  std::vector<std::unique_ptr<HttpConnection>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(kept_);
}

}  // namespace baton::client
