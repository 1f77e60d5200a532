#include "store/local/log/crc32c.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/random.h"

namespace baton::store::local {
namespace {

std::uint32_t crc_of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

// From RFC 3720, B.4, and the usual check value.
TEST(Crc32c, GivesThePublishedValues) {
  EXPECT_EQ(crc_of("123456789"), 0xE3069283U);
  EXPECT_EQ(crc_of(""), 0U);
  EXPECT_EQ(crc_of(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc_of(std::string(32, '\xFF')), 0x62A8AB43U);
  std::string rising;
  for (char c = 0; c < 32; ++c)
    rising += c;
  EXPECT_EQ(crc_of(rising), 0x46DD794EU);
}

TEST(Crc32c, IsTheSameByInstructionAndByTable) {
  base::Random random(1);
  std::vector<std::byte> bytes(20'000);
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(random.next());
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 40) {
    for (std::size_t from = 0; from < 9 && from <= size; from += 4) {
      const auto part = std::span<const std::byte>(bytes).subspan(from, size - from);
      ASSERT_EQ(crc32c(part), crc32c_by_table(part)) << from << " to " << size;
    }
  }
}

TEST(Crc32c, GoesOnFromAnEarlierPart) {
  base::Random random(2);
  std::vector<std::byte> bytes(9'000);
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(random.next());
  const std::span<const std::byte> all(bytes);
  for (std::size_t cut = 0; cut <= all.size(); cut += 123)
    ASSERT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), crc32c(all));
}

TEST(Crc32c, NoticesEveryFlippedBit) {
  std::vector<std::byte> bytes(100, std::byte{0x5A});
  const std::uint32_t before = crc32c(bytes);
  for (std::size_t bit = 0; bit < 800; ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    ASSERT_NE(crc32c(bytes), before);
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

}  // namespace
}  // namespace baton::store::local
