// A data directory on a simulated disk, log and catalog beside each other, and what the simulator
// does to both: open, close, die. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "base/simulated_disk.h"
#include "sim/disk/disk_vfs.h"
#include "store/local/durable/data_directory.h"

namespace baton::sim {

class DiskStore {
 public:
  // `segment_bytes`: small ones are used again often.
  DiskStore(std::uint64_t seed, std::uint64_t segment_bytes,
            const store::local::Tuning& tuning = {})
      : disk_(seed), vfs_(disk_), seed_(seed), segment_bytes_(segment_bytes), tuning_(tuning) {}

  // Recovery. Not while it is open.
  Status open();
  // The directory is closed as far as the disk lets it, and the process is over.
  void close();
  store::local::DataDirectory& data() { return *data_; }
  bool is_open() const { return data_ != nullptr; }

  base::SimulatedDisk& disk() { return disk_; }
  store::local::CatalogOptions catalog_options() const;

 private:
  base::SimulatedDisk disk_;
  DiskVfs vfs_;
  std::uint64_t seed_;
  std::uint64_t segment_bytes_;
  store::local::Tuning tuning_;
  std::unique_ptr<store::local::DataDirectory> data_;
};

// A copy of a change, as a store gets it: what it does with its own is not the simulator's.
store::local::RowChange copy_of(const store::local::RowChange& change);

}  // namespace baton::sim
