// A source of random numbers, of one of two kinds. Seeded: the same seed gives the same numbers on
// every machine, for tests and simulation; SplitMix64, which anybody can continue who has seen one
// number. Unpredictable: nobody can, which ids and lease tokens need; ChaCha20 under a key from the
// system. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/assert.h"

namespace baton::base {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  static Random unpredictable();

  std::uint64_t next() {
    if (stream_) return next_of_stream();
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  // A number in [0, bound). `bound` must not be zero.
  std::uint64_t below(std::uint64_t bound) {
    BATON_ASSERT(bound != 0);
    return scale(next(), bound);
  }

  // Maps one 64-bit random number onto [0, bound) without division.
  static std::uint64_t scale(std::uint64_t random, std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(random) * bound) >> 64);
  }

 private:
  class KeyStream;
  std::uint64_t next_of_stream();

  std::uint64_t state_;
  std::shared_ptr<KeyStream> stream_;
};

// Fills `size` bytes from the system's random source. Asserts when the system has none.
void system_random(void* bytes, std::size_t size);

}  // namespace baton::base
