#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

#include "server/server.h"

namespace baton::server {

Status parse_listen(const std::string& text, Options& options) {
  const Error refused{
      Code::kBadRequest, "listen must be HOST:PORT, such as 127.0.0.1:2286", "listen", {}};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return refused;
  std::string host = text.substr(0, colon);
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return refused;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return refused;
  }
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(begin, end, port);
  if (begin == end || parsed.ec != std::errc() || parsed.ptr != end) return refused;
  options.host = std::move(host);
  options.port = port;
  return Ok{};
}

bool is_loopback(const std::string& host) {
  constexpr std::uint32_t kNetwork = 127;
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == kNetwork;
  in6_addr six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  return host == "localhost";
}

}  // namespace baton::server
