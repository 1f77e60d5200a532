#include "client/caller.h"

#include <utility>

#include "client/read_error.h"

namespace baton::client {
namespace {

Error interrupted() { return {.code = Code::kShuttingDown, .message = "the call was interrupted"}; }

}  // namespace

Caller::Caller(Address address, const ClientOptions& options,
               std::shared_ptr<const TlsSettings> tls)
    : token_(options.token),
      answer_timeout_(options.answer_timeout),
      connections_(std::move(address), options.connect_timeout, std::move(tls)) {}

std::string Caller::bytes_of(const RawRequest& request) const {
  const Address& address = connections_.address();
  std::string bytes;
  bytes.reserve(request.body.size() + 256);
  bytes += request.method + " " + address.prefix + request.target + " HTTP/1.1\r\n";
  bytes += "Host: " + address.authority() + "\r\n";
  if (!token_.empty()) bytes += "Authorization: Bearer " + token_ + "\r\n";
  bytes += "Accept: application/json\r\n";
  if (!request.body.empty()) bytes += "Content-Type: application/json\r\n";
  if (request.method != "GET") {
    bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  bytes += "\r\n";
  bytes += request.body;
  return bytes;
}

Attempt Caller::attempt(std::unique_ptr<Connection> connection, const std::string& bytes,
                        Deadline deadline, Interrupt* interrupt) {
  if (interrupt != nullptr && !interrupt->watch(connection->descriptor())) {
    return {.error = interrupted()};
  }
  Attempt attempt = connection->send(bytes, deadline);
  if (interrupt != nullptr && !interrupt->watch(-1) && !attempt.response) {
    return {.error = interrupted()};
  }
  if (attempt.response) connections_.give_back(std::move(connection));
  return attempt;
}

Result<RawAnswer> Caller::call(const RawRequest& request, Interrupt* interrupt) {
  const std::string bytes = bytes_of(request);
  const Deadline deadline = Deadline::in(answer_timeout_ + request.wait);
  Attempt made{.closed_unanswered = true};
  if (std::unique_ptr<Connection> open = connections_.take_open()) {
    made = attempt(std::move(open), bytes, deadline, interrupt);
    if (made.closed_unanswered) connections_.forget_all();
    if (made.closed_unanswered && !request.repeatable) return made.error;
  }
  if (made.closed_unanswered) {
    Result<std::unique_ptr<Connection>> fresh = connections_.open_new();
    if (!fresh) return fresh.error();
    made = attempt(*std::move(fresh), bytes, deadline, interrupt);
  }
  if (!made.response) return made.error;
  Response& response = *made.response;
  if (response.status < 200 || response.status > 299) return error_in(response);
  return RawAnswer{response.status, std::move(response.content_type), std::move(response.body)};
}

}  // namespace baton::client
