// Payloads by size, in classes that each hold up to twice the bytes of the one before. A store
// keeps the class of a job, not its payload, in memory, and so knows before it reads anything when
// a claim would become too large. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::lifecycle {

// The payloads of one claim, at most; but a claim gives one job in any case.
inline constexpr std::size_t kMaxClaimBytes = std::size_t{16} << 20;

// The smallest class: a thousand of them, which is the most that a claim may ask for, always fit.
inline constexpr std::size_t kSmallPayload = std::size_t{16} << 10;

// The most bytes that a payload of this class has.
constexpr std::size_t largest_of(std::uint8_t payload_class) {
  return kSmallPayload << payload_class;
}

constexpr std::uint8_t payload_class_of(std::size_t bytes) {
  std::uint8_t payload_class = 0;
  while (largest_of(payload_class) < bytes)
    ++payload_class;
  return payload_class;
}

}  // namespace baton::lifecycle
