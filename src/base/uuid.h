// The making of UUIDs of version 4 (RFC 4122), their text and their hash. The value itself is in
// baton/ids.h. Pure but for the random source; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "baton/ids.h"

namespace baton::base {

// Version 4 from numbers of the given source.
Uuid make_uuid(Random& random);

// Version 4 from the system's random source.
Uuid make_system_uuid();

// The usual 36 characters, in lower case.
void append_uuid(std::string& text, const Uuid& uuid);

// Accepts exactly the 36-character form, in either case; anything else is nullopt.
std::optional<Uuid> parse_uuid(std::string_view text);

// A well-mixed 64-bit hash, the same on every machine.
std::uint64_t hash_uuid(const Uuid& uuid);

}  // namespace baton::base
