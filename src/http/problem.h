// What the server refuses before a handler sees it: one table of faults with their status and
// their stable code, and the document of RFC 9457 that tells a client. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/json_writer.h"
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

// The members that every document of RFC 9457 has here: type, title, status, detail and code. The
// caller begins and ends the object, and may add members of its own.
struct ProblemMembers {
  int status = 500;
  std::string_view code;
  std::string_view detail;
};
void write_problem_members(base::JsonWriter& json, const ProblemMembers& members);
// An answer of the type application/problem+json, still without its body.
Response problem_head(int status);

// The whole answer to a fault.
Response problem_response(const Problem& problem);

using ProblemFormat = std::function<Response(const Problem&)>;

}  // namespace baton::http
