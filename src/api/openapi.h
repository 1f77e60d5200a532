// The description of every call, for programs: spec/openapi.json, compiled in.
#pragma once

#include <string_view>

namespace baton::api {

std::string_view openapi_json();

}  // namespace baton::api
