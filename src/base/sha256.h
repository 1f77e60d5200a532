// SHA-256 of bytes, by OpenSSL. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace baton::base {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

}  // namespace baton::base
