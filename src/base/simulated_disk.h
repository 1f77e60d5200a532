// A Disk in memory that behaves as badly as a real one may. What was not synced is lost, kept or
// torn at a crash, by sectors of 512 bytes and in any order; names that were not synced may be the
// old ones. Reads, writes and syncs fail when told to, the disk fills up, bits rot, and every
// operation from a chosen one on fails, as if the process had died in the middle of it. All chance
// comes from the seed. Any thread; what several threads do at once is done in the order in which
// they come.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/random.h"
#include "base/simulated_contents.h"

namespace baton::base {

class SimulatedDisk final : public Disk {
 public:
  enum class Fault : std::uint8_t { kRead, kWrite, kSync };

  explicit SimulatedDisk(std::uint64_t seed) : random_(seed) {}

  Result<std::unique_ptr<File>> open(const std::string& name, Access access) override;
  Result<std::unique_ptr<File>> create(const std::string& name, Access access) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& name) override;
  Result<std::vector<std::string>> list() override;
  Status sync() override;

  // ---- What goes wrong ----------------------------------------------------------------------

  // The operation of this kind that comes after `after` others of it fails; the ones after it do
  // not. A write that fails may have written some sectors. A sync of a file that fails leaves some
  // of the data off the disk for good, and no later sync brings it there.
  void fail(Fault kind, std::uint64_t after = 0);
  // Files may grow by this many bytes in all; what is removed is given back.
  void set_free_bytes(std::uint64_t bytes);
  // Turns one bit of a file around, on the disk and for readers. The file must be that long.
  void flip_bit(const std::string& name, std::uint64_t bit);
  // The operation with this number and all after it fail, until crash() or restart(). Operations
  // are counted from 1. The first of them may have done its work, or some of it.
  void stop_at(std::uint64_t operation);
  std::uint64_t operations() const;
  bool stopped() const;

  // The power goes: what survives is drawn, and files that were open are dead. Pending faults and
  // the stop are gone; the disk can be used again.
  void crash();
  // The process dies and the system goes on: everything written is still there.
  void restart();

 private:
  friend class SimulatedFile;
  using Contents = std::shared_ptr<SimulatedContents>;

  // A change of names that sync() has not made durable. `contents` leaves all its names and, unless
  // it is removed, has the name `to`.
  struct NameChange {
    Contents contents;
    std::string to;  // empty: removed
  };
  using Names = std::map<std::string, Contents>;

  // What an operation is told before it begins. kBreakOff: it fails, after some of its work
  // perhaps.
  enum class Course : std::uint8_t { kGo, kBreakOff, kStopped };

  Course begin();
  Course begin(Fault kind);
  Result<std::unique_ptr<File>> file(const std::string& name, Contents contents, Access access);
  Status change_name(const char* operation, const std::string& name, const NameChange& change);
  static void apply(const NameChange& change, Names& names);
  void settle_names();
  bool stopped_now() const { return operations_ >= stop_at_; }
  void start_again();

  mutable std::mutex mutex_;
  Random random_;
  Names names_;                       // as a running process sees them
  Names durable_names_;               // as they are after a crash
  std::vector<NameChange> unsynced_;  // lead from the second to the first
  std::uint64_t free_bytes_ = std::numeric_limits<std::uint64_t>::max();
  std::map<Fault, std::uint64_t> faults_;  // how many of the kind still succeed before
  std::uint64_t operations_ = 0;
  std::uint64_t stop_at_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t life_ = 0;  // rises with every crash; files of an earlier one are dead
};

}  // namespace baton::base
