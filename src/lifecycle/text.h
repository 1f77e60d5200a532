// Small checks on text that comes from outside. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace baton::lifecycle {

// The number of characters of a UTF-8 text (bytes that do not continue a character).
std::size_t character_count(std::string_view text);

// Letters, digits and "._:/-" only: what names of queues and types are made of.
bool is_plain_name(std::string_view text);

// Starts with http:// or https:// and has something after it, no spaces or control characters.
bool is_http_url(std::string_view text);

}  // namespace baton::lifecycle
