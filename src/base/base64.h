// Bytes as text, as RFC 4648 section 4 says: with padding, without line breaks. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace baton::base {

std::string encode_base64(std::string_view bytes);

// Exactly what encode_base64 writes; nullopt for anything else, also for stray bits at the end.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace baton::base
