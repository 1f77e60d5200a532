#include "client/connection.h"

#include <array>

#include "client/response_parser.h"

namespace baton::client {

Attempt Connection::send(std::string_view request, Deadline deadline) {
  std::optional<Error> problem;
  // A server that refuses a request early may close before it has read all of it. Its answer may
  // be there all the same.
  if (const Status sent = stream_->send(request, deadline); !sent) problem = sent.error();
  Attempt attempt = receive(std::move(problem), deadline);
  alive_ = attempt.response && attempt.response->keep_alive;
  used_ = true;
  return attempt;
}

Attempt Connection::receive(std::optional<Error> sending, Deadline deadline) {
  ResponseParser parser;
  std::array<char, 16384> bytes{};
  auto progress = ResponseParser::Progress::kNeedsMore;
  while (progress == ResponseParser::Progress::kNeedsMore) {
    const Result<std::size_t> count = stream_->receive(bytes, deadline);
    if (!count) {
      const bool in_time = deadline.left_ms() > 0;
      return {.error = sending.value_or(count.error()),
              .closed_unanswered = in_time && !parser.begun()};
    }
    if (*count == 0 && !parser.begun()) {
      const Error ended{.code = Code::kStoreUnavailable,
                        .message = "the server closed the connection without an answer"};
      return {.error = sending.value_or(ended), .closed_unanswered = true};
    }
    progress = *count == 0 ? parser.at_end() : parser.take({bytes.data(), *count});
  }
  if (progress == ResponseParser::Progress::kDone) {
    Attempt answered{.response = std::move(parser.response())};
    if (sending) answered.response->keep_alive = false;
    return answered;
  }
  return {.error = {.code = Code::kStoreUnavailable,
                    .message = "the server's answer is not understood: " + parser.problem()}};
}

}  // namespace baton::client
