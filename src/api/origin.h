// Tells requests that a web page of another site made a browser send from those of everybody else:
// by Host, Origin, Sec-Fetch-Site and Content-Type, which a page cannot choose freely. A server
// without tokens trusts whoever reaches it, and a browser on the same machine reaches it for every
// page. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baton/result.h"
#include "http/message.h"

namespace baton::api {

// Whether the text can be a host in a Host field: a name or an address, without a port.
bool is_host_name(std::string_view text);

// forbidden, when the request came by a name that is neither an address, nor localhost, nor in
// `allowed_hosts`, or from a page of another origin. `page`: what is asked for is a page for
// people, to which any site may link.
std::optional<Error> check_origin(const http::Request& request,
                                  const std::vector<std::string>& allowed_hosts, bool page);

// unsupported_media_type, when the request has a body that is not called JSON, or any other type
// without a body: the types that a form or a page may send without being asked are none of ours.
std::optional<Error> check_content_type(const http::Request& request);

}  // namespace baton::api
