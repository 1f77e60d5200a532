// What a request prefers of its answer (RFC 7240). Pure; any thread.
#pragma once

#include "http/message.h"

namespace baton::api {

// "Prefer: return=minimal": of a job only what identifies it and where it stands.
bool prefers_minimal(const http::Request& request);

// Says in the answer that the preference was followed.
http::Response with_minimal_applied(http::Response response);

}  // namespace baton::api
