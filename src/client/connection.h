// One connection to a server: a request, its answer, the next request. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/response.h"
#include "client/stream.h"

namespace baton::client {

// How a request on a connection ended: with an answer, or with an error.
struct Attempt {
  std::optional<Response> response = {};
  Error error = {};
  // The connection ended before a byte of the answer came. On one that was used before this mostly
  // means that the server had closed it and never saw the request.
  bool closed_unanswered = false;
};

class Connection {
 public:
  explicit Connection(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  // Sends the bytes of a request and reads its answer.
  Attempt send(std::string_view request, Deadline deadline);

  // Whether another request may go out here.
  bool reusable() { return alive_ && stream_->quiet(); }
  // Whether an answer has come here before.
  bool used() const { return used_; }
  int descriptor() const { return stream_->descriptor(); }

 private:
  Attempt receive(std::optional<Error> sending, Deadline deadline);

  std::unique_ptr<Stream> stream_;
  bool alive_ = true;
  bool used_ = false;
};

}  // namespace baton::client
