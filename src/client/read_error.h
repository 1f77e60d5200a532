// Why a server refused, read from the document of RFC 9457 that it answered with, or made up from
// the status when there is none. Pure; any thread.
#pragma once

#include "baton/result.h"
#include "client/response.h"
#include "json/reader.h"

namespace baton::client {

// The error in an answer that is no 2xx.
Error error_in(const HttpAnswer& response);

// The problem document at hand, which stands inside of an answer.
Error read_problem(json::Reader& reader);

}  // namespace baton::client
