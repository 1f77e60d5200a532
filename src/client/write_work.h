// A worker's calls and claims as the server reads them. Pure; any thread.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "baton/work_source.h"

namespace baton::client {

// One element of "ops". Texts for people that are not UTF-8 are mended, because one bad byte would
// make the server refuse all calls that go with this one. invalid_job: something that cannot be
// mended is not UTF-8.
Result<std::string> op_of(const WorkCall& call);

// The claim as the value that comes next.
void write_claim(base::JsonWriter& json, const ClaimRequest& claim);

// The text with U+FFFD in place of what is not UTF-8.
std::string as_utf8(const std::string& text);

}  // namespace baton::client
