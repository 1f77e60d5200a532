#include "store/local/log/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace baton::store::local {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected

// kTables[n][byte]: the checksum of `byte` followed by n zero bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t zeros = 1; zeros < 8; ++zeros) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[zeros - 1][byte];
      tables[zeros][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t word_at(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)

// The instruction takes three cycles and a new one can begin every cycle, so that three parts of a
// long input are taken at a time. kPart bytes are then put in front of the next part by a table.
constexpr std::size_t kPart = 1024;

// The checksum that `crc` becomes when kPart zero bytes follow, byte by byte of `crc`.
using PartTables = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr std::uint32_t after_zeros(std::uint32_t crc) {
  for (std::size_t i = 0; i < kPart; ++i)
    crc = (crc >> 8) ^ kTables[0][crc & 0xFF];
  return crc;
}

PartTables make_part_tables() {
  PartTables tables{};
  for (std::uint32_t place = 0; place < 4; ++place) {
    for (std::uint32_t byte = 0; byte < 256; ++byte)
      tables[place][byte] = after_zeros(byte << (8 * place));
  }
  return tables;
}

const PartTables& part_tables() {
  static const PartTables tables = make_part_tables();
  return tables;
}

std::uint32_t shift_by_part(const PartTables& tables, std::uint32_t crc) {
  return tables[0][crc & 0xFF] ^ tables[1][(crc >> 8) & 0xFF] ^ tables[2][(crc >> 16) & 0xFF] ^
         tables[3][crc >> 24];
}

__attribute__((target("sse4.2"))) std::uint32_t three_parts(const std::byte* at,
                                                            std::uint32_t crc) {
  std::uint64_t first = crc;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (std::size_t i = 0; i < kPart; i += 8) {
    first = _mm_crc32_u64(first, word_at(at + i));
    second = _mm_crc32_u64(second, word_at(at + kPart + i));
    third = _mm_crc32_u64(third, word_at(at + 2 * kPart + i));
  }
  const PartTables& tables = part_tables();
  const std::uint32_t joined =
      shift_by_part(tables, static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
  return shift_by_part(tables, joined) ^ static_cast<std::uint32_t>(third);
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::span<const std::byte> bytes,
                                                               std::uint32_t before) {
  std::uint32_t crc = ~before;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kPart; left -= 3 * kPart, at += 3 * kPart)
    crc = three_parts(at, crc);
  std::uint64_t wide = crc;
  for (; left >= 8; left -= 8, at += 8)
    wide = _mm_crc32_u64(wide, word_at(at));
  crc = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at)
    crc = _mm_crc32_u8(crc, std::to_integer<std::uint8_t>(*at));
  return ~crc;
}

#endif

}  // namespace

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint64_t word = word_at(at) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i)
      crc ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
  }
  for (; left > 0; --left, ++at)
    crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(*at)) & 0xFF];
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return by_instruction(bytes, before);
#endif
  return crc32c_by_table(bytes, before);
}

}  // namespace baton::store::local
