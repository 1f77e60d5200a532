#include "http/message.h"

#include <array>
#include <utility>

#include "http/ascii.h"

namespace baton::http {
namespace {

constexpr std::array<std::pair<std::string_view, Method>, 7> kMethods = {{
    {"GET", Method::kGet},
    {"HEAD", Method::kHead},
    {"POST", Method::kPost},
    {"PUT", Method::kPut},
    {"PATCH", Method::kPatch},
    {"DELETE", Method::kDelete},
    {"OPTIONS", Method::kOptions},
}};

constexpr std::array<std::pair<int, std::string_view>, 34> kReasons = {{
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
}};

}  // namespace

Method method_of(std::string_view name) {
  for (const auto& [known, method] : kMethods)
    if (known == name) return method;
  return Method::kOther;
}

std::string_view reason_phrase(int status) {
  for (const auto& [known, reason] : kReasons)
    if (known == status) return reason;
  return "Unknown";
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  std::string_view rest = lines_;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        equal_ignoring_case(line.substr(0, name.size()), name)) {
      std::string_view value = line.substr(name.size() + 1);
      if (!value.empty() && value.back() == '\r') value.remove_suffix(1);
      return trim(value);
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return std::nullopt;
}

}  // namespace baton::http
