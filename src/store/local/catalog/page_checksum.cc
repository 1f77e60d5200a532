#include "store/local/catalog/page_checksum.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "store/local/log/crc32c.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kSaltAt = kPageBytes - kPageTrailerBytes;
constexpr std::size_t kSumAt = kSaltAt + 4;
// In the header of SQLite's file format.
constexpr char kMagic[] = "SQLite format 3";  // with the zero at its end
constexpr std::size_t kReservedAt = 20;

std::array<std::byte, 4> little_endian(std::uint32_t value) {
  std::array<std::byte, 4> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(value >> (8 * i));
  return bytes;
}

std::uint32_t number_at(ConstPage page, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= std::to_integer<std::uint32_t>(page[at + i]) << (8 * i);
  return value;
}

std::uint32_t sum_of(ConstPage page, std::uint32_t number) {
  return crc32c(page.first(kSumAt), crc32c(little_endian(number)));
}

}  // namespace

void seal_page(Page page, std::uint32_t number, std::uint32_t salt) {
  const auto salt_bytes = little_endian(salt);
  std::copy(salt_bytes.begin(), salt_bytes.end(), page.begin() + kSaltAt);
  const auto sum = little_endian(sum_of(page, number));
  std::copy(sum.begin(), sum.end(), page.begin() + kSumAt);
}

std::uint32_t salt_of(ConstPage page) { return number_at(page, kSaltAt); }

bool is_whole(ConstPage page, std::uint32_t number, std::uint32_t salt) {
  return salt_of(page) == salt && number_at(page, kSumAt) == sum_of(page, number);
}

bool begins_a_database(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

std::size_t reserved_bytes(ConstPage first) {
  return std::to_integer<std::size_t>(first[kReservedAt]);
}

bool is_without_checksums(ConstPage first) {
  if (reserved_bytes(first) != 0) return false;
  std::array<std::byte, kPageBytes> marked;
  std::copy(first.begin(), first.end(), marked.begin());
  marked[kReservedAt] = static_cast<std::byte>(kPageTrailerBytes);
  return !is_whole(marked, 1, salt_of(marked));
}

}  // namespace baton::store::local
