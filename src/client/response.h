// An answer as it came over the wire. Plain values.
#pragma once

#include <optional>
#include <string>

#include "baton/result.h"

namespace baton::client {

struct HttpAnswer {
  int status = 0;
  std::string content_type;
  std::optional<Duration> retry_after;
  std::string body;
};

}  // namespace baton::client
