// The parts of a path and the parameters of a query, percent-decoded. Strict: what is not
// well-formed is refused, and the error names the parameter. Values are bytes that are valid UTF-8
// without control characters. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baton/result.h"

namespace baton::http {

// The parts of a path between its slashes, decoded: "/v1/jobs/a%2Fb" is v1, jobs, a/b. Empty parts
// are kept, so that "/v1/" has two. Error: bad_request, also for a path without its first slash.
Result<std::vector<std::string>> split_path(std::string_view path);

struct Parameter {
  std::string name;
  std::string value;
};

// "a=1&b=x+y": a is 1, b is "x y", as forms encode it. Empty pieces, as in "a=1&", are passed over.
// Error: bad_request; `field` names the parameter. Repeated names are kept, in order.
Result<std::vector<Parameter>> parse_query(std::string_view query);

}  // namespace baton::http
