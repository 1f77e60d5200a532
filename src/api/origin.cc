#include "api/origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "http/ascii.h"

namespace baton::api {
namespace {
using http::equal_ignoring_case;

// "host", "host:port", "[::1]:port", taken apart. No host: it is none of these.
struct Authority {
  std::string_view host;  // without brackets
  std::string_view port;  // empty: the scheme's own
  bool bracketed = false;
};

Authority split(std::string_view text) {
  Authority parts;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return {};
    parts.host = text.substr(1, close - 1);
    parts.bracketed = true;
    rest = text.substr(close + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    parts.host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (rest.empty()) return parts;
  if (rest.front() != ':' || !http::all_are<http::is_digit>(rest.substr(1))) return {};
  parts.port = rest.substr(1);
  return parts;
}

bool is_address(const Authority& parts) {
  const std::string host(parts.host);
  in_addr four{};
  in6_addr six{};
  return parts.bracketed ? ::inet_pton(AF_INET6, host.c_str(), &six) == 1
                         : ::inet_pton(AF_INET, host.c_str(), &four) == 1;
}

bool is_named(std::string_view host, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [host](const std::string& name) { return equal_ignoring_case(host, name); });
}

bool may_be_called(std::string_view host_field, const std::vector<std::string>& allowed_hosts) {
  const Authority parts = split(host_field);
  if (parts.host.empty()) return false;
  return is_address(parts) || (!parts.bracketed && equal_ignoring_case(parts.host, "localhost")) ||
         is_named(parts.host, allowed_hosts);
}

// The page's own server, or one that is allowed. The scheme counts only for the port that it stands
// for: a proxy in between may have taken TLS off.
bool is_own_origin(std::string_view origin, std::string_view host_field,
                   const std::vector<std::string>& allowed_hosts) {
  std::string_view usual_port;
  for (const auto& [scheme, port] :
       {std::pair<std::string_view, std::string_view>{"http://", "80"}, {"https://", "443"}}) {
    if (!equal_ignoring_case(origin.substr(0, scheme.size()), scheme)) continue;
    usual_port = port;
    origin.remove_prefix(scheme.size());
    break;
  }
  if (usual_port.empty()) return false;
  const Authority from = split(origin);
  if (from.host.empty()) return false;
  if (is_named(from.host, allowed_hosts)) return true;
  const Authority to = split(host_field);
  const auto port_of = [&](const Authority& parts) {
    return parts.port.empty() ? usual_port : parts.port;
  };
  return equal_ignoring_case(from.host, to.host) && from.bracketed == to.bracketed &&
         port_of(from) == port_of(to);
}

// A person followed a link: the answer is shown to them, and the page that had the link sees none
// of it. A frame inside that page is not such a case.
bool is_navigation(const http::Request& request) {
  if (request.method != http::Method::kGet) return false;
  constexpr std::string_view kWholeWindow = "document";
  const std::string_view destination =
      request.headers.find("sec-fetch-dest").value_or(kWholeWindow);
  return request.headers.find("sec-fetch-mode") == std::string_view("navigate") &&
         destination == kWholeWindow;
}

Error forbidden(std::string message, std::string field) {
  return {Code::kForbidden, std::move(message), std::move(field), {}};
}

// "application/json", with any parameters behind it.
bool is_json_type(std::string_view type) {
  return equal_ignoring_case(http::trim(type.substr(0, type.find(';'))), "application/json");
}

}  // namespace

bool is_host_name(std::string_view text) {
  const bool six = text.find(':') != std::string_view::npos;
  const Authority parts = six ? Authority{text, {}, true} : split(text);
  if (six) return is_address(parts);
  return !parts.host.empty() && parts.host.size() == text.size() &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return http::is_letter(c) || http::is_digit(c) || c == '-' || c == '.' || c == '_';
         });
}

std::optional<Error> check_origin(const http::Request& request,
                                  const std::vector<std::string>& allowed_hosts, bool page) {
  const auto host = request.headers.find("host");
  // Only HTTP/1.0 gets here without one, which no browser speaks.
  if (host && !may_be_called(*host, allowed_hosts)) {
    return forbidden("the server is not known as " + std::string(*host) +
                         "; a name must be given to it with --allow-host",
                     "Host");
  }
  const auto origin = request.headers.find("origin");
  if (origin && !is_own_origin(*origin, host.value_or(std::string_view()), allowed_hosts)) {
    return forbidden("pages of another origin may not call the server", "Origin");
  }
  const auto site = request.headers.find("sec-fetch-site");
  if (site == std::string_view("cross-site") && !(page && is_navigation(request))) {
    return forbidden("pages of another site may not call the server", "Sec-Fetch-Site");
  }
  return std::nullopt;
}

std::optional<Error> check_content_type(const http::Request& request) {
  const auto type = request.headers.find("content-type");
  if (type ? is_json_type(*type) : request.body.empty()) return std::nullopt;
  const std::string what = type ? "not " + std::string(*type) : "and say so in Content-Type";
  return Error{Code::kUnsupportedMediaType,
               "the body must be application/json, " + what,
               "Content-Type",
               {}};
}

}  // namespace baton::api
