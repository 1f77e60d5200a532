#include "client/read_error.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "wire/shapes.h"

namespace baton::client {
namespace {

struct Problem {
  std::string code;
  std::string detail;
  std::string title;
  std::string field;
  std::optional<Duration> retry_after;
  std::optional<std::int64_t> index;
  int status = 0;
};

// As much as the header Retry-After may say: more than anybody waits, and times can be added to it.
constexpr Duration kMaxWait = std::chrono::seconds(1'000'000'000);

void read_wait(wire::RowInput& in, Problem& out) {
  out.retry_after = std::clamp(Duration(in.json.integer()), Duration(0), kMaxWait);
}

constexpr wire::Row<Problem> kProblem[] = {
    wire::field<&Problem::title>("title"),   wire::field<&Problem::status>("status"),
    wire::field<&Problem::detail>("detail"), wire::field<&Problem::code>("code"),
    wire::field<&Problem::field>("field"),   {"retry_after_ms", read_wait},
    wire::field<&Problem::index>("index"),
};

void read_members(json::Reader& reader, Problem& out) {
  wire::RowInput in{reader, wire::Message::kAnswer};
  wire::read_rows<Problem>(in, out, kProblem);
}

struct Row {
  int status;
  Code code;
};

// For answers whose code we do not know, or that have none: something between us and the server
// may have made them.
constexpr std::array<Row, 9> kByStatus = {{
    {401, Code::kUnauthenticated},
    {402, Code::kInsufficientCredits},
    {403, Code::kForbidden},
    {404, Code::kNotFound},
    {409, Code::kConflict},
    {413, Code::kPayloadTooLarge},
    {415, Code::kUnsupportedMediaType},
    {422, Code::kInvalidJob},
    {429, Code::kRateLimited},
}};

Code code_of_status(int status) {
  for (const Row& row : kByStatus) {
    if (row.status == status) return row.code;
  }
  // A request that came too slowly may be repeated; the other 4xx will be refused again.
  return status >= 400 && status < 500 && status != 408 ? Code::kBadRequest
                                                        : Code::kStoreUnavailable;
}

Error error_of(const Problem& problem) {
  Error error;
  const std::optional<Code> known = parse<Code>(problem.code);
  error.code = known.value_or(code_of_status(problem.status));
  error.message = problem.detail.empty() ? problem.title : problem.detail;
  if (error.message.empty()) error.message = "the server refused";
  if (!known) {
    error.message += " (" + std::to_string(problem.status);
    error.message += problem.code.empty() ? ")" : " " + problem.code + ")";
  }
  error.field = problem.field;
  if (problem.index) {
    const std::string place = "jobs[" + std::to_string(*problem.index) + "]";
    if (!error.field.starts_with(place)) {
      error.field = error.field.empty() ? place : place + "." + error.field;
    }
  }
  error.retry_after = problem.retry_after.value_or(Duration(0));
  return error;
}

}  // namespace

Error read_problem(json::Reader& reader) {
  Problem problem;
  read_members(reader, problem);
  return error_of(problem);
}

Error error_in(const HttpAnswer& response) {
  Problem problem;
  if (response.content_type.find("json") != std::string::npos) {
    json::Reader reader(response.body);
    read_members(reader, problem);
    if (!reader.finish()) problem = {};
  }
  problem.status = response.status;
  if (!problem.retry_after) problem.retry_after = response.retry_after;
  if (problem.detail.empty() && problem.title.empty()) {
    problem.title = "the server answered with status " + std::to_string(response.status);
    if (problem.code.empty())
      return {.code = code_of_status(response.status),
              .message = problem.title,
              .retry_after = problem.retry_after.value_or(Duration(0))};
  }
  return error_of(problem);
}

}  // namespace baton::client
