#include "http/problem.h"

#include <array>
#include <string>

#include "base/assert.h"

namespace baton::http {
namespace {

struct Row {
  Fault fault;
  int status;
  std::string_view code;
};

// In the order of Fault.
constexpr std::array<Row, kFaultCount> kRows = {{
    {Fault::kBadRequest, 400, "bad_request"},
    {Fault::kRequestTimeout, 408, "request_timeout"},
    {Fault::kBodyTooLarge, 413, "payload_too_large"},
    {Fault::kTargetTooLong, 414, "uri_too_long"},
    {Fault::kExpectationFailed, 417, "expectation_failed"},
    {Fault::kHeadersTooLarge, 431, "headers_too_large"},
    {Fault::kInternal, 500, "internal_error"},
    {Fault::kNotImplemented, 501, "not_implemented"},
    {Fault::kTooManyConnections, 503, "too_many_connections"},
    {Fault::kOutOfMemory, 503, "store_unavailable"},
    {Fault::kVersionNotSupported, 505, "http_version_not_supported"},
}};

const Row& row_of(Fault fault) {
  const Row& row = kRows.at(static_cast<std::size_t>(fault));
  BATON_ASSERT(row.fault == fault);
  return row;
}

}  // namespace

int status_of(Fault fault) { return row_of(fault).status; }
std::string_view code_of(Fault fault) { return row_of(fault).code; }

Problem out_of_memory() {
  return {Fault::kOutOfMemory, "the server has no memory left for this request; ask again"};
}

void write_problem_members(base::JsonWriter& json, const ProblemMembers& members) {
  json.member("type", "about:blank");
  json.member("title", reason_phrase(members.status));
  json.member("status", members.status);
  json.member("detail", members.detail);
  json.member("code", members.code);
}

Response problem_head(int status) {
  return {.status = status, .content_type = "application/problem+json"};
}

Response problem_response(const Problem& problem) {
  const Row& row = row_of(problem.fault);
  Response response = problem_head(row.status);
  base::JsonWriter json(response.body);
  json.begin_object();
  write_problem_members(json, {row.status, row.code, problem.detail});
  json.end_object();
  // Seconds. Connections come and go quickly.
  if (row.status == 503) response.fields.push_back({"Retry-After", "1"});
  return response;
}

}  // namespace baton::http
