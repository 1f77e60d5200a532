#include "api/api.h"

#include <optional>

#include "api/answer.h"
#include "api/decode.h"
#include "api/filter.h"
#include "api/origin.h"
#include "api/routes.h"

namespace baton::api {
namespace {

std::optional<Error> check_body(const http::Request& request, Body body) {
  if (request.body.empty()) {
    if (body == Body::kJson) return bad_request("the request needs a JSON document as its body");
    return std::nullopt;
  }
  if (body == Body::kNone) return bad_request("the request must not have a body");
  if (body == Body::kEmpty) {
    const auto read = wire::read_request<wire::NoMembers>(request.body);
    if (!read) return read.error();
  }
  return std::nullopt;
}

Status check_query(std::string_view text, Query query) {
  if (query == Query::kParsed || text.empty()) return Ok{};
  const auto parameters = http::parse_query(text);
  if (!parameters) return parameters.error();
  return check_parameters(*parameters, {});
}

}  // namespace

void Api::handle(const http::Request& request, http::Responder responder) {
  const auto parts = http::split_path(request.path);
  if (!parts) return responder.send(problem_answer(parts.error()));
  Match match = find_route(request.method, *parts);
  const bool page = match.route != nullptr && match.route->shows == Shows::kPage;
  if (const auto refused = check_origin(request, service_.allowed_hosts, page)) {
    return responder.send(problem_answer(*refused));
  }
  if (match.route == nullptr) {
    if (!match.allowed.empty()) return responder.send(wrong_method_answer(match.allowed));
    return responder.send(
        problem_answer(not_found("there is nothing at " + std::string(request.path))));
  }
  if (const auto refused = check_content_type(request)) {
    return responder.send(problem_answer(*refused));
  }
  if (const auto refused = check_body(request, match.route->body)) {
    return responder.send(problem_answer(*refused));
  }
  if (const auto refused = check_query(request.query, match.route->query); !refused) {
    return responder.send(problem_answer(refused.error()));
  }
  match.route->handle(ApiCall{service_, request, std::move(responder), std::move(match.names)});
}

}  // namespace baton::api
