// The bytes of one file of a SimulatedDisk: as processes see them, and as the disk has them.
// Between the two stand the sectors written and the sizes set since the last sync, any of which may
// be what a crash leaves. No lock of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/random.h"

namespace baton::base {

class SimulatedContents {
 public:
  std::uint64_t size() const { return seen_.size(); }
  // The range must be within the size.
  void read(std::uint64_t offset, std::span<std::byte> into) const;

  void write(std::uint64_t offset, std::span<const std::byte> from);
  // The same, at once on the disk. Whole sectors.
  void write_durable(std::uint64_t offset, std::span<const std::byte> from);
  void resize(std::uint64_t size);
  void sync();
  void flip_bit(std::uint64_t bit);

  // A sync that fails: of what it should have made durable each sector is, or never will be.
  void fail_sync(Random& random);
  // What was not synced is decided sector by sector, and is now what everybody sees.
  void crash(Random& random);

 private:
  static constexpr std::size_t kSector = 512;
  using Sector = std::array<std::byte, kSector>;

  static Sector sector_of(const std::vector<std::byte>& bytes, std::uint64_t index);
  static void put(std::vector<std::byte>& bytes, std::uint64_t index, const Sector& sector);
  void remember(std::uint64_t begin, std::uint64_t end);

  std::vector<std::byte> seen_;
  std::vector<std::byte> durable_;
  std::map<std::uint64_t, std::vector<Sector>>
      unsynced_;  // every version of a sector, oldest first
  std::vector<std::uint64_t> unsynced_sizes_;
};

// Draws what a crash or a failure does to a number of things: all, none, or each for itself with
// the same odds.
class Fate {
 public:
  explicit Fate(Random& random) : random_(random), odds_(kOdds.at(random.below(kOdds.size()))) {}
  bool spares() { return random_.below(8) < odds_; }

 private:
  static constexpr std::array<std::uint64_t, 6> kOdds = {0, 8, 4, 4, 1, 7};

  Random& random_;
  std::uint64_t odds_;  // in eighths
};

}  // namespace baton::base
