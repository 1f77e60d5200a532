// Every path of the server, in one table: method, path, what handles it. Pure but for the handlers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/service.h"

namespace baton::api {

enum class Body : std::uint8_t {
  kNone,      // one that comes is refused
  kOptional,  // JSON, if there is one
  kEmpty,     // JSON without members, if there is one
  kJson,      // JSON
};

enum class Query : std::uint8_t {
  kNone,    // one that comes is refused
  kParsed,  // by the handler
};

enum class Shows : std::uint8_t {
  kData,  // for programs
  kPage,  // for people, whom a link of another site may lead here
};

struct Route {
  http::Method method;
  std::string_view path;  // "/v1/jobs/{id}"; a name in braces stands for one part
  void (*handle)(const ApiCall& call);
  Body body = Body::kNone;
  Query query = Query::kNone;
  Shows shows = Shows::kData;
};

struct Match {
  const Route* route = nullptr;    // nullptr: no such path, or not with this method
  std::vector<std::string> names;  // the parts in braces
  std::string allowed;             // the methods that the path has; empty: there is no such path
};

// `parts` as http::split_path gives them. HEAD is answered like GET.
Match find_route(http::Method method, std::vector<std::string> parts);

}  // namespace baton::api
