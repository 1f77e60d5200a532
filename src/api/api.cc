#include "api/api.h"

#include <algorithm>
#include <optional>

#include "api/answer.h"
#include "api/filter.h"
#include "api/routes.h"

namespace baton::api {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// "application/json", with any parameters behind it.
bool is_json_type(std::string_view type) {
  const std::string_view bare = type.substr(0, type.find(';'));
  constexpr std::string_view kJson = "application/json";
  const std::string_view trimmed = bare.substr(0, bare.find_last_not_of(" \t") + 1);
  return std::equal(trimmed.begin(), trimmed.end(), kJson.begin(), kJson.end(),
                    [](char a, char b) { return lower(a) == b; });
}

std::optional<base::Error> check_body(const http::Request& request, Body body) {
  if (request.body.empty()) {
    if (body == Body::kJson) return bad_request("the request needs a JSON document as its body");
    return std::nullopt;
  }
  if (body == Body::kNone) return bad_request("the request must not have a body");
  const auto type = request.headers.find("content-type");
  if (type && !is_json_type(*type)) {
    return base::Error{base::Code::kUnsupportedMediaType,
                       "the body must be application/json, not " + std::string(*type),
                       "Content-Type",
                       {}};
  }
  return std::nullopt;
}

base::Status check_query(std::string_view text, Query query) {
  if (query == Query::kParsed || text.empty()) return base::Ok{};
  const auto parameters = http::parse_query(text);
  if (!parameters) return parameters.error();
  return check_parameters(*parameters, {});
}

}  // namespace

void Api::handle(const http::Request& request, http::Responder responder) {
  const auto parts = http::split_path(request.path);
  if (!parts) return responder.send(problem_answer(parts.error()));
  Match match = find_route(request.method, *parts);
  if (match.route == nullptr) {
    if (!match.allowed.empty()) return responder.send(wrong_method_answer(match.allowed));
    return responder.send(
        problem_answer(not_found("there is nothing at " + std::string(request.path))));
  }
  if (const auto refused = check_body(request, match.route->body)) {
    return responder.send(problem_answer(*refused));
  }
  if (const auto refused = check_query(request.query, match.route->query); !refused) {
    return responder.send(problem_answer(refused.error()));
  }
  match.route->handle(Call{service_, request, std::move(responder), std::move(match.names)});
}

}  // namespace baton::api
