// Which connections of one process share a database file, and how: the locks of SQLite's file
// format and of its shared memory, and that memory itself. Nothing of it is on a disk, so that a
// process that dies takes it along. One thread: whoever does not get a lock is told so at once.
#pragma once

#include <sqlite3.h>

#include <array>
#include <memory>
#include <vector>

namespace baton::sim {

// One database file, for all connections to it.
class FileLocks {
 public:
  // Raises the level of a connection from `held` to `wanted` (SQLITE_LOCK_*), or tells SQLITE_BUSY.
  int raise(int held, int wanted);
  void lower(int held, int wanted);
  bool is_reserved() const { return reserved_; }

  // The region with this number. nullptr when it is not there and shall not be made.
  void* region(std::size_t index, std::size_t bytes, bool make);
  void forget_regions() { regions_.clear(); }
  // What one connection holds of the eight locks of the shared memory, one bit each.
  struct Held {
    unsigned shared = 0;
    unsigned exclusive = 0;
  };
  int lock_memory(Held& held, int first, int count, int flags);

 private:
  int shared_ = 0;  // connections that have at least SHARED
  bool reserved_ = false;
  bool exclusive_ = false;
  std::vector<std::unique_ptr<std::vector<unsigned char>>> regions_;
  std::array<int, SQLITE_SHM_NLOCK> memory_shared_{};
  std::array<bool, SQLITE_SHM_NLOCK> memory_exclusive_{};
};

}  // namespace baton::sim
