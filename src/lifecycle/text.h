// Small checks on text that comes from outside. Pure.
#pragma once

#include <string_view>

namespace baton::lifecycle {

// Letters, digits and "._:/-" only: what names of queues and types are made of.
bool is_plain_name(std::string_view text);

// Starts with http:// or https:// and has something after it, no spaces or control characters.
bool is_http_url(std::string_view text);

}  // namespace baton::lifecycle
