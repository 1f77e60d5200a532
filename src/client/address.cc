#include "client/address.h"

#include <algorithm>

namespace baton::client {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

Error bad(std::string_view url, const std::string& why) {
  return {.code = Code::kBadRequest,
          .message = "'" + std::string(url) + "' is no address of a server: " + why,
          .field = "url"};
}

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return false;
  }
  const int port = std::stoi(std::string(text));
  return port > 0 && port < 65536;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < '\x7f' && c != '?' && c != '#'; });
}

}  // namespace

std::string Address::authority() const {
  const bool literal = host.find(':') != std::string::npos;
  return (literal ? "[" + host + "]" : host) + ":" + port;
}

Result<Address> parse_address(std::string_view url) {
  Address address;
  address.secure = url.starts_with(kHttps);
  if (!address.secure && !url.starts_with(kHttp)) return bad(url, "it must begin with http://");
  if (!is_plain(url)) return bad(url, "it has a character that does not belong there");
  std::string_view rest = url.substr(address.secure ? kHttps.size() : kHttp.size());
  std::string_view authority = rest.substr(0, rest.find('/'));
  address.prefix = rest.substr(authority.size());
  while (address.prefix.ends_with('/'))
    address.prefix.pop_back();
  if (authority.find('@') != std::string_view::npos) {
    return bad(url, "a name and a password do not belong there");
  }
  std::string_view port;
  const bool bracketed = authority.starts_with('[');
  const std::size_t end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && end == std::string_view::npos) return bad(url, "a bracket is missing");
  address.host = bracketed ? authority.substr(1, end - 1) : authority.substr(0, end);
  const std::size_t colon = bracketed ? end + 1 : end;
  if (colon < authority.size()) {
    if (authority[colon] != ':') return bad(url, "a colon is missing after the bracket");
    port = authority.substr(colon + 1);
    if (!is_port(port)) return bad(url, "the port must be from 1 to 65535");
  } else {
    port = address.secure ? "443" : "80";
  }
  address.port = port;
  if (address.host.empty()) return bad(url, "the host is missing");
  if (address.host.find_first_of("[]") != std::string::npos) {
    return bad(url, "a bracket does not belong there");
  }
  return address;
}

}  // namespace baton::client
