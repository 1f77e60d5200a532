#include "api/answer.h"

#include <array>

#include "base/assert.h"
#include "http/problem.h"

namespace baton::api {
namespace {

struct Row {
  Code code;
  int status;
};

// In the order of Code.
constexpr std::array<Row, kNames<Code>.size()> kStatuses = {{
    {Code::kBadRequest, 400},
    {Code::kUnauthenticated, 401},
    {Code::kInsufficientCredits, 402},
    {Code::kForbidden, 403},
    {Code::kNotFound, 404},
    {Code::kStaleLease, 409},
    {Code::kAlreadyCommitted, 409},
    {Code::kInvalidTransition, 409},
    {Code::kNotInProfile, 409},
    {Code::kConflict, 409},
    {Code::kPayloadTooLarge, 413},
    {Code::kUnsupportedMediaType, 415},
    {Code::kInvalidJob, 422},
    {Code::kUnknownDependency, 422},
    {Code::kDependencyCycle, 422},
    {Code::kDependencyTooDeep, 422},
    {Code::kDependencyTooWide, 422},
    {Code::kGuardRejected, 422},
    {Code::kQuotaExceeded, 429},
    {Code::kRateLimited, 429},
    {Code::kQueueFull, 429},
    {Code::kStoreUnavailable, 503},
    {Code::kShuttingDown, 503},
    {Code::kSubmissionTimeout, 503},
    {Code::kDamaged, 500},
}};

constexpr std::string_view kStoreFailed =
    "the server's store has failed; whether a change was made is not known";
constexpr std::string_view kDamagedDetail =
    "what is stored of it cannot be read any more; `baton doctor` says more to the operator";

// Whole seconds, at least one: the header knows nothing finer.
std::string retry_after_seconds(Duration wait) {
  return std::to_string(wait.ms <= 1000 ? 1 : (wait.ms + 999) / 1000);
}

}  // namespace

http::Response problem_answer(const Error& error, const MoreMembers& more) {
  http::Response response = http::problem_head(status_of(error.code));
  base::JsonWriter json(response.body);
  write_problem(json, error, more);
  // Every refusal that asking again may overcome says when that is worth it.
  if (response.status == 429 || response.status == 503) {
    response.fields.push_back({"Retry-After", retry_after_seconds(error.retry_after)});
  }
  return response;
}

http::Response json_answer(int status, std::string body) {
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

int status_of(Code code) {
  const Row& row = kStatuses.at(static_cast<std::size_t>(code));
  BATON_ASSERT(row.code == code);
  return row.status;
}

void write_problem(base::JsonWriter& json, const Error& error, const MoreMembers& more) {
  // What failed on the server's disk, and where that is, is the operator's matter.
  const bool failed = error.code == Code::kStoreUnavailable;
  const bool damaged = error.code == Code::kDamaged;
  json.begin_object();
  http::write_problem_members(json, {status_of(error.code), name(error.code),
                                     failed    ? kStoreFailed
                                     : damaged ? kDamagedDetail
                                               : std::string_view(error.message)});
  if (!error.field.empty()) json.member("field", error.field);
  if (error.retry_after.ms > 0) {
    json.key("retry_after_ms");
    json.number(error.retry_after.ms);
  }
  if (more) more(json);
  json.end_object();
}

http::Response problem_answer(const Error& error) { return problem_answer(error, MoreMembers()); }

http::Response problem_answer(const Error& error, std::size_t index) {
  return problem_answer(error, [index](base::JsonWriter& json) {
    json.key("index");
    json.number(static_cast<std::int64_t>(index));
  });
}

http::Response wrong_method_answer(const std::string& allowed) {
  http::Response response = http::problem_head(405);
  base::JsonWriter json(response.body);
  json.begin_object();
  http::write_problem_members(json, {405, "method_not_allowed", "this path has only " + allowed});
  json.end_object();
  response.fields.push_back({"Allow", allowed});
  return response;
}

Error bad_request(std::string message, std::string field) {
  return {Code::kBadRequest, std::move(message), std::move(field), {}};
}

Error not_found(std::string message) { return {Code::kNotFound, std::move(message), {}, {}}; }

}  // namespace baton::api
