// The seam between what keeps data and the file system. A Disk is one directory and knows files by
// their plain names; a File is one of them, opened. PosixDisk is the real one; SimulatedDisk lives
// in memory, forgets what was not synced and fails on demand. Every error has the code
// store_unavailable and names the operation, the file and the reason; a full disk reads "no space
// left on device". A failed sync is final: the system may have dropped the data, so whoever gets
// such an error must not go on as if a later sync could make up for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "baton/result.h"

namespace baton::base {

// Offsets, sizes and addresses for Access::kDurableWrite are multiples of this.
inline constexpr std::size_t kDiskBlock = 4096;

constexpr std::uint64_t round_up_to_block(std::uint64_t bytes) {
  return (bytes + kDiskBlock - 1) / kDiskBlock * kDiskBlock;
}

enum class Access : std::uint8_t {
  kRead,
  kWrite,         // durable after sync()
  kDurableWrite,  // durable when write() returns; takes whole blocks from an AlignedBuffer
};

// One writer at a time; reads from any thread.
class File {
 public:
  virtual ~File() = default;

  // Fills all of `into`; an end of the file before that is an error. Not for kDurableWrite.
  virtual Status read(std::uint64_t offset, std::span<std::byte> into) const = 0;
  // Writes all of `from`. After an error any part of it may be on the disk, or none.
  virtual Status write(std::uint64_t offset, std::span<const std::byte> from) = 0;
  // The data and the size of this file are durable; its name is not (see Disk::sync).
  // Once it has failed it fails for ever, as write() does from then on.
  virtual Status sync() = 0;
  virtual Result<std::uint64_t> size() const = 0;
  // What is added reads as zeros.
  virtual Status resize(std::uint64_t size) = 0;
  // Whether the file still has a name: what is written to one without is gone when it is closed.
  virtual bool has_name() const = 0;
};

// Any thread, as long as no two threads use the same name at once. Files may outlive a change of
// their name: an open file stays the same file.
class Disk {
 public:
  virtual ~Disk() = default;

  // Opens a file that exists.
  virtual Result<std::unique_ptr<File>> open(const std::string& name, Access access) = 0;
  // Makes an empty file; an error when the name is taken.
  virtual Result<std::unique_ptr<File>> create(const std::string& name, Access access) = 0;
  // Gives a file another name at one stroke. A file that had the new name is gone.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& name) = 0;
  // The names of all files, sorted.
  virtual Result<std::vector<std::string>> list() = 0;
  // What create, rename and remove did before is durable.
  virtual Status sync() = 0;
};

}  // namespace baton::base
