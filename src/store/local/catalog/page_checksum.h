// The checksum that every page of the catalog carries in its last eight bytes, which SQLite leaves
// alone ("reserved space"; docs/catalog-format.md). It covers the page, its number and the salt of
// the file, so that a page at the wrong place or from another file does not fit either. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace baton::store::local {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageTrailerBytes = 8;  // salt and checksum

using Page = std::span<std::byte, kPageBytes>;
using ConstPage = std::span<const std::byte, kPageBytes>;

// Writes salt and checksum behind the content. Pages are numbered from 1.
void seal_page(Page page, std::uint32_t number, std::uint32_t salt);
// What the page says, which is only worth something when the page is whole.
std::uint32_t salt_of(ConstPage page);
bool is_whole(ConstPage page, std::uint32_t number, std::uint32_t salt);

// ---- The first page ----------------------------------------------------------------------------

// Whether the bytes begin as a database of SQLite does.
bool begins_a_database(std::span<const std::byte> bytes);
// How many bytes of each page SQLite leaves alone, by its header.
std::size_t reserved_bytes(ConstPage first);
// A catalog of the first format, whose pages have no checksums; not one that lost the mark of them.
bool is_without_checksums(ConstPage first);

}  // namespace baton::store::local
