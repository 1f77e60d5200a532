// CRC-32C (Castagnoli), as in RFC 3720: by the processor's instruction where it has one. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace baton::store::local {

// The checksum of `bytes`; with `before`, of the bytes that have this checksum followed by `bytes`.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

// The same by tables, for processors without the instruction.
std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace baton::store::local
