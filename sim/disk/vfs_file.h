// One open file of a DiskVfs: what SQLite asks of a file, as calls of base::File. Answers are
// SQLite's codes.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/disk/disk_vfs.h"

namespace baton::sim {

class VfsFile {
 public:
  VfsFile(DiskVfs& vfs, std::string name, std::unique_ptr<base::File> file, bool sync_name)
      : vfs_(vfs), name_(std::move(name)), file_(std::move(file)), sync_name_(sync_name) {}
  // A temporary one.
  explicit VfsFile(DiskVfs& vfs) : vfs_(vfs) {}

  int read(std::uint64_t offset, std::span<std::byte> into) const;
  int write(std::uint64_t offset, std::span<const std::byte> from);
  int truncate(std::uint64_t size);
  int sync();
  int size(std::uint64_t& bytes) const;

  int lock(int level);
  int unlock(int level);
  FileLocks& locks() { return vfs_.locks(name_); }
  FileLocks::Held& held_memory() { return held_memory_; }
  void close();

 private:
  DiskVfs& vfs_;
  std::string name_;
  std::unique_ptr<base::File> file_;  // nullptr: a temporary one
  std::vector<std::byte> bytes_;      // of a temporary one
  bool sync_name_ = false;            // the file is new, and its first sync is the directory's, too
  int level_ = SQLITE_LOCK_NONE;
  FileLocks::Held held_memory_;
};

// What SQLite is to be told of an error: a full disk has a code of its own.
int code_of(const Error& error, int otherwise);

// The functions that SQLite calls on a file.
const sqlite3_io_methods& file_methods();
// Where the object of a file is that SQLite has made room for.
struct FileRoom {
  sqlite3_file base;
  VfsFile* file;
};

}  // namespace baton::sim
