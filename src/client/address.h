// Where a server is, read from its URL. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "baton/result.h"

namespace baton::client {

struct Address {
  std::string host;    // a name or an address, without brackets
  std::string port;    // digits
  std::string prefix;  // what stands before every path: "" or "/baton"
  bool secure = false;

  // As in the header Host, and for messages: "[::1]:2286".
  std::string authority() const;
};

// "http://HOST[:PORT][/PREFIX]", the port 80 when it is left out, "https://…" with 443. Refused:
// bad_request with the field "url" for anything else.
Result<Address> parse_address(std::string_view url);

}  // namespace baton::client
