// What the server refuses before a handler sees it: one table of faults with their status and
// their stable code, and the document of RFC 9457 that tells a client. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "http/message.h"

namespace baton::http {

enum class Fault : std::uint8_t {
  kBadRequest,
  kRequestTimeout,
  kBodyTooLarge,
  kTargetTooLong,
  kExpectationFailed,
  kHeadersTooLarge,
  kInternal,
  kNotImplemented,
  kTooManyConnections,
  kOutOfMemory,
  kVersionNotSupported,
};
inline constexpr int kFaultCount = static_cast<int>(Fault::kVersionNotSupported) + 1;

struct Problem {
  Fault fault = Fault::kBadRequest;
  std::string_view detail;  // for a person; a literal
};

int status_of(Fault fault);
// The code as it appears in answers: "bad_request". Never renamed.
std::string_view code_of(Fault fault);

// What a request gets that the server has no memory for.
Problem out_of_memory();

// application/problem+json with type, title, status, detail and code.
Response problem_response(const Problem& problem);

using ProblemFormat = std::function<Response(const Problem&)>;

}  // namespace baton::http
