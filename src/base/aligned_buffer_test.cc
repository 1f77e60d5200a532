#include "base/aligned_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace baton::base {
namespace {

bool is_aligned(const AlignedBuffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data()) % kDiskBlock == 0;
}

TEST(AlignedBuffer, StaysAlignedAndKeepsItsBytesWhenItGrows) {
  AlignedBuffer buffer;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    buffer.append(std::as_bytes(std::span(&i, 1)));
    ASSERT_TRUE(is_aligned(buffer));
  }
  ASSERT_EQ(buffer.size(), 40'000U);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    std::uint32_t kept = 0;
    std::memcpy(&kept, buffer.data() + std::size_t{4} * i, 4);
    ASSERT_EQ(kept, i);
  }
}

TEST(AlignedBuffer, AppendsZeros) {
  AlignedBuffer buffer(3);
  std::memset(buffer.data(), 0xFF, 3);
  buffer.append_zeros(kDiskBlock - 3);
  EXPECT_EQ(buffer.size(), kDiskBlock);
  EXPECT_EQ(buffer.data()[2], std::byte{0xFF});
  for (std::size_t i = 3; i < buffer.size(); ++i)
    ASSERT_EQ(buffer.data()[i], std::byte{0});
}

TEST(AlignedBuffer, KeepsItsMemoryWhenItShrinks) {
  AlignedBuffer buffer(100'000);
  const std::byte* before = buffer.data();
  buffer.resize(1);
  buffer.resize(100'000);
  EXPECT_EQ(buffer.data(), before);
}

TEST(AlignedBuffer, MovesItsBytes) {
  AlignedBuffer first(kDiskBlock);
  const std::byte* where = first.data();
  AlignedBuffer second(std::move(first));
  EXPECT_EQ(second.data(), where);
  AlignedBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), where);
  EXPECT_EQ(third.size(), kDiskBlock);
}

TEST(AlignedBuffer, RoundsUpToWholeBlocks) {
  EXPECT_EQ(round_up_to_block(0), 0U);
  EXPECT_EQ(round_up_to_block(1), kDiskBlock);
  EXPECT_EQ(round_up_to_block(kDiskBlock), kDiskBlock);
  EXPECT_EQ(round_up_to_block(kDiskBlock + 1), 2 * kDiskBlock);
}

}  // namespace
}  // namespace baton::base
