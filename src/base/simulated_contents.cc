#include "base/simulated_contents.h"

#include <algorithm>

#include "base/assert.h"

namespace baton::base {

void SimulatedContents::read(std::uint64_t offset, std::span<std::byte> into) const {
  BATON_ASSERT(offset + into.size() <= seen_.size());
  std::copy_n(seen_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
}

void SimulatedContents::write(std::uint64_t offset, std::span<const std::byte> from) {
  const std::uint64_t end = offset + from.size();
  if (end > seen_.size()) {
    seen_.resize(end);
    unsynced_sizes_.push_back(end);
  }
  std::copy(from.begin(), from.end(), seen_.begin() + static_cast<std::ptrdiff_t>(offset));
  remember(offset, end);
}

void SimulatedContents::write_durable(std::uint64_t offset, std::span<const std::byte> from) {
  BATON_ASSERT(offset % kSector == 0 && from.size() % kSector == 0);
  const std::uint64_t end = offset + from.size();
  for (auto* bytes : {&seen_, &durable_}) {
    if (end > bytes->size()) bytes->resize(end);
    std::copy(from.begin(), from.end(), bytes->begin() + static_cast<std::ptrdiff_t>(offset));
  }
  unsynced_.erase(unsynced_.lower_bound(offset / kSector), unsynced_.lower_bound(end / kSector));
}

void SimulatedContents::resize(std::uint64_t size) {
  const std::uint64_t before = seen_.size();
  seen_.resize(size);
  unsynced_sizes_.push_back(size);
  if (size < before) remember(size, before);
}

void SimulatedContents::sync() {
  durable_.resize(seen_.size());
  for (const auto& [index, versions] : unsynced_)
    put(durable_, index, versions.back());
  unsynced_.clear();
  unsynced_sizes_.clear();
}

void SimulatedContents::flip_bit(std::uint64_t bit) {
  const std::uint64_t at = bit / 8;
  const auto mask = static_cast<std::byte>(1U << (bit % 8));
  BATON_ASSERT(at < seen_.size());
  seen_[at] ^= mask;
  if (at < durable_.size()) durable_[at] ^= mask;
  if (const auto found = unsynced_.find(at / kSector); found != unsynced_.end()) {
    for (Sector& version : found->second)
      version[at % kSector] ^= mask;
  }
}

void SimulatedContents::fail_sync(Random& random) {
  Fate fate(random);
  if (fate.spares()) durable_.resize(seen_.size());
  for (const auto& [index, versions] : unsynced_) {
    if (fate.spares()) put(durable_, index, versions.back());
  }
  unsynced_.clear();
  unsynced_sizes_.clear();
}

void SimulatedContents::crash(Random& random) {
  Fate fate(random);
  if (!unsynced_sizes_.empty() && fate.spares())
    durable_.resize(unsynced_sizes_[random.below(unsynced_sizes_.size())]);
  for (const auto& [index, versions] : unsynced_) {
    if (fate.spares()) put(durable_, index, versions[random.below(versions.size())]);
  }
  unsynced_.clear();
  unsynced_sizes_.clear();
  seen_ = durable_;
}

SimulatedContents::Sector SimulatedContents::sector_of(const std::vector<std::byte>& bytes,
                                                       std::uint64_t index) {
  Sector sector{};
  const std::uint64_t begin = std::min<std::uint64_t>(index * kSector, bytes.size());
  const std::uint64_t end = std::min<std::uint64_t>(begin + kSector, bytes.size());
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
            bytes.begin() + static_cast<std::ptrdiff_t>(end), sector.begin());
  return sector;
}

// What lies beyond the size is cut off.
void SimulatedContents::put(std::vector<std::byte>& bytes, std::uint64_t index,
                            const Sector& sector) {
  const std::uint64_t begin = std::min<std::uint64_t>(index * kSector, bytes.size());
  const std::uint64_t count = std::min<std::uint64_t>(kSector, bytes.size() - begin);
  std::copy_n(sector.begin(), count, bytes.begin() + static_cast<std::ptrdiff_t>(begin));
}

void SimulatedContents::remember(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t index = begin / kSector; index * kSector < end; ++index)
    unsynced_[index].push_back(sector_of(seen_, index));
}

}  // namespace baton::base
