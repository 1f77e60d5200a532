#include "api/prefer.h"

#include "http/ascii.h"

namespace baton::api {

bool prefers_minimal(const http::Request& request) {
  std::string_view rest = request.headers.find("Prefer").value_or("");
  while (!rest.empty()) {
    const std::size_t end = rest.find(',');
    const std::string_view one = rest.substr(0, end);
    const std::string_view preference = http::trim(one.substr(0, one.find(';')));
    if (http::equal_ignoring_case(preference, "return=minimal")) return true;
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return false;
}

http::Response with_minimal_applied(http::Response response) {
  response.fields.push_back({"Preference-Applied", "return=minimal"});
  return response;
}

}  // namespace baton::api
